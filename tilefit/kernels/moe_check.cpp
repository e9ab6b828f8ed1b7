// SPDX-License-Identifier: Apache-2.0
// Checks of a grouped GEMM's arguments, and the sizes that follow from them. No device needed.
#include <cstdint>
#include <limits>
#include <string>

#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

constexpr std::int64_t kMaxRows = std::numeric_limits<std::int32_t>::max() / 2;

Error wrong(std::string what, std::string where, std::string fix) {
  return Error{std::move(what), std::move(where), std::move(fix)};
}

bool aligned(const void* p, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
}

/// A pointer that a kernel will follow: what it is, and the alignment that its copies need.
struct Pointer {
  const void* value;
  const char* name;
  std::uintptr_t align;
};

Result<Done> check_pointer(const Pointer& p) {
  if (p.value == nullptr) return wrong("null pointer", p.name, "pass the tensor's address");
  if (!aligned(p.value, p.align))
    return wrong("address is not a multiple of " + std::to_string(p.align) + " bytes", p.name,
                 "align the tensor, or copy it");
  return Done{};
}

bool is_16bit(Dtype t) { return t == Dtype::bf16 || t == Dtype::fp16; }
bool is_output(Dtype t) { return is_16bit(t) || t == Dtype::f32; }

Result<Done> check_weights(const Weights& w) {
  const auto size = [](int v, int unit) { return v > 0 && v <= (1 << 24) && v % unit == 0; };
  if (w.experts < 1 || w.experts > sm90_w4a16::kMaxExperts)
    return wrong("experts is " + std::to_string(w.experts), "weights.experts",
                 "1 to " + std::to_string(sm90_w4a16::kMaxExperts) + " experts a launch");
  if (!size(w.n, 8))
    return wrong("n is " + std::to_string(w.n), "weights.n", "a positive multiple of 8");
  if (!size(w.k, sm90_w4a16::kScaleVector))
    return wrong("k is " + std::to_string(w.k), "weights.k", "a positive multiple of 16");
  if (w.split < 1 || w.split > w.n)
    return wrong("split is " + std::to_string(w.split), "weights.split",
                 "1 to n; n when an expert has one global scale");
  if (!is_16bit(w.activation))
    return wrong("no kernel for activations of type " + std::string(name(w.activation)),
                 "weights.activation", "bf16 or fp16");
  return Done{};
}

Result<Done> check_stride(std::int64_t stride, int columns, const char* where) {
  if (stride < columns || stride % 8 != 0 || stride > (std::int64_t{1} << 30))
    return wrong("row stride is " + std::to_string(stride), where,
                 "a multiple of 8, at least " + std::to_string(columns));
  return Done{};
}

std::int64_t rows_of_a(const Gemm& g) {
  return g.layout == RowLayout::masked ? g.max_rows * g.weights.experts : g.total_rows;
}

Result<Done> check_rows(const Gemm& g) {
  const bool masked = g.layout == RowLayout::masked;
  const std::int64_t given = masked ? g.max_rows : g.total_rows;
  const std::int64_t limit = masked ? kMaxRows / g.weights.experts : kMaxRows;
  const char* field = masked ? "max_rows" : "total_rows";
  if (given < 0 || given > limit)
    return wrong(std::to_string(given) + " rows", field, "0 to " + std::to_string(limit));
  if (g.expected_rows < 0)
    return wrong("expected_rows is " + std::to_string(g.expected_rows), "expected_rows",
                 "rows per expert, or 0 for an even spread");
  return Done{};
}

Result<Done> check_finalize(const Gemm& g) {
  if (g.finalize == Finalize::none) return Done{};
  if (g.tokens < 0 || g.tokens > kMaxRows)
    return wrong(std::to_string(g.tokens) + " tokens", "tokens", "rows of out");
  for (const Pointer& p : {Pointer{g.row_token, "row_token", 4}, {g.row_weight, "row_weight", 4}})
    if (auto ok = check_pointer(p); !ok) return ok;
  if (g.finalize == Finalize::atomic) return Done{};
  if (g.top_k < 1 || g.top_k > 64)
    return wrong("top_k is " + std::to_string(g.top_k), "top_k", "1 to 64 rows a token");
  if (auto ok = check_pointer({g.token_rows, "token_rows", 4}); !ok) return ok;
  return check_pointer({g.workspace, "workspace", 16});
}

}  // namespace

Result<Bytes> packed_bytes(const Weights& shape) {
  if (auto ok = check_weights(shape); !ok) return ok.error();
  return packed_sm90::Shape{shape.experts, shape.n, shape.k}.total();
}

Result<Bytes> workspace_bytes(const Gemm& gemm) {
  if (auto ok = check_weights(gemm.weights); !ok) return ok.error();
  if (auto ok = check_rows(gemm); !ok) return ok.error();
  if (gemm.finalize != Finalize::deterministic) return Bytes{0};
  return rows_of_a(gemm) * gemm.weights.n * bits(gemm.out_type) / 8;
}

Result<Done> check(const Gemm& g) {
  if (auto ok = check_weights(g.weights); !ok) return ok;
  if (!is_output(g.out_type))
    return wrong("no kernel for output of type " + std::string(name(g.out_type)), "out_type",
                 "bf16, fp16 or f32");
  if (g.bias != nullptr && !is_output(g.bias_type))
    return wrong("no kernel for a bias of type " + std::string(name(g.bias_type)), "bias_type",
                 "bf16, fp16 or f32");
  if (auto ok = check_rows(g); !ok) return ok;
  if (auto ok = check_stride(g.a_stride, g.weights.k, "a_stride"); !ok) return ok;
  if (auto ok = check_stride(g.out_stride, g.weights.n, "out_stride"); !ok) return ok;
  for (const Pointer& p : {Pointer{g.weights.packed, "weights.packed", 128},
                           {g.a, "a", 16},
                           {g.rows, "rows", 4},
                           {g.out, "out", 16}})
    if (auto ok = check_pointer(p); !ok) return ok;
  if (g.tile_row < -1 || g.tile_row >= static_cast<int>(sm90_w4a16::kRows.size()))
    return wrong("tile_row is " + std::to_string(g.tile_row), "tile_row",
                 "a row of sm90_w4a16::kRows, or -1 to let the heuristic choose");
  return check_finalize(g);
}

}  // namespace tilefit::moe
