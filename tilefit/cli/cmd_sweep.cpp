// SPDX-License-Identifier: Apache-2.0
// tilefit sweep: every tile of a kind on a GPU, or the list that a release's tuner tries.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/output.h"
#include "tilefit/cli/request_flags.h"
#include "tilefit/plan/sweep.h"
#include "tilefit/plan/tactics.h"
#include "tilefit/report/sweep_json.h"
#include "tilefit/report/sweep_svg.h"
#include "tilefit/report/sweep_text.h"

namespace tilefit {
namespace {

struct SweepArgs {
  CommonArgs common;
  RequestFlags flags;
  std::string tiles;
  int tactic = -1;
  bool tactic_given = false;
  std::string svg;
  bool csv = false;
  bool all = false;
};

/// What the user fixed: only such rows stay.
struct Filter {
  bool tile = false, epilogue = false, swap = false;
  Tile want{};

  bool keeps(const SweepRow& r) const {
    const Tile& t = r.tile;
    return (!tile || (t.m == want.m && t.n == want.n && t.k == want.k)) &&
           (!epilogue || t.epilogue == want.epilogue) && (!swap || t.swap_ab == want.swap_ab);
  }
};

Result<Sweep> sweep_of(const SweepArgs& args, TileRequest request, const Filter& filter,
                       bool all_epilogues) {
  if (args.tiles.empty()) {
    SweepAxes axes;
    axes.keep_refused = args.all;
    if (all_epilogues)
      axes.epilogues = {Epilogue::none, Epilogue::finalize, Epilogue::lincomb,
                        Epilogue::activation};
    else
      axes.epilogues = {request.tile.epilogue};
    if (filter.swap) axes.swaps = {request.tile.swap_ab};
    return sweep_space(request, axes);
  }
  const Result<TacticList> list = find_tactic_list(args.tiles);
  if (!list) return list.error();
  if (!args.flags.given("--builder")) request.builder = row(*list).builder;
  return sweep_list(request, *list);
}

Result<int> only_tactic(Sweep& sweep, int number) {
  const int offered = sweep.tactics[0].all() + sweep.tactics[1].all();
  std::erase_if(sweep.rows,
                [&](const SweepRow& r) { return r.tactic[0] != number && r.tactic[1] != number; });
  if (sweep.rows.empty())
    return Error{fmt::format("{} offers no tactic {}", sweep.list, number), "--tactic",
                 fmt::format("its numbers are 0 to {}", offered - 1)};
  return 0;
}

std::optional<Error> write_file(const std::string& path, std::string_view text) {
  Result<Output> out = Output::open(path);
  if (!out) return out.error();
  out->write(text);
  return out->finish();
}

Result<int> print(const SweepArgs& args, const Sweep& sweep) {
  if (!args.svg.empty())
    if (const auto error = write_file(args.svg, sweep_svg(sweep))) return *error;
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  if (!args.common.quiet) {
    if (args.common.json)
      out->write(sweep_json(sweep));
    else if (args.csv)
      out->write(sweep_csv(sweep));
    else
      out->write(sweep_text(sweep, text_style(args.common)));
  }
  if (const auto error = out->finish()) return *error;
  const bool clean = std::all_of(sweep.rows.begin(), sweep.rows.end(),
                                 [](const SweepRow& r) { return r.usable(); });
  return clean && !sweep.rows.empty() ? kExitClean : kExitFindings;
}

Result<int> run_sweep(SweepArgs args) {
  const bool all_epilogues = args.flags.take("--epilogue", "all");
  Result<RequestDraft> draft = draft_of(args.flags);
  if (!draft) return draft.error();
  Filter filter;
  filter.tile = draft->m_given;
  filter.epilogue = args.flags.given("--epilogue");
  filter.swap = args.flags.given("--swap-ab");
  filter.want = draft->request.tile;
  if (args.tactic_given && args.tiles.empty())
    return Error{"a tactic is a number in a tuner's list", "--tactic",
                 "name the list, such as --tiles flashinfer-0.7.4"};
  if (args.csv && args.common.json)
    return Error{"two forms of output", "--csv", "give --csv or --json"};
  draft->m_given = draft->n_given = draft->k_given = true;
  draft = with_gpu(*std::move(draft));
  if (!draft) return draft.error();
  const Result<TileRequest> request = finish(*draft);
  if (!request) return request.error();
  Result<Sweep> sweep = sweep_of(args, *request, filter, all_epilogues);
  if (!sweep) return sweep.error();
  std::erase_if(sweep->rows, [&](const SweepRow& r) { return !filter.keeps(r); });
  if (args.tactic_given)
    if (const Result<int> found = only_tactic(*sweep, args.tactic); !found) return found.error();
  return print(args, *sweep);
}

}  // namespace

Run setup_sweep(CLI::App& app) {
  auto args = std::make_shared<SweepArgs>();
  add_request_flags(app, args->flags);
  app.get_option("--epilogue")
      ->description("none (default; every one with --tiles), finalize, lincomb, activation, all");
  app.get_option("--tile")->description("only this tile, in elements");
  app.add_option("--tiles", args->tiles,
                 "the list a tuner tries: flashinfer-0.6.0, flashinfer-0.6.18, flashinfer-0.7.4")
      ->type_name("LIST");
  CLI::Option* tactic = app.add_option("--tactic", args->tactic,
                                       "with --tiles: only the configuration with this number")
                            ->type_name("N");
  app.add_flag("--all", args->all, "also list what the builder refuses or no model covers");
  app.add_option("--svg", args->svg, "draw the matrix into FILE")->type_name("FILE");
  app.add_flag("--csv", args->csv, "CSV, which plan --from reads again")->group("Output");
  add_common(app, args->common);
  add_examples(app,
               "  tilefit sweep --gpu 'rtx pro 6000' --dtype nvfp4 --epilogue all\n"
               "  tilefit sweep --gpu sm_120 --tiles flashinfer-0.7.4 --svg tiles.svg\n"
               "  tilefit sweep --gpu sm_120 --tiles flashinfer-0.6.0 --tactic 15\n"
               "  tilefit sweep --gpu sm_120 --tiles flashinfer-0.6.18 --tile 256x128x128\n"
               "  tilefit sweep --gpu h200 --dtype bf16xmxfp4 --csv\n");
  return [args, tactic] {
    args->tactic_given = tactic->count() > 0;
    return run_sweep(*args);
  };
}

}  // namespace tilefit
