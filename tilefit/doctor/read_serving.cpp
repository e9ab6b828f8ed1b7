// SPDX-License-Identifier: Apache-2.0
// Serving stacks (vLLM, SGLang) and PyTorch at start-up: configurations not found, backends chosen
// and refused, GPUs a build does not cover, and words that only sound like ours.
#include "tilefit/doctor/readers.h"

namespace tilefit {
namespace {

bool path(Fact& f, Captures g, LineContext&) {
  std::string_view file = g[0];
  while (!file.empty() && (file.front() == '[' || file.front() == '\'')) file.remove_prefix(1);
  const std::size_t json = file.find(".json");
  if (json != std::string_view::npos) file = file.substr(0, json + 5);
  if (const auto slash = file.find_last_of('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  f.name = file;
  return !f.name.empty();
}

bool fallback(Fact& f, Captures g, LineContext& c) {
  f.detail = g[1];
  return path(f, g, c);
}

bool backend(Fact& f, Captures g, LineContext&) {
  f.name = g[0];
  return true;
}

bool refused(Fact& f, Captures g, LineContext&) {
  f.detail = g[0];
  return true;
}

bool waiting(Fact&, Captures, LineContext&) { return true; }

bool not_compatible(Fact& f, Captures g, LineContext&) {
  f.name = g[0];
  f.arch = g[1];
  return true;
}

bool gpu(Fact& f, Captures g, LineContext&) {
  for (const char c : g[0]) f.name += c == '_' ? ' ' : c;
  while (!f.name.empty() && f.name.back() == ' ') f.name.pop_back();
  return true;
}

bool gate(Fact& f, Captures g, LineContext&) {
  f.detail = g[0];
  return true;
}

bool python_error(Fact& f, Captures g, LineContext&) {
  f.name = g[0];
  f.detail = g[1];
  return true;
}

using enum FactKind;
constexpr LinePattern kPatterns[] = {
    {config_missing, R"(Using default .{0,60}config\. .*Config file not found at (.+))", path},
    {config_fallback,
     R"(Config file not found at (\S+)\. Fallback to .* config from (\S+?)\.? Perf)", fallback},
    {backend_chosen, R"(Using '(\w+)' \w+ MoE backend out of potential backends)", backend},
    {backend_chosen, R"(Using (\w+LinearKernel) for )", backend},
    {backend_refused, R"(does not support quantization scheme (.{0,120}))", refused},
    {backend_refused, R"((No \w+ MoE backend supports the deployment configuration))", refused},
    {backend_refused, R"((kernels? (?:is |are )?unavailable for \w+))", refused},
    {host_shm_wait, R"(No available shared memory broadcast block found)", waiting},
    {arch_unsupported, R"(([\w ]+?) with CUDA capability (sm_\d+) is not compatible)",
     not_compatible},
    {arch_list, R"(PyTorch install(?:ation)? supports CUDA capabilities (sm_[\w ]+))", refused},
    {gpu_seen, R"(device_name=([A-Za-z0-9_\-]+?)(?:,|\.json|["'\s]|$))", gpu},
    {gpu_seen,
     R"(\b(NVIDIA (?:GeForce |RTX |H\d|B\d|GB\d|L\d|A\d|DGX|Jetson)[\w -]{0,50}?)(?: with|[,;)("|]|  |$))",
     gpu},
    {gpu_seen, R"(\b((?:RTX (?:PRO )?\d{4}|GB10|DGX Spark)\b(?: Ti\b| Max-Q\b)?))", gpu},
    {backend_refused,
     R"((?i)((?:unsupported|not supported)\b.{0,30}\b(?:architecture|compute capability|arch|device)\b.{0,60}))",
     gate},
    {backend_refused,
     R"((?i)((?:no compiled|not compiled) .{0,80}(?:compute capability|capability|SM ?\d+|arch).{0,40}))",
     gate},
    {host_error,
     R"(^(?:.*\s)?(KeyError|AttributeError|TypeError|IndexError|AssertionError|NotImplementedError): (.{0,160}))",
     python_error},
};

}  // namespace

const LineReader kServingReader{"serving stack and PyTorch", kPatterns};

}  // namespace tilefit
