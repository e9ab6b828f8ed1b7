// SPDX-License-Identifier: Apache-2.0
// tilefit plan: one tile, or a file of them.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/candidates.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/output.h"
#include "tilefit/cli/plan_file.h"
#include "tilefit/cli/request_flags.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/tile_report.h"
#include "tilefit/report/plan_json.h"
#include "tilefit/report/plan_text.h"

namespace tilefit {
namespace {

struct PlanArgs {
  CommonArgs common;
  bool explain = false;
  std::string from;
  std::string candidates;
  RequestFlags flags;
};

Result<int> plan_one(const PlanArgs& args, const TileRequest& request) {
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  const TileReport report = tile_report(request, args.explain);
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
  if (const auto error = out->finish()) return *error;
  return report.plan.usable() ? kExitClean : kExitFindings;
}

Result<int> run_plan(const PlanArgs& args) {
  Result<RequestDraft> draft = draft_of(args.flags);
  if (!draft) return draft.error();
  if (!args.from.empty()) return plan_file({args.from, *draft, args.explain}, args.common);
  if (!args.candidates.empty()) {
    draft = with_gpu(*std::move(draft));
    if (!draft) return draft.error();
    return judge_candidates(args.candidates, *draft, args.common);
  }
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
  add_request_flags(app, args->flags);
  app.add_option("--from", args->from,
                 "a CSV file of tiles, - for standard input; flags are its defaults")
      ->type_name("FILE");
  app.add_option("--candidates", args->candidates,
                 "judge what others propose: tuned configs of vLLM or SGLang, Triton's and "
                 "kernel_tuner's caches, tools/nvmmh_candidates.py")
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
      "  tilefit plan --gpu gb10 --candidates 'E=8,N=512,device_name=X,dtype=fp8_w8a8.json'\n"
      "  tilefit plan --from tiles.csv --json\n");
  return [args] { return run_plan(*args); };
}

}  // namespace tilefit
