// SPDX-License-Identifier: Apache-2.0
// tilefit scan: which kernels in files cannot be launched on a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/baseline.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/entry_outputs.h"
#include "tilefit/cli/find_package.h"
#include "tilefit/cli/gate.h"
#include "tilefit/cli/mapped_file.h"
#include "tilefit/cli/output.h"
#include "tilefit/cli/scanner.h"
#include "tilefit/model/gpu_names.h"
#include "tilefit/read/diff_scans.h"
#include "tilefit/read/judge_kernel.h"
#include "tilefit/report/safe_text.h"
#include "tilefit/report/scan_csv.h"
#include "tilefit/report/scan_diff_text.h"
#include "tilefit/report/scan_html.h"
#include "tilefit/report/scan_json.h"
#include "tilefit/report/scan_sarif.h"
#include "tilefit/report/scan_text.h"
#include "tilefit/version.h"

namespace tilefit {
namespace {

struct ScanArgs {
  CommonArgs common;
  std::vector<std::string> paths, packages, gpus;
  bool all = false, csv = false, functions = false;
  std::string gate, baseline, extract, diff, sarif, html;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

/// Unlike fmt::print this does not throw where nobody reads standard error any more.
void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

int print_problem(const Error& e) {
  say(fmt::format("error: {}{}\n", e.what, e.where.empty() ? "" : fmt::format(" ({})", e.where)));
  if (!e.fix.empty()) say(fmt::format("  fix: {}\n", e.fix));
  return kExitError;
}

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

Result<std::vector<ScanGpu>> named_gpus(const std::vector<std::string>& names) {
  std::vector<ScanGpu> gpus;
  for (const std::string& name : names) {
    const Result<Target> target = find_target(name);
    if (!target) return Error{target.error().what, "--gpu", target.error().fix};
    gpus.push_back(
        {.name = std::string(target->gpu != nullptr ? target->gpu->name : target->arch->name),
         .arch = target->arch});
  }
  return gpus;
}

/// The architectures that the files have code for.
std::vector<ScanGpu> gpus_with_code(const ScanReport& report) {
  std::vector<ScanGpu> gpus;
  for (const Arch& arch : kArchs) {
    const bool used =
        std::any_of(report.kernels.begin(), report.kernels.end(), [&](const ScannedKernel& kernel) {
          return std::any_of(kernel.facts.images.begin(), kernel.facts.images.end(),
                             [&](const KernelImage& image) { return image.target.sm == arch.cc; });
        });
    if (used) gpus.push_back({.name = std::string(arch.name), .arch = &arch});
  }
  return gpus;
}

void judge_all(ScanReport& report) {
  for (ScannedKernel& kernel : report.kernels)
    for (std::size_t g = 0; g < report.gpus.size(); ++g)
      kernel.verdicts.push_back(judge(kernel.facts, *report.gpus[g].arch, static_cast<int>(g)));
}

/// What happens on the way: progress, and output that is written while files are read.
class Watcher {
 public:
  Watcher(const ScanArgs& args, Output& out)
      : args_(args), out_(out), progress_(wants_progress(args.common)) {}

  ScanSettings settings(const std::vector<ScanGpu>& gpus) {
    ScanSettings settings{.threads = args_.threads,
                          .all_code = args_.all,
                          .no_ptx = args_.functions,
                          .temporary_folder = temporary_folder(),
                          .progress = {},
                          .each_entry = {}};
    for (const ScanGpu& gpu : gpus) settings.ccs.push_back(gpu.arch->cc);
    if (progress_) settings.progress = [this](const std::string& path) { show(path); };
    if (args_.functions || !args_.extract.empty())
      settings.each_entry = [this](const SeenEntry& seen) { entry(seen); };
    return settings;
  }

