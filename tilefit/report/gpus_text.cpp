// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/gpus_text.h"

#include <iterator>
#include <nlohmann/json.hpp>

#include "tilefit/model/arch.h"

namespace tilefit {
namespace {

using nlohmann::ordered_json;

/// One number of a Gpu: its JSON key, its words, its unit, and how to get at it.
struct Column {
  const char* key;
  const char* title;
  ordered_json (*value)(const Gpu&);
  Source (*source)(const Gpu&);
};

template <auto Member>
constexpr Column column(const char* key, const char* title) {
  return {
      key, title,
      [](const Gpu& g) { return (g.*Member) ? ordered_json((g.*Member).value) : ordered_json(); },
      [](const Gpu& g) { return (g.*Member).source; }};
}

constexpr Column kColumns[] = {
    column<&Gpu::sms>("sms", "SMs"),
    column<&Gpu::memory_gb>("memory_gb", "memory, GB"),
    column<&Gpu::bandwidth_gbps>("bandwidth_gbps", "memory bandwidth, GB/s"),
    column<&Gpu::l2_bytes>("l2_bytes", "L2, bytes"),
    column<&Gpu::boost_mhz>("boost_mhz", "boost clock, MHz"),
    column<&Gpu::power_w>("power_w", "board power, W"),
    column<&Gpu::bf16_tflops>("bf16_tflops", "dense BF16, TFLOPS"),
    column<&Gpu::fp8_tflops>("fp8_tflops", "dense FP8, TFLOPS"),
    column<&Gpu::fp4_tflops>("fp4_tflops", "dense FP4, TFLOPS"),
};

template <class T>
std::string cell(const Stated<T>& n) {
  return n ? fmt::format("{}", n.value) : "-";
}

const Arch& arch_of(const Gpu& g) { return *find_arch(g.cc); }

}  // namespace

std::string gpus_text(const std::vector<const Gpu*>& gpus, bool sources, const TextStyle& style) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(
      out, "{}\n",
      paint(style, kFaint,
            fmt::format("{:<24} {:<7} {:>14} {:>5} {:>8} {:>8} {:>8}  {}", "name", "arch",
                        "smem a block", "SMs", "GB", "GB/s", "FP4 TF", "as the driver names it")));
  for (const Gpu* g : gpus) {
    const Arch& a = arch_of(*g);
    fmt::format_to(out, "{} {:<7} {:>14} {:>5} {:>8} {:>8} {:>8}  {}\n",
                   paint(style, kStrong, fmt::format("{:<24}", g->aliases[0])), a.name,
                   a.smem_per_block, cell(g->sms), cell(g->memory_gb), cell(g->bandwidth_gbps),
                   cell(g->fp4_tflops), g->name);
    if (!sources) continue;
    fmt::format_to(out, "    {:<24} {:>12}  {}\n", "smem a block, bytes", a.smem_per_block,
                   row(a.smem_from[0]).title);
    for (const Column& c : kColumns) {
      const ordered_json value = c.value(*g);
      fmt::format_to(out, "    {:<24} {:>12}  {}\n", c.title,
                     value.is_null() ? "unknown" : value.dump(),
                     value.is_null() ? "" : row(c.source(*g)).title);
    }
  }
  return text;
}

std::string gpus_json(const std::vector<const Gpu*>& gpus) {
  ordered_json list = ordered_json::array();
  for (const Gpu* g : gpus) {
    const Arch& a = arch_of(*g);
    ordered_json aliases = ordered_json::array();
    for (const std::string_view alias : g->aliases)
      if (!alias.empty()) aliases.push_back(alias);
    ordered_json one{
        {"name", g->name}, {"product", g->product}, {"aliases", aliases}, {"arch", a.name}};
    one["smem_per_block"] = {{"value", a.smem_per_block}, {"source", row(a.smem_from[0]).title}};
    for (const Column& c : kColumns) {
      const ordered_json value = c.value(*g);
      one[c.key] = value.is_null()
                       ? ordered_json()
                       : ordered_json{{"value", value}, {"source", row(c.source(*g)).title}};
    }
    list.push_back(std::move(one));
  }
  return ordered_json{{"schema", "tilefit.gpus/1"}, {"gpus", std::move(list)}}.dump() + "\n";
}

}  // namespace tilefit
