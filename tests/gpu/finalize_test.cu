// SPDX-License-Identifier: Apache-2.0
// FINALIZE: rows times router weights, added into their tokens, atomically and in a fixed order.
#include <cstring>
#include <numeric>
#include <random>

#include "case.h"

namespace tilefit::gpu_test {
namespace {

/// Rows sorted by expert of `tokens` tokens with `top_k` different experts each.
struct Routing {
  std::vector<std::int32_t> counts, row_token, token_rows;
  std::vector<float> row_weight;
};

Routing route(int experts, int tokens, int top_k) {
  std::mt19937 random(7);
  std::vector<std::vector<std::int32_t>> chosen(static_cast<std::size_t>(experts));
  std::vector<std::int32_t> order(static_cast<std::size_t>(experts));
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t t = 0; t < tokens; ++t) {
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < top_k; ++i)
      chosen[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])].push_back(t);
  }
  Routing r;
  std::vector<int> seen(static_cast<std::size_t>(tokens), 0);
  r.token_rows.assign(static_cast<std::size_t>(tokens * top_k), -1);
  for (const auto& expert : chosen) {
    r.counts.push_back(static_cast<std::int32_t>(expert.size()));
    for (const std::int32_t t : expert) {
      const auto i = static_cast<std::size_t>(t);
      r.token_rows[i * static_cast<std::size_t>(top_k) + static_cast<std::size_t>(seen[i]++)] =
          static_cast<std::int32_t>(r.row_token.size());
      r.row_token.push_back(t);
      r.row_weight.push_back(0.05F + 0.9F * static_cast<float>(random() % 1000) / 1000.0F);
    }
  }
  return r;
}

/// A case whose rows are combined into tokens, and what it names besides.
struct FinalizeCase {
  Case c;
  Device<std::int32_t> row_token, token_rows;
  Device<float> row_weight;
  Device<std::uint8_t> workspace{0};
};

FinalizeCase finalize_case(const moe::Weights& w, int tokens, int top_k) {
  const Routing routing = route(w.experts, tokens, top_k);
  FinalizeCase f{contiguous(w, routing.counts), Device<std::int32_t>(routing.row_token),
                 Device<std::int32_t>(routing.token_rows), Device<float>(routing.row_weight)};
  f.c.out = Device<float>(std::int64_t{tokens} * w.n);
  f.c.gemm.out = f.c.out.get();
  f.c.gemm.row_token = f.row_token.get();
  f.c.gemm.token_rows = f.token_rows.get();
  f.c.gemm.row_weight = f.row_weight.get();
  f.c.gemm.tokens = tokens;
  f.c.gemm.top_k = top_k;
  f.workspace = Device<std::uint8_t>(f.c.gemm.total_rows * w.n * 4);
  f.c.gemm.workspace = f.workspace.get();
  return f;
}

void expect_tokens(FinalizeCase& f) {
  moe::Gemm& g = f.c.gemm;
  const Reference rows = reference(g, f.c.weights, f.c.host_rows);
  const Reference tokens = reference_tokens(g, rows, 0.0F);
  for (int row = 0; row < kRowCount; ++row)
    for (const Dtype type : {Dtype::bf16, Dtype::fp16, Dtype::f32})
      for (const auto mode : {moe::Finalize::atomic, moe::Finalize::deterministic}) {
        SCOPED_TRACE(testing::Message() << "tile row " << row << ", out " << name(type) << ", mode "
                                        << static_cast<int>(mode) << ", top " << g.top_k);
        f.c.out.fill(0);
        g.tile_row = row;
        g.out_type = type;
        g.finalize = mode;
        run(g);
        const Difference d = compare(g, tokens, 0, g.tokens, tolerance(type, g.top_k));
        EXPECT_EQ(d.wrong, 0U) << "of " << d.compared << ", worst " << d.worst;
      }
}

TEST(Finalize, Small) {
  FinalizeCase f = finalize_case(shape(4, 136, 160), 20, 2);
  expect_tokens(f);
}

TEST(Finalize, EveryTopK) {
  for (int top_k = 1; top_k <= 10; ++top_k) {
    FinalizeCase f = finalize_case(shape(32, 1536, 512), 150, top_k);
    expect_tokens(f);
  }
}

TEST(Finalize, Glm5Down) {
  FinalizeCase f = finalize_case(shape(32, 6144, 2048), 512, 8);
  expect_tokens(f);
}

TEST(Finalize, DeterministicBits) {
  FinalizeCase f = finalize_case(shape(32, 2048, 768), 300, 8);
  f.c.gemm.finalize = moe::Finalize::deterministic;
  std::vector<float> first;
  for (int i = 0; i < 8; ++i) {
    f.c.out.fill(0);
    run(f.c.gemm);
    const std::vector<float> now = f.c.out.host();
    if (i == 0) first = now;
    EXPECT_EQ(std::memcmp(first.data(), now.data(), now.size() * sizeof(float)), 0) << "run " << i;
  }
}

}  // namespace
}  // namespace tilefit::gpu_test