  void end_progress() const {
    if (progress_ && shown_ > 0) say("\r\033[K");
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void show(const std::string& path) {
    ++shown_;
    const std::size_t slash = path.find_last_of('/');
    say(fmt::format("\r\033[K{} files: {:.60}", shown_,
                    safe_text(slash == std::string::npos ? path : path.substr(slash + 1))));
    std::fflush(stderr);
  }

  void entry(const SeenEntry& seen) {
    if (args_.functions) out_.write(functions_csv(seen));
    if (args_.extract.empty() || error_) return;
    error_ = extract_cubin(seen, args_.extract);
  }

  const ScanArgs& args_;
  Output& out_;
  bool progress_;
  int shown_ = 0;
  std::optional<Error> error_;
};

/// Paths as given, then the files of packages.
Result<std::vector<std::string>> inputs(const ScanArgs& args) {
  std::vector<std::string> paths = args.paths;
  for (const std::string& package : args.packages) {
    Result<std::vector<std::string>> files = find_package(package, package_folders());
    if (!files) return files.error();
    paths.insert(paths.end(), files->begin(), files->end());
  }
  if (paths.empty())
    return Error{"nothing to scan", "command line",
                 "name files, folders, - for standard input, or --package NAME"};
  return paths;
}

void print_report(const ScanReport& report, const ScanArgs& args, Output& out) {
  const Write write = [&](std::string_view text) { out.write(text); };
  if (args.common.quiet || args.functions) return;
  if (args.common.json) return scan_json(report, args.all, write);
  if (args.csv) return scan_csv(report, args.all, write);
  scan_text(report, args.all, text_style(args.common), write);
}

Result<int> exit_code(const ScanReport& report, const ScanArgs& args) {
  const GateCounts counts = gate_counts(report);
  if (!args.gate.empty()) {
    const Result<bool> holds = gate_holds(args.gate, counts);
    if (!holds) return holds.error();
    if (!*holds) say(fmt::format("gate failed: {}\n", args.gate));
    return *holds ? kExitClean : kExitFindings;
  }
  for (const ScannedKernel& kernel : report.kernels)
    for (const KernelVerdict& v : kernel.verdicts)
      if (is_finding(v.outcome) && !v.known) return kExitFindings;
  return counts.at("disagreements") > 0 ? kExitFindings : kExitClean;
}

bool is_damaged(const ScanReport& report) {
  for (const ScannedFile& file : report.files)
    for (const ScanNote& note : file.notes)
      if (note.damage) return true;
  return false;
}

std::optional<Error> hide_known(ScanReport& report, const std::string& path) {
  if (path.empty()) return std::nullopt;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return Error{file.error().what, "--baseline", file.error().fix};
  return apply_baseline(report, file->bytes().text());
}

/// A page or log beside the report.
std::optional<Error> write_file(const std::string& path, std::string_view flag,
                                const std::function<void(const Write&)>& print) {
  if (path.empty()) return std::nullopt;
  Result<Output> out = Output::open(path);
  if (!out) return Error{out.error().what, std::string(flag), out.error().fix};
  print([&](std::string_view text) { out->write(text); });
  return out->finish();
}

std::optional<Error> write_files(const ScanReport& report, const ScanArgs& args) {
  if (auto problem = write_file(args.sarif, "--sarif",
                                [&](const Write& write) { scan_sarif(report, kVersion, write); }))
    return problem;
  return write_file(args.html, "--html", [&](const Write& write) { scan_html(report, write); });
}

/// All that was found in `paths`; what could not be read is printed, and makes `failed` true.
Result<ScanReport> scanned(const ScanArgs& args, const std::vector<std::string>& paths,
                           const std::vector<ScanGpu>& gpus, Output& out, bool& failed) {
  Watcher watcher(args, out);
  Scanner scanner(watcher.settings(gpus));
  for (const std::string& path : paths) {
    if (auto problem = scanner.add(path)) {
      watcher.end_progress();
      print_problem(*problem);
      failed = true;
    }
  }
  watcher.end_progress();
  if (watcher.error()) return *watcher.error();
  ScanReport report = scanner.take();
  report.gpus = gpus.empty() ? gpus_with_code(report) : gpus;
  judge_all(report);
  failed |= is_damaged(report);
  return report;
}

Result<int> compare(const ScanArgs& args, const ScanReport& before, Output& out, bool& failed) {
  // Judged for the same GPUs, also where one of the two lacks code for some.
  Result<ScanReport> after = scanned(args, {args.diff}, before.gpus, out, failed);
  if (!after) return after.error();
  const ScanDiff diff = diff_scans(before, *after);
  const Write write = [&](std::string_view text) { out.write(text); };
  if (args.common.json) scan_diff_json(before, *after, diff, write);
  if (!args.common.json && !args.common.quiet)
    scan_diff_text(before, *after, diff, text_style(args.common), write);
  return diff.broken() > 0 ? kExitFindings : kExitClean;
}

Result<int> run_scan(const ScanArgs& args) {
  const Result<std::vector<ScanGpu>> gpus = named_gpus(args.gpus);
  if (!gpus) return gpus.error();
  const Result<std::vector<std::string>> paths = inputs(args);
  if (!paths) return paths.error();
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  if (args.functions) out->write(kFunctionsHeading);
  bool failed = false;
  Result<ScanReport> report = scanned(args, *paths, *gpus, *out, failed);
  if (!report) return report.error();
  if (failed && report->files.empty()) return kExitError;  // all that there is to say was said
  if (auto problem = hide_known(*report, args.baseline)) return *problem;
  Result<int> code = kExitClean;
  if (args.diff.empty()) {
    print_report(*report, args, *out);
    if (auto problem = write_files(*report, args)) return *problem;
    code = exit_code(*report, args);
  } else {
    code = compare(args, *report, *out, failed);
  }
  if (!code) return code.error();
  if (auto problem = out->finish()) return *problem;
  return failed ? kExitError : *code;
}

}  // namespace

Run setup_scan(CLI::App& app) {
  auto args = std::make_shared<ScanArgs>();
  app.add_option("PATH", args->paths,
                 "programs, .so, .a, .o, .cubin, .fatbin, .ptx, wheels, zips, folders, caches; - "
                 "for standard input");
  app.add_option("--package", args->packages, "an installed Python package")
      ->type_name("NAME")
      ->take_all();
  app.add_option("--gpu", args->gpus,
                 "judge for this GPU; may be repeated (default: those that there is code for)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--all", args->all, "every kernel, not only findings");
  app.add_flag("--csv", args->csv, "a line for each kernel")->group("Output");
  app.add_flag("--functions", args->functions, "every function of every cubin as it stands, as CSV")
      ->group("Output");
  app.add_option("--gate", args->gate,
                 "exit 1 unless this holds, such as \"over_limit == 0 && sm_120.no_code < 5\"")
      ->type_name("EXPR");
  app.add_option("--baseline", args->baseline, "hide findings that this scan (JSON) has too")
      ->type_name("FILE");
  app.add_option("--diff", args->diff,
                 "compare with this later file or folder: kernels gained, lost, grown over a limit")
      ->type_name("PATH");
  app.add_option("--sarif", args->sarif, "write the findings there too, as SARIF 2.1.0")
      ->type_name("FILE");
  app.add_option("--html", args->html, "write a page there too: a table that sorts, a histogram")
      ->type_name("FILE");
  app.add_option("--extract", args->extract, "write the cubins there, unpacked")
      ->type_name("FOLDER");
  app.add_option("--threads", args->threads, "read this many cubins at a time")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_flag("--progress", args->common.progress,
               "progress on standard error also without a terminal");
  add_common(app, args->common);
  add_examples(app,
               "  tilefit scan kernels.cubin --gpu 'rtx pro 6000'\n"
               "  tilefit scan kernels.cubin --gpu sm_90 --gpu sm_120 --all --json\n"
               "  tilefit scan . --gate 'sm_90.over_limit == 0 && sm_90.no_code == 0'\n"
               "  tilefit scan kernels.cubin --html kernels.html --sarif kernels.sarif\n"
               "  tilefit scan - < kernels.cubin\n");
  return [args] { return run_scan(*args); };
}

}  // namespace tilefit
