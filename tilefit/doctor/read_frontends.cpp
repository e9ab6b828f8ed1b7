// SPDX-License-Identifier: Apache-2.0
// Compilers and front ends that say how many bytes a kernel wanted: Triton, Inductor, CuTe DSL,
// TVM and TileLang, Warp, IREE, llama.cpp. Units are bytes everywhere.
#include "tilefit/doctor/readers.h"

namespace tilefit {
namespace {

bool asked_and_had(Fact& f, Captures g, LineContext&) {
  f.required = number_of(g[0]);
  f.limit = g.size() > 1 ? number_of(g[1]) : -1;
  return f.required > 0;
}

/// Resource, required, limit.
bool triton(Fact& f, Captures g, LineContext& c) {
  f.name = "Triton";
  f.detail = g[0].starts_with("shared memory") ? "shared memory" : std::string(g[0]);
  return asked_and_had(f, g.subspan(1), c);
}

/// Required, limit, resource: the exception as it was pickled.
bool triton_repr(Fact& f, Captures g, LineContext& c) {
  f.name = "Triton";
  f.detail = g[2];
  return asked_and_had(f, g, c);
}

bool skipped(Fact& f, Captures g, LineContext&) {
  if (!g.empty()) f.name = g[0];
  return true;
}

bool config(Fact& f, Captures g, LineContext&) {
  f.block_m = static_cast<int>(number_of(g[0]));
  f.block_n = static_cast<int>(number_of(g[1]));
  f.block_k = static_cast<int>(number_of(g[2]));
  f.num_stages = static_cast<int>(number_of(g[3]));
  constexpr int kMost = 1 << 16;
  return f.block_m > 0 && f.block_n > 0 && f.block_k > 0 && f.num_stages > 0 && f.block_m < kMost &&
         f.block_n < kMost && f.block_k < kMost && f.num_stages < kMost;
}

bool cute(Fact& f, Captures g, LineContext& c) {
  f.name = "CuTe DSL";
  f.arch = g[0];
  return asked_and_had(f, g.subspan(1), c);
}

template <const char* const& Name>
bool from(Fact& f, Captures g, LineContext& c) {
  f.name = Name;
  return asked_and_had(f, g, c);
}

constexpr const char* kTvm = "TVM or TileLang";
constexpr const char* kWarp = "Warp";
constexpr const char* kIree = "IREE";
constexpr const char* kSglang = "SGLang";
constexpr const char* kProgram = "the program";

bool llama(Fact& f, Captures, LineContext&) {
  f.name = "llama.cpp";
  return true;
}

bool opt_in(Fact& f, Captures g, LineContext&) {
  f.limit = number_of(g[0]);
  return f.limit >= 0;
}

bool code_error(Fact& f, Captures g, LineContext&) {
  f.name = "the compiler";
  f.detail = g[0];
  return true;
}

using enum FactKind;
constexpr LinePattern kPatterns[] = {
    {smem_refused,
     R"(out of resource: *([\w ]+?),? *Required: *(\d+),* *,? *Hardware limit(?:ation)?: *(\d+))",
     triton},
    {smem_refused, R"(OutOfResources\((\d+), *(\d+), *'([\w ]+)'\))", triton_repr},
    {skipped_choice, R"(Ignoring this choice)", skipped},
    {skipped_choice, R"(Autotuning failed with )", skipped},
    {skipped_choice, R"(\bbench (\d+) out of resource)", skipped},
    {skipped_choice, R"((?i)skipp?(?:ing|ed) (?:this )?(?:config|candidate))", skipped},
    {triton_config,
     R"(BLOCK(?:_SIZE)?_M['"]?: *(\d+).*BLOCK(?:_SIZE)?_N['"]?: *(\d+).*BLOCK(?:_SIZE)?_K['"]?: *(\d+).*num_stages['"]?: *(\d+))",
     config},
    {smem_refused,
     R"(launch shared memory exceeds current GPU arch (sm_\w+) allowed\. Allocated: (\d+) bytes\. Max: (\d+) bytes)",
     cute},
    {smem_refused, R"(Failed to set the allowed dynamic shared memory size to (\d+))", from<kTvm>},
    {smem_refused,
     R"(Failed to configure kernel dynamic shared memory.* for (\d+) bytes, but maximum available is (\d+))",
     from<kWarp>},
    {smem_refused, R"(Requested shared memory size of (\d+) larger than allowed size of (\d+))",
     from<kIree>},
    {smem_refused, R"(\((\d+) bytes required, (\d+) bytes available\))", from<kSglang>},
    {smem_refused,
     R"((?i)(?:shared memory|smem)\D{0,60}(?:required?s?|needs?|requested|wants?)\D{0,20}(\d{4,9})\D{1,40}(?:limit|max\w*|available|supports?|allow\w*)\D{0,20}(\d{4,9}))",
     from<kProgram>},
    {smem_refused,
     R"((?i)(?:requires?|needs?|requested|wants?) (\d{4,9}) (?:B|bytes) (?:of )?(?:dynamic )?(?:shared memory|smem)\D{1,60}(\d{4,9}))",
     from<kProgram>},
    {smem_refused, R"(GGML_ASSERT\(nbytes_shared <= smpbo\) failed)", llama},
    {optin_seen, R"((?:sharedMemPerBlockOptin|smpbo|SharedMemoryPerBlockOptin)\D{1,5}(\d+))",
     opt_in},
    {host_error,
     R"(\b(PassManager::run failed|LLVM ERROR: .{0,80}|MLIR .{0,20}failed|Triton compiler crashed))",
     code_error},
};

}  // namespace

const LineReader kFrontendReader{"Triton, Inductor and other front ends", kPatterns};

}  // namespace tilefit
