// SPDX-License-Identifier: Apache-2.0
// tilefit gpus: the table of GPUs, or the ones in this machine.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/here.h"
#include "tilefit/cli/output.h"
#include "tilefit/model/gpu_names.h"
#include "tilefit/report/gpus_text.h"

namespace tilefit {
namespace {

struct GpusArgs {
  CommonArgs common;
  std::string name;
  bool here = false, sources = false;
};

/// What the driver says beside what the table says.
Result<std::string> here_text() {
  const Result<std::vector<GpuHere>> gpus = gpus_here();
  if (!gpus) return gpus.error();
  std::string text;
  for (const GpuHere& g : *gpus) {
    const Arch* arch = find_arch(g.cc);
    const bool agrees = arch != nullptr && arch->smem_per_block == g.smem_per_block;
    text += fmt::format("{}  sm_{}  {} SMs  {} B of shared memory a block may opt in to ({})\n",
                        g.name, g.cc, g.sms, g.smem_per_block,
                        agrees            ? "as in the table"
                        : arch == nullptr ? "not in the table"
                                          : fmt::format("the table has {}", arch->smem_per_block));
  }
  return text;
}

Result<std::vector<const Gpu*>> chosen(const std::string& name) {
  std::vector<const Gpu*> out;
  if (name.empty()) {
    for (const Gpu& g : kGpus) out.push_back(&g);
    return out;
  }
  const Result<Target> target = find_target(name);
  if (!target) return Error{target.error().what, "NAME", target.error().fix};
  for (const Gpu& g : kGpus)
    if (target->gpu != nullptr ? g.product == target->gpu->product : g.cc == target->arch->cc)
      out.push_back(&g);
  return out;
}

Result<int> run_gpus(const GpusArgs& args) {
  std::string text;
  if (args.here) {
    Result<std::string> here = here_text();
    if (!here)
      return Error{here.error().what, "--here", "run it on a machine with an NVIDIA driver"};
    text = *std::move(here);
  } else {
    const Result<std::vector<const Gpu*>> gpus = chosen(args.name);
    if (!gpus) return gpus.error();
    text = args.common.json ? gpus_json(*gpus)
                            : gpus_text(*gpus, args.sources, text_style(args.common));
  }
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  if (!args.common.quiet) out->write(text);
  if (const auto error = out->finish()) return *error;
  return kExitClean;
}

}  // namespace

Run setup_gpus(CLI::App& app) {
  auto args = std::make_shared<GpusArgs>();
  app.add_option("NAME", args->name, "one product or architecture; all without it");
  app.add_flag("--sources", args->sources, "every number with where it was read");
  app.add_flag("--here", args->here, "the GPUs of this machine, as the driver shows them");
  add_common(app, args->common);
  add_examples(app,
               "  tilefit gpus\n"
               "  tilefit gpus 'rtx pro 6000' --sources\n"
               "  tilefit gpus sm_90 --json\n");
  return [args] { return run_gpus(*args); };
}

}  // namespace tilefit
