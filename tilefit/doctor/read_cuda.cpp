// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's errors, CUTLASS traces, ptxas, cuobjdump, compute-sanitizer and Nsight
// Compute. Traps: ptxas and cuobjdump show static shared memory only; Nsight's Kbyte is 1000 bytes.
#include <charconv>
#include <cmath>

#include "tilefit/doctor/readers.h"

namespace tilefit {
namespace {

bool smem_set_to(Fact& f, Captures g, LineContext&) {
  f.required = number_of(g[0]);
  return f.required >= 0;
}

bool set_refused(Fact& f, Captures g, LineContext&) {
  f.detail = g[0];
  f.code = cuda_code_of(g[0]);
  return true;
}

bool sanitizer(Fact& f, Captures g, LineContext&) {
  f.code = static_cast<int>(number_of(g[0]));
  f.name = g[1];
  return f.code > 0;
}

bool plain_error(Fact& f, Captures g, LineContext&) {
  f.code = cuda_code_of(g[0]);
  if (f.code == 0 && g[0].find("illegal instruction") != std::string_view::npos) f.code = 715;
  return f.code != 0;
}

bool device_memory(Fact& f, Captures, LineContext&) {
  f.code = 2;
  return true;
}

bool too_much_static(Fact& f, Captures g, LineContext& c) {
  f.name = g[0];
  f.arch = c.arch;
  f.required = number_of(g[1]);
  f.limit = number_of(g[2]);
  return f.required > 0;
}

bool missing_feature(Fact& f, Captures g, LineContext&) {
  f.detail = g[0];
  f.arch = g[1];
  return true;
}

bool unknown_target(Fact& f, Captures g, LineContext&) {
  f.arch = g[0];
  return true;
}

bool entry(Fact&, Captures g, LineContext& c) {
  c.kernel = g[0];
  c.arch = g[1];
  return false;
}

bool arch_line(Fact& f, Captures g, LineContext& c) {
  c.arch = g[0];
  f.detail = g[0];
  return true;
}

bool function_line(Fact&, Captures g, LineContext& c) {
  c.kernel = g[0];
  return false;
}

bool usage(Fact& f, Captures g, LineContext& c) {
  f.name = c.kernel;
  f.arch = c.arch;
  f.number = number_of(g[0]);
  f.required = g.size() > 1 && !g[1].empty() ? number_of(g[1]) : 0;
  return f.number >= 0;
}

/// cuobjdump counts the driver's 1024 bytes into SHARED from sm_90 on.
bool res_usage(Fact& f, Captures g, LineContext& c) {
  if (!usage(f, g, c)) return false;
  const std::int64_t cc =
      c.arch.size() > 3 ? number_of(c.arch.substr(3, c.arch.find_last_of("0123456789") - 2)) : -1;
  if (cc >= 90 && f.required >= 1024) f.required -= 1024;
  if (cc < 0) f.required = -1;  // without the target it is open which of the two it is
  return true;
}

bool elf_entry(Fact& f, Captures g, LineContext&) {
  f.detail = g[0];
  return true;
}

/// Nsight rounds to two digits of a decimal unit; a kernel's size is a multiple of 16 bytes.
bool nsight(Fact& f, Captures g, LineContext&) {
  std::string digits;
  for (const char c : g[2])
    if (c != ',') digits += c;
  double value = 0;
  const auto [ptr, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (ec != std::errc{} || value < 0 || value > 1e9) return false;
  const double unit = g[1].starts_with("K") ? 1e3 : g[1].starts_with("M") ? 1e6 : 1;
  f.required = static_cast<Bytes>(std::llround(value * unit));
  f.number = unit > 1 ? static_cast<Bytes>(unit / 200) : 0;  // half of the last digit
  f.detail = g[0] == "Dynamic" ? "dynamic" : g[0] == "Static" ? "static" : "driver";
  return true;
}

bool assertion(Fact& f, Captures g, LineContext&) {
  if (!g.empty()) f.detail = g[0];
  return true;
}

bool symbol(Fact& f, Captures g, LineContext&) {
  f.name = g[0];
  return true;
}

bool targets(Fact& f, Captures g, LineContext&) {
  f.name = "build";
  f.detail = g[0];
  return true;
}

using enum FactKind;
constexpr LinePattern kPatterns[] = {
    {smem_set, R"(Setting smem size to (\d+))", smem_set_to},
    {smem_set_refused, R"(cudaFuncSetAttribute\(\) returned error: (.+))", set_refused},
    {cuda_error, R"(Program hit cuda\w+ \(error (\d+)\) due to "[^"]+" on CUDA API call to (\w+))",
     sanitizer},
    {cuda_error, R"((no kernel image is available))", plain_error},
    {cuda_error, R"((invalid device function|too many resources requested for launch))",
     plain_error},
    {cuda_error,
     R"((illegal memory access|illegal instruction|unspecified launch failure|invalid resource handle))",
     plain_error},
    {cuda_error, R"(CUDA (?:runtime |driver )?error:? .*?(invalid argument|cudaErrorInvalidValue))",
     plain_error},
    {cuda_error,
     R"(CUDA out of memory|OutOfMemoryError: CUDA|cudaErrorMemoryAllocation|CUDA error: out of memory)",
     device_memory},
    {static_refused,
     R"(ptxas error *: Entry function '(\S+)' uses too much shared data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\))",
     too_much_static},
    {feature_missing,
     R"((?:Instruction|Feature|Modifier) '([^']+)' not supported on \.target '(sm_\w+)')",
     missing_feature},
    {feature_missing,
     R"(ptxas.*?'?(\.[a-z]\w*|\S+)'? (?:is )?not supported (?:on|for) (?:\.target )?'?(sm_\d+\w?))",
     missing_feature},
    {target_unknown, R"(Value '(sm_\w+)' is not defined for option 'gpu-name')", unknown_target},
    {kernel_usage, R"(ptxas info *: Compiling entry function '(\S+)' for '(sm_\w+)')", entry},
    {kernel_usage, R"(ptxas info *: Used (\d+) registers(?:.*?, (\d+)(?:\+\d+)? bytes smem)?)",
     usage},
    {arch_list, R"(^arch = (sm_\w+))", arch_line},
    {kernel_usage, R"(^ Function (\S+):$)", function_line},
    {kernel_usage, R"(^ +REG:(\d+) STACK:\d+ SHARED:(\d+))", res_usage},
    {arch_list, R"((?:ELF|PTX) file +\d+: \S*?\.((?:sm|compute)_\w+)\.(?:cubin|ptx))", elf_entry},
    {profiled_smem,
     R"((Dynamic|Static|Driver) Shared Memory Per Block +([KM]?byte)/block +([\d.,]+))", nsight},
    {stages_assert,
     R"(static.?assert\w* .*?(?:Stages? *>= *2|[Ss]pecialization requires Stages|at least (?:2|two) stages))",
     assertion},
    {smem_assert, R"(SMEM usage exceeded capacity)", assertion},
    {symbol_missing, R"(undefined symbol: (\w+))", symbol},
    {arch_list, R"(-arch=((?:sm|compute)_\d+\w?))", targets},
    {arch_list, R"(-gencode[= ]arch=compute_\w+,code=\[?((?:sm|compute)_\d+\w?))", targets},
    {arch_list,
     R"((?:TORCH_CUDA_ARCH_LIST|FLASHINFER_CUDA_ARCH_LIST|CUDA_ARCHS?)[= ]["']?([\d.af;, +PTX-]+))",
     targets},
};

}  // namespace

const LineReader kCudaReader{"CUDA, ptxas and its tools", kPatterns};

}  // namespace tilefit
