// SPDX-License-Identifier: Apache-2.0
// tilefit plan: one tile, or a file of them.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/here.h"
#include "tilefit/cli/lines.h"
#include "tilefit/cli/output.h"
#include "tilefit/plan/csv_rows.h"
#include "tilefit/plan/culprit.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"
#include "tilefit/report/plan_json.h"
#include "tilefit/report/plan_text.h"

namespace tilefit {
namespace {

struct PlanArgs {
  CommonArgs common;
  bool explain = false;
  std::string from;
  std::vector<std::string> values = std::vector<std::string>(kRequestFieldCount);  // by field
  std::vector<CLI::Option*> options = std::vector<CLI::Option*>(kRequestFieldCount, nullptr);
};

/// The flags given, over the defaults.
Result<RequestDraft> draft_of(const PlanArgs& args) {
  RequestDraft draft;
  for (std::size_t i = 0; i < kRequestFields.size(); ++i) {
    if (args.options[i] == nullptr || args.options[i]->count() == 0) continue;
    const bool bare = kRequestFields[i].value.empty() && args.values[i].empty();  // --swap-ab
    const std::string value = bare ? "true" : args.values[i];
    if (auto error = kRequestFields[i].set(draft, value)) {
      error->where = kRequestFields[i].flag;
      return *error;
    }
  }
  return draft;
}

Result<RequestDraft> with_gpu(RequestDraft draft) {
  if (draft.request.arch != nullptr) return draft;
  const Result<std::vector<GpuHere>> here = gpus_here();
  if (!here) return here.error();
  draft.request.arch = find_arch(here->front().cc);
  if (draft.request.arch == nullptr)
    return Error{"the GPU here has compute capability " + std::to_string(here->front().cc) +
                     ", which is not in the table",
                 "--gpu", "name a GPU with --gpu"};
  if (draft.request.limit == 0) draft.request.limit = here->front().smem_per_block;
  return draft;
}

TileReport report_of(const TileRequest& request, bool explain) {
  TileReport report;
  report.plan = plan_tile(request);
  Culprit blame = culprit(report.plan);
  report.sentence = std::move(blame.sentence);
  report.marked = blame.found;
  report.culprit = blame.part;
  report.fixes = fixes(report.plan);
  if (explain) report.ledger = ledger(request);
  return report;
}

Result<int> finished(Output& out, int code) {
  if (const auto error = out.finish()) return *error;
  return code;
}

Result<int> plan_one(const PlanArgs& args, const TileRequest& request) {
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  const TileReport report = report_of(request, args.explain);
  if (!args.common.quiet) {
    if (args.common.json) {
      fmt::memory_buffer text;
      std::vector<Component> parts;
      if (args.explain) parts = components(request);
      plan_json(text, report, args.explain ? &parts : nullptr);
      text.push_back('\n');
      out->write({text.data(), text.size()});
    } else {
      out->write(plan_text(report, text_style(args.common)));
    }
  }
  return finished(*out, report.plan.usable() ? kExitClean : kExitFindings);
}

/// What a file of tiles came to.
struct Tally {
  long rows = 0, bad = 0, usable = 0;
  int code() const { return bad > 0 ? kExitError : usable < rows ? kExitFindings : kExitClean; }
};

class FilePlanner {
 public:
  FilePlanner(const PlanArgs& args, Output& out)
      : args_(args), out_(out), style_(text_style(args.common)) {}

  void row(CsvRows& rows, const Line& line) {
    ++tally_.rows;
    Result<TileRequest> request =
        line.too_long
            ? Result<TileRequest>(Error{"a line longer than 1 MiB", "", "is this a CSV file?"})
            : rows.request(line.text);
    if (!request) {
      bad_row(request.error());
      return;
    }
    if (args_.common.json && !args_.common.quiet) {
      const TileReport report = report_of(*request, args_.explain);
      count(report.plan);
      std::vector<Component> parts;
      if (args_.explain) parts = components(*request);
      plan_json(text_, report, args_.explain ? &parts : nullptr);
      text_.push_back('\n');
      return;
    }
    const TilePlan plan = plan_tile(*request);
    count(plan);
    if (args_.common.quiet) return;
    const std::string shown = plan_row(plan, style_);
    text_.append(shown.data(), shown.data() + shown.size());
  }

  void heading() {
    if (args_.common.json || args_.common.quiet) return;
    const std::string shown = plan_row_heading(style_);
    text_.append(shown.data(), shown.data() + shown.size());
  }

  void summary() {
    if (args_.common.json || args_.common.quiet) return;
    fmt::format_to(std::back_inserter(text_), "{} rows: {} fit, {} do not, {} could not be read\n",
                   tally_.rows, tally_.usable, tally_.rows - tally_.usable - tally_.bad,
                   tally_.bad);
  }

