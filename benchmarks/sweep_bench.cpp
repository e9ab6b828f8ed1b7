// SPDX-License-Identifier: Apache-2.0
// The whole space of an architecture: every pair of operands, every epilogue, both swaps.
#include <benchmark/benchmark.h>

#include "tilefit/plan/sweep.h"

namespace tilefit {
namespace {

void whole_space(benchmark::State& state) {
  const SweepAxes axes{
      .epilogues = {Epilogue::none, Epilogue::finalize, Epilogue::lincomb, Epilogue::activation}};
  std::int64_t plans = 0;
  for (auto _ : state)
    for (const OperandsRow& o : kOperands) {
      TileRequest request{.arch = find_arch(static_cast<int>(state.range(0)))};
      request.tile.operands = o.operands;
      const Sweep sweep = sweep_space(request, axes);
      plans += sweep.left_out + static_cast<std::int64_t>(sweep.rows.size());
      benchmark::DoNotOptimize(sweep.rows.data());
    }
  state.counters["plans"] =
      benchmark::Counter(static_cast<double>(plans), benchmark::Counter::kAvgIterations);
}
BENCHMARK(whole_space)->Arg(90)->Arg(100)->Arg(103)->Arg(120)->Unit(benchmark::kMillisecond);

void tuner_list(benchmark::State& state) {
  for (auto _ : state) {
    TileRequest request{.arch = find_arch(120)};
    benchmark::DoNotOptimize(sweep_list(request, TacticList::flashinfer_0_7_4));
  }
}
BENCHMARK(tuner_list)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilefit
