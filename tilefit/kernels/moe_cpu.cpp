// SPDX-License-Identifier: Apache-2.0
// The grouped GEMM on the CPU: the default where there is no GPU, and the oracle of the tests.
// Weights are unpacked and decoded one expert at a time; sums are double; FINALIZE adds in fp32.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tilefit/kernels/float16.h"
#include "tilefit/kernels/moe.h"
#include "tilefit/kernels/nvfp4.h"

namespace tilefit::moe {
namespace {

/// Runs body(i) for i in [0, count) on `threads` threads.
template <class Body>
void parallel(std::int64_t count, int threads, const Body& body) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads && t < count; ++t) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
}

struct ExpertRows {
  std::int64_t first, count;
};

ExpertRows rows_of(const Gemm& g, int e) {
  if (g.layout == RowLayout::masked)
    return {e * g.max_rows, std::clamp<std::int64_t>(g.rows[e], 0, g.max_rows)};
  const auto first = std::clamp<std::int64_t>(g.rows[e], 0, g.total_rows);
  const auto end = std::clamp<std::int64_t>(g.rows[e + 1], 0, g.total_rows);
  return {first, std::max<std::int64_t>(end - first, 0)};
}

/// W_e as float, row by row, without the global scale.
struct Expert {
  std::vector<std::uint8_t> codes, scales;
  float globals[2]{};
};

Expert unpack(const Weights& w, int e) {
  const auto elements = static_cast<std::size_t>(std::int64_t{w.n} * w.k);
  Expert x{.codes = std::vector<std::uint8_t>(elements / 2),
           .scales = std::vector<std::uint8_t>(elements / 16)};
  // The shape was checked; sizes follow from it, so this cannot fail.
  (void)unpack_expert_cpu(w, e, {x.codes, x.scales, std::span<float, 2>{x.globals}});
  return x;
}

std::vector<float> decode_row(const Expert& x, const Weights& w, int n) {
  std::vector<float> row(static_cast<std::size_t>(w.k));
  const std::size_t first = static_cast<std::size_t>(n) * row.size();
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::uint32_t pair = x.codes[(first + k) / 2];
    row[k] = nvfp4::e2m1(k % 2 != 0 ? pair >> 4U : pair & 15U) *
             nvfp4::ue4m3(x.scales[(first + k) / 16]);
  }
  return row;
}

/// Output column n for every row of expert e; `to` takes (row of a, value before rounding).
template <class To>
void column(const Gemm& g, const Expert& x, int e, int n, const To& to) {
  const Weights& w = g.weights;
  const std::vector<float> weights = decode_row(x, w, n);
  const float global = x.globals[n < w.split ? 0 : 1];
  const auto rows = rows_of(g, e);
  for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
    double sum = 0;
    for (int k = 0; k < w.k; ++k)
      sum += static_cast<double>(weights[static_cast<std::size_t>(k)]) *
             static_cast<double>(float16::load(w.activation, g.a, r * g.a_stride + k));
    float value = static_cast<float>(sum * static_cast<double>(global));
    if (g.bias != nullptr) value += float16::load(g.bias_type, g.bias, std::int64_t{e} * w.n + n);
    to(r, value);
  }
}

/// Adds column n of every token: in the order of token_rows, or of rows of `a` where there is none.
void add_column(const Gemm& g, int n, const std::vector<float>& rows) {
  const auto add = [&](std::int64_t token, float x) {
    const std::int64_t at = token * g.out_stride + n;
    float16::store(g.out_type, g.out, at, float16::load(g.out_type, g.out, at) + x);
  };
  if (g.finalize == Finalize::atomic) {
    for (int e = 0; e < g.weights.experts; ++e) {
      const auto range = rows_of(g, e);
      for (std::int64_t r = range.first; r < range.first + range.count; ++r)
        if (g.row_token[r] >= 0 && g.row_token[r] < g.tokens)
          add(g.row_token[r], rows[static_cast<std::size_t>(r)]);
    }
    return;
  }
  for (std::int64_t t = 0; t < g.tokens; ++t) {
    float sum = 0;
    for (int i = 0; i < g.top_k; ++i) {
      const std::int32_t r = g.token_rows[t * g.top_k + i];
      if (r >= 0 && r < static_cast<std::int64_t>(rows.size()))
        sum += rows[static_cast<std::size_t>(r)];
    }
    add(t, sum);
  }
}

}  // namespace

Result<Done> gemm_cpu(const Gemm& g, int threads) {
  if (auto ok = check(g); !ok) return ok;
  if (threads < 1) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Expert> experts(static_cast<std::size_t>(g.weights.experts));
  parallel(g.weights.experts, threads, [&](std::int64_t e) {
    if (rows_of(g, static_cast<int>(e)).count > 0)
      experts[static_cast<std::size_t>(e)] = unpack(g.weights, static_cast<int>(e));
  });
  const std::int64_t total =
      g.layout == RowLayout::masked ? g.max_rows * g.weights.experts : g.total_rows;
  parallel(g.weights.n, threads, [&](std::int64_t column_index) {
    const int n = static_cast<int>(column_index);
    std::vector<float> rows(g.finalize == Finalize::none ? 0 : static_cast<std::size_t>(total));
    for (int e = 0; e < g.weights.experts; ++e) {
      const Expert& x = experts[static_cast<std::size_t>(e)];
      if (x.codes.empty()) continue;
      column(g, x, e, n, [&](std::int64_t r, float value) {
        if (g.finalize == Finalize::none)
          float16::store(g.out_type, g.out, r * g.out_stride + n, value);
        else
          rows[static_cast<std::size_t>(r)] = g.row_weight[r] * value;
      });
    }
    if (g.finalize != Finalize::none) add_column(g, n, rows);
  });
  return Done{};
}

}  // namespace tilefit::moe
