// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tilefit/cli/lines.h"
#include "tilefit/cli/output.h"
#include "tilefit/plan/csv_rows.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/tile_report.h"
#include "tilefit/report/plan_json.h"
#include "tilefit/report/plan_text.h"

namespace tilefit {
namespace {

/// What rows came to.
struct Tally {
  long rows = 0, bad = 0, usable = 0;
  void add(const Tally& other) {
    rows += other.rows;
    bad += other.bad;
    usable += other.usable;
  }
  int code() const { return bad > 0 ? kExitError : usable < rows ? kExitFindings : kExitClean; }
};

/// Lines that one thread answers, copied out of the reader's buffer.
struct Batch {
  static constexpr std::size_t kRows = 512, kBytes = std::size_t{1} << 20;
  struct Piece {
    std::size_t offset, size;
    bool too_long;
  };
  long rows_before = 0;
  std::string text;
  std::vector<Piece> pieces;

  bool full() const { return pieces.size() >= kRows || text.size() >= kBytes; }
  void add(const Line& line) {
    pieces.push_back({text.size(), line.too_long ? 0 : line.text.size(), line.too_long});
    if (!line.too_long) text += line.text;
  }
  std::string_view line(const Piece& piece) const {
    return std::string_view(text).substr(piece.offset, piece.size);
  }
};

struct Answers {
  Tally tally;
  fmt::memory_buffer text;
};

enum class Form { quiet, text, json };

/// Answers batches; each batch has its own copy, so that threads share nothing that changes.
class Planner {
 public:
  Planner(CsvRows rows, const PlanFileArgs& args, const CommonArgs& common)
      : rows_(std::move(rows)),
        explain_(args.explain),
        form_(common.quiet  ? Form::quiet
              : common.json ? Form::json
                            : Form::text),
        style_(text_style(common)) {}

  Form form() const { return form_; }
  const TextStyle& style() const { return style_; }

  Answers answer(const Batch& batch) {
    Answers out;
    for (const Batch::Piece& piece : batch.pieces) {
      ++out.tally.rows;
      const Result<TileRequest> request =
          piece.too_long ? too_long() : rows_.request(batch.line(piece));
      if (request)
        plan_row_of(*request, out);
      else
        bad_row(batch.rows_before + out.tally.rows, request.error(), out);
    }
    return out;
  }

 private:
  static Result<TileRequest> too_long() {
    return Error{"a line longer than 1 MiB", "", "is this a CSV file?"};
  }

  void plan_row_of(const TileRequest& request, Answers& out) const {
    if (form_ == Form::json) {
      const TileReport report = tile_report(request, explain_);
      out.tally.usable += report.plan.usable() ? 1 : 0;
      std::vector<Component> parts;
      if (explain_) parts = components(request);
      plan_json(out.text, report, explain_ ? &parts : nullptr);
      out.text.push_back('\n');
      return;
    }
    const TilePlan plan = plan_tile(request);
    out.tally.usable += plan.usable() ? 1 : 0;
    if (form_ == Form::text)
      fmt::format_to(std::back_inserter(out.text), "{}", plan_row(plan, style_));
  }

  void bad_row(long row, const Error& error, Answers& out) const {
    ++out.tally.bad;
    if (form_ == Form::json) {
      row_error_json(out.text, row, error);
      out.text.push_back('\n');
    } else if (form_ == Form::text) {
      fmt::format_to(std::back_inserter(out.text), "row {}: error: {}{}; {}\n", row, error.what,
                     error.where.empty() ? "" : " (" + error.where + ")", error.fix);
    }
  }

  CsvRows rows_;
  bool explain_;
  Form form_;
  TextStyle style_;
};

/// Batches in the works, oldest first; their answers come out in that order.
class InOrder {
 public:
  InOrder(const Planner& planner, Output& out, bool progress)
      : planner_(planner), out_(out), progress_(progress) {}

  /// False once nobody takes the output any more.
  bool add(Batch batch) {
    if (running_.size() >= most_ && !take_oldest()) return false;
    // Where no thread can be had the answer is worked out when it is asked for.
    running_.push_back(std::async(std::launch::async | std::launch::deferred,
                                  [planner = planner_, batch = std::move(batch)]() mutable {
                                    return planner.answer(batch);
                                  }));
    return true;
  }

  void finish() {
    while (!running_.empty() && take_oldest()) continue;
    if (progress_ && tally_.rows >= kProgressRows) show_progress("\n");
  }

  const Tally& tally() const { return tally_; }

 private:
  static constexpr long kProgressRows = 50'000;

  bool take_oldest() {
    const Answers answers = running_.front().get();
    running_.pop_front();
    const long before = tally_.rows;
    tally_.add(answers.tally);
    if (progress_ && before / kProgressRows < tally_.rows / kProgressRows) show_progress("");
    return out_.write({answers.text.data(), answers.text.size()});
  }

  void show_progress(std::string_view end) const {
    fmt::print(stderr, "\r{} rows{}", tally_.rows, end);
    std::fflush(stderr);
  }

  const Planner& planner_;
  Output& out_;
  bool progress_;
  Tally tally_;
  // Twice the cores, so that none waits while the oldest is written.
  const std::size_t most_ = 2 * std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 4);
  std::deque<std::future<Answers>> running_;
};

Result<CsvRows> header_of(Lines& lines, const PlanFileArgs& args) {
  const std::optional<Line> header = lines.next();
  if (lines.error()) return *lines.error();
  if (!header || header->text.empty())
    return Error{"'" + args.path + "' is empty", "--from",
                 "its first line names the columns, such as arch,tile_m,tile_n,tile_k,epilogue"};
  if (header->too_long)
    return Error{"the first line of '" + args.path + "' is longer than 1 MiB", "--from",
                 "is this a CSV file?"};
  Result<CsvRows> rows = CsvRows::from_header(header->text, args.defaults);
  if (!rows) return Error{rows.error().what, args.path + ":1", rows.error().fix};
  return rows;
}

/// The rows that come next; empty lines are none. Without rows at the end.
Batch next_batch(Lines& lines, long& rows_before) {
  Batch batch;
  batch.rows_before = rows_before;
  while (!batch.full()) {
    const std::optional<Line> line = lines.next();
    if (!line) break;
    if (!line->text.empty() || line->too_long) batch.add(*line);
  }
  rows_before += static_cast<long>(batch.pieces.size());
  return batch;
}

}  // namespace

Result<int> plan_file(const PlanFileArgs& args, const CommonArgs& common) {
  Result<Lines> lines = Lines::open(args.path);
  if (!lines) return lines.error();
  Result<CsvRows> rows = header_of(*lines, args);
  if (!rows) return rows.error();
  Result<Output> out = Output::open(common.output);
  if (!out) return out.error();
  const Planner planner(*std::move(rows), args, common);
  if (planner.form() == Form::text) out->write(plan_row_heading(planner.style()));

  InOrder answers(planner, *out, wants_progress(common) && !common.output.empty());
  long rows_read = 0;
  while (true) {
    Batch batch = next_batch(*lines, rows_read);
    if (batch.pieces.empty() || !answers.add(std::move(batch))) break;
  }
  answers.finish();
  if (lines->error()) return *lines->error();
  const Tally& tally = answers.tally();
  if (planner.form() == Form::text)
    out->write(fmt::format("{} rows: {} fit, {} do not, {} could not be read\n", tally.rows,
                           tally.usable, tally.rows - tally.usable - tally.bad, tally.bad));
  if (const auto error = out->finish()) return *error;
  return tally.code();
}

}  // namespace tilefit
