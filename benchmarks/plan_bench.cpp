// SPDX-License-Identifier: Apache-2.0
// How fast plans are: one tile, a space of tiles, fixes, one plan as JSON. Items are tiles, so
// items_per_second is plans a second on one core; each is judged against its GPU's limit.
#include <benchmark/benchmark.h>

#include <vector>

#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/tile_report.h"
#include "tilefit/report/plan_json.h"

namespace tilefit {
namespace {

TileRequest the_case() {
  return {.arch = find_arch(120),
          .tile = {.m = 128, .n = 256, .k = 128, .epilogue = Epilogue::finalize}};
}

/// Tiles, epilogues and swaps of every architecture that has kernels: what a tuner would ask about.
std::vector<TileRequest> space() {
  struct Kernels {
    int cc;
    Operands operands;
  };
  std::vector<TileRequest> out;
  for (const Kernels& k : {Kernels{120, Operands::nvfp4}, Kernels{120, Operands::mxfp8},
                           Kernels{90, Operands::fp8}, Kernels{90, Operands::bf16xmxfp4},
                           Kernels{100, Operands::nvfp4}, Kernels{103, Operands::nvfp4}})
    for (const int m : {64, 128, 256})
      for (const int n : {32, 64, 128, 256})
        for (const int depth : {64, 128, 256})
          for (const Epilogue e : {Epilogue::none, Epilogue::finalize})
            for (const bool swap : {false, true})
              out.push_back({.arch = find_arch(k.cc),
                             .tile = {.m = m,
                                      .n = n,
                                      .k = depth,
                                      .operands = k.operands,
                                      .epilogue = e,
                                      .swap_ab = swap}});
  return out;
}

void plan_the_case(benchmark::State& state) {
  TileRequest request = the_case();
  for (auto _ : state) {
    benchmark::DoNotOptimize(request);
    benchmark::DoNotOptimize(plan_tile(request));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_the_case);

void plan_a_space(benchmark::State& state) {
  const std::vector<TileRequest> tiles = space();
  long usable = 0;
  for (auto _ : state)
    for (const TileRequest& r : tiles) usable += plan_tile(r).usable() ? 1 : 0;
  benchmark::DoNotOptimize(usable);
  state.SetItemsProcessed(state.iterations() * static_cast<long>(tiles.size()));
}
BENCHMARK(plan_a_space);

void fixes_of_the_case(benchmark::State& state) {
  const TilePlan plan = plan_tile(the_case());
  for (auto _ : state) benchmark::DoNotOptimize(fixes(plan));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(fixes_of_the_case);

void json_of_the_case(benchmark::State& state) {
  const TileReport report = tile_report(the_case(), false);
  fmt::memory_buffer out;
  for (auto _ : state) {
    out.clear();
    plan_json(out, report, nullptr);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<long>(out.size()));
}
BENCHMARK(json_of_the_case);

/// All that a line of `tilefit plan --from --json` takes but reading and writing it.
void report_a_space(benchmark::State& state) {
  const std::vector<TileRequest> tiles = space();
  fmt::memory_buffer out;
  for (auto _ : state)
    for (const TileRequest& r : tiles) {
      out.clear();
      plan_json(out, tile_report(r, false), nullptr);
      benchmark::DoNotOptimize(out.data());
    }
  state.SetItemsProcessed(state.iterations() * static_cast<long>(tiles.size()));
}
BENCHMARK(report_a_space);

}  // namespace
}  // namespace tilefit
