// SPDX-License-Identifier: Apache-2.0
// tilefit doctor: logs in, the proved cause and the fix out.
#include <memory>
#include <utility>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/log_source.h"
#include "tilefit/cli/output.h"
#include "tilefit/doctor/diagnose.h"
#include "tilefit/doctor/readers.h"
#include "tilefit/doctor/redact.h"
#include "tilefit/model/nearest.h"
#include "tilefit/report/doctor_report.h"

namespace tilefit {
namespace {

struct DoctorArgs {
  CommonArgs common;
  std::vector<std::string> paths;
  std::string gpu, tiles, dtype;
  bool redact = false;
};

Result<DoctorOptions> options_of(const DoctorArgs& args) {
  DoctorOptions options;
  if (!args.gpu.empty()) {
    const Result<Target> target = find_target(args.gpu);
    if (!target) return Error{target.error().what, "--gpu", target.error().fix};
    options.target = *target;
  }
  if (!args.tiles.empty()) {
    const Result<TacticList> list = find_tactic_list(args.tiles);
    if (!list) return list.error();
    options.list = *list;
  }
  if (args.dtype.empty()) return options;
  std::vector<std::string_view> known;
  for (const OperandsRow& r : kOperands) {
    if (r.name == args.dtype) options.operands = r.operands;
    known.push_back(r.name);
  }
  if (!options.operands)
    return Error{"unknown operands '" + args.dtype + "'", "--dtype", suggest(args.dtype, known)};
  return options;
}

Result<int> run_doctor(const DoctorArgs& args) {
  const Result<DoctorOptions> options = options_of(args);
  if (!options) return options.error();
  LogReader reader;
  for (const std::string& path : args.paths) {
    reader.open(path);
    Result<std::string> stopped =
        read_log(path, [&](std::string_view bytes) { reader.feed(bytes); });
    if (!stopped) return stopped.error();
    reader.close(*std::move(stopped));
  }
  const Diagnosis d = diagnose(std::move(reader).facts(), *options);
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  std::string text = args.common.json ? doctor_json(d) : doctor_text(d, text_style(args.common));
  if (args.redact) text = redacted(std::move(text));
  if (!args.common.quiet) out->write(text);
  if (const auto error = out->finish()) return *error;
  return d.has_findings() ? kExitFindings : kExitClean;
}

}  // namespace

Run setup_doctor(CLI::App& app) {
  auto args = std::make_shared<DoctorArgs>();
  app.add_option("PATH", args->paths, "logs, plain or compressed; - is standard input")->required();
  app.add_option("--gpu", args->gpu, "the GPU the log is from, where it does not say")
      ->type_name("NAME");
  app.add_option("--tiles", args->tiles, "the release whose tactic numbers the log has")
      ->type_name("LIST");
  app.add_option("--dtype", args->dtype, "operands of the experts; nvfp4 where nothing says")
      ->type_name("TYPES");
  app.add_flag("--redact", args->redact, "without home folders, addresses, user and host names")
      ->group("Output");
  add_common(app, args->common);
  add_examples(app,
               "  tilefit doctor serve.log\n"
               "  tilefit doctor serve.log --gpu 'rtx pro 6000' --tiles flashinfer-0.6.0\n"
               "  tilefit doctor --json --redact - < serve.log\n");
  return [args] { return run_doctor(*args); };
}

}  // namespace tilefit
