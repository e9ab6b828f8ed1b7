// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/setting.h"

#include "tilefit/doctor/line_reader.h"
#include "tilefit/plan/value_text.h"

namespace tilefit {
namespace {

void take_target(Setting& s, const Target& t, std::string why) {
  s.arch = t.arch;
  if (t.gpu != nullptr) s.gpu = t.gpu->name;
  s.arch_why = std::move(why);
}

/// A GPU that the log names beats the architecture that a kernel's file was made for.
void find_arch_in_log(Setting& s, const LogFacts& log) {
  for (const Fact& f : log.facts)
    if (f.kind == FactKind::gpu_seen || f.kind == FactKind::arch_unsupported)
      if (const Result<Target> t = find_target(f.name); t && s.arch == nullptr)
        take_target(s, *t, "named in the log");
  for (const Fact& f : log.facts)
    if (s.arch == nullptr && f.kind == FactKind::arch_unsupported)
      if (const Arch* a = arch_named(f.arch)) take_target(s, {nullptr, a}, "named in the log");
  for (const Fact& f : log.facts)
    if (s.arch == nullptr &&
        (f.kind == FactKind::generated_file || f.kind == FactKind::smem_refused))
      if (const Arch* a = arch_named(f.arch)) take_target(s, {nullptr, a}, "the kernel's target");
}

void find_list_in_log(Setting& s, const LogFacts& log) {
  for (const Fact& f : log.facts) {
    if (f.kind != FactKind::version_seen || f.name != "flashinfer") continue;
    if (const Result<TacticList> list = find_tactic_list("flashinfer-" + f.detail)) {
      s.list = *list;
      s.list_why = "flashinfer " + f.detail + " named in the log";
      return;
    }
    s.other_release = f.detail;
  }
}

void find_operands_in_log(Setting& s, const LogFacts& log) {
  s.operands_why = "assumed";
  for (const Fact& f : log.facts) {
    if (f.kind != FactKind::operands_seen) continue;
    for (const OperandsRow& r : kOperands)
      if (r.name == f.name) {
        s.operands = r.operands;
        s.operands_why = "named in the log";
        return;
      }
  }
}

}  // namespace

const Arch* arch_named(std::string_view target) {
  if (!target.starts_with("sm_") && !target.starts_with("compute_")) return nullptr;
  target.remove_prefix(target.find('_') + 1);
  std::size_t digits = 0;
  while (digits < target.size() && target[digits] >= '0' && target[digits] <= '9') ++digits;
  const std::int64_t cc = number_of(target.substr(0, digits));
  return cc > 0 && cc < 1000 ? find_arch(static_cast<int>(cc)) : nullptr;
}

std::string archs_with_limit(Bytes limit) {
  std::string names;
  for (const Arch& a : kArchs)
    if (a.smem_per_block == limit) names += (names.empty() ? "" : ", ") + std::string(a.name);
  return names;
}

Setting setting_of(const LogFacts& log, const DoctorOptions& options) {
  Setting s;
  if (options.target)
    take_target(s, *options.target, "--gpu");
  else
    find_arch_in_log(s, log);
  if (options.list) {
    s.list = options.list;
    s.list_why = "--tiles";
  } else {
    find_list_in_log(s, log);
  }
  if (options.operands) {
    s.operands = *options.operands;
    s.operands_why = "--dtype";
  } else {
    find_operands_in_log(s, log);
  }
  return s;
}

}  // namespace tilefit