  /// Hands on what is ready; false when nobody takes it.
  bool flush(bool all) {
    if (!all && text_.size() < 1 << 16) return true;
    const bool ok = out_.write({text_.data(), text_.size()});
    text_.clear();
    return ok;
  }

  const Tally& tally() const { return tally_; }

 private:
  void count(const TilePlan& plan) { tally_.usable += plan.usable() ? 1 : 0; }

  void bad_row(const Error& error) {
    ++tally_.bad;
    if (args_.common.quiet) return;
    if (args_.common.json) {
      row_error_json(text_, tally_.rows, error);
      text_.push_back('\n');
    } else {
      fmt::format_to(std::back_inserter(text_), "row {}: error: {}{}; {}\n", tally_.rows,
                     error.what, error.where.empty() ? "" : " (" + error.where + ")", error.fix);
    }
  }

  const PlanArgs& args_;
  Output& out_;
  TextStyle style_;
  Tally tally_;
  fmt::memory_buffer text_;
};

void show_progress(long rows, bool last) {
  fmt::print(stderr, "\r{} rows{}", rows, last ? "\n" : "");
  std::fflush(stderr);
}

Result<int> plan_file(const PlanArgs& args, const RequestDraft& defaults) {
  Result<Lines> lines = Lines::open(args.from);
  if (!lines) return lines.error();
  const std::optional<Line> header = lines->next();
  if (lines->error()) return *lines->error();
  if (!header || header->text.empty())
    return Error{"'" + args.from + "' is empty", "--from",
                 "its first line names the columns, such as arch,tile_m,tile_n,tile_k,epilogue"};
  if (header->too_long)
    return Error{"the first line of '" + args.from + "' is longer than 1 MiB", "--from",
                 "is this a CSV file?"};
  Result<CsvRows> rows = CsvRows::from_header(header->text, defaults);
  if (!rows) return Error{rows.error().what, args.from + ":1", rows.error().fix};
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  FilePlanner planner(args, *out);
  planner.heading();
  const bool progress = wants_progress(args.common) && !args.common.output.empty();
  while (const std::optional<Line> line = lines->next()) {
    if (line->text.empty() && !line->too_long) continue;
    planner.row(*rows, *line);
    if (!planner.flush(false)) break;
    if (progress && planner.tally().rows % 50000 == 0) show_progress(planner.tally().rows, false);
  }
  if (lines->error()) return *lines->error();
  if (progress && planner.tally().rows >= 50000) show_progress(planner.tally().rows, true);
  planner.summary();
  planner.flush(true);
  return finished(*out, planner.tally().code());
}

Result<int> run_plan(const PlanArgs& args) {
  Result<RequestDraft> draft = draft_of(args);
  if (!draft) return draft.error();
  if (!args.from.empty()) return plan_file(args, *draft);
  if (!draft->m_given)
    return Error{"no tile named", "--tile",
                 "give M x N x K in elements, such as --tile 128x256x128, or a file with --from"};
  draft = with_gpu(*std::move(draft));
  if (!draft) return draft.error();
  const Result<TileRequest> request = finish(*draft);
  if (!request) return request.error();
  return plan_one(args, *request);
}

}  // namespace

Run setup_plan(CLI::App& app) {
  auto args = std::make_shared<PlanArgs>();
  for (std::size_t i = 0; i < kRequestFields.size(); ++i) {
    const RequestField& field = kRequestFields[i];
    if (field.flag.empty()) continue;
    CLI::Option* option =
        app.add_option(std::string(field.flag), args->values[i], std::string(field.help));
    option->type_name(std::string(field.value))->group("Tile");
    option->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);  // a fix's flag can be added behind the others
    if (field.value.empty()) option->expected(0, 1)->default_str("")->type_name("[=true|false]");
    args->options[i] = option;
  }
  app.add_option("--from", args->from,
                 "a CSV file of tiles, - for standard input; flags are its defaults")
      ->type_name("FILE");
  app.add_flag("--explain", args->explain, "the builder's sum beside the true one, line by line");
  app.add_flag("--progress", args->common.progress,
               "progress on standard error also without a terminal");
  add_common(app, args->common);
  add_examples(
      app,
      "  tilefit plan --gpu 'rtx pro 6000' --tile 128x256x128 --epilogue finalize\n"
      "  tilefit plan --gpu sm_120 --dtype nvfp4 --tile 256x128x128 --epilogue finalize --explain\n"
      "  tilefit plan --gpu h200 --dtype bf16xmxfp4 --tile 256x128x256 --json\n"
      "  tilefit plan --gpu 'rtx 5090' --tile 128x128x128 --stages 5 --c-type void\n"
      "  tilefit plan --from tiles.csv --json\n");
  return [args] { return run_plan(*args); };
}

}  // namespace tilefit
