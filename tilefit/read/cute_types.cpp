// SPDX-License-Identifier: Apache-2.0
// Reading constants, layouts and element types out of a TypeTree.
#include "tilefit/read/cute_types.h"

#include <array>

namespace tilefit {
namespace {

constexpr int kMaxNesting = 16;  // of a shape's modes
constexpr std::int64_t kMaxSize = 1 << 24;

constexpr std::array kElementTypes{
    ElementType{"void", "void", 0},
    ElementType{"float_e2m1_t", "e2m1", 4},
    ElementType{"float_e2m1_unpacksmem_t", "e2m1", 4},
    ElementType{"float_e2m3_t", "e2m3", 6},
    ElementType{"float_e3m2_t", "e3m2", 6},
    ElementType{"float_e4m3_t", "e4m3", 8},
    ElementType{"float_e5m2_t", "e5m2", 8},
    ElementType{"float_ue4m3_t", "ue4m3", 8},
    ElementType{"float_ue8m0_t", "ue8m0", 8},
    ElementType{"__nv_fp8_e4m3", "e4m3", 8},
    ElementType{"__nv_fp8_e5m2", "e5m2", 8},
    ElementType{"Float8_e4m3fn", "e4m3", 8},
    ElementType{"Float8_e5m2", "e5m2", 8},
    ElementType{"bfloat16_t", "bf16", 16},
    ElementType{"__nv_bfloat16", "bf16", 16},
    ElementType{"__nv_bfloat162", "bf16x2", 32},
    ElementType{"BFloat16", "bf16", 16},
    ElementType{"half_t", "fp16", 16},
    ElementType{"__half", "fp16", 16},
    ElementType{"__half2", "fp16x2", 32},
    ElementType{"Half", "fp16", 16},
    ElementType{"tfloat32_t", "tf32", 32},
    ElementType{"float", "f32", 32},
    ElementType{"double", "f64", 64},
    ElementType{"signed char", "s8", 8},
    ElementType{"unsigned char", "u8", 8},
    ElementType{"short", "s16", 16},
    ElementType{"unsigned short", "u16", 16},
    ElementType{"int", "s32", 32},
    ElementType{"unsigned int", "u32", 32},
};

constexpr std::array kSubbyteIntegers{
    ElementType{"integer_subbyte", "int4", 4},
    ElementType{"integer_subbyte", "uint4", 4},
};

// `depth` bounds the walk through shared nodes.
std::optional<std::int64_t> size_of(const TypeTree& tree, NodeId id, int depth) {
  if (depth > kMaxNesting) return std::nullopt;
  if (const auto constant = cute_constant(tree, id)) return *constant;
  const std::string_view name = tree.last_name(id);
  const std::vector<NodeId> arguments = tree.arguments(id);
  if (name == "Layout" && !arguments.empty()) return size_of(tree, arguments[0], depth + 1);
  if (name != "tuple") return std::nullopt;
  std::int64_t product = 1;
  for (const NodeId mode : arguments) {
    const auto size = size_of(tree, mode, depth + 1);
    if (!size || *size <= 0 || product * *size > kMaxSize) return std::nullopt;
    product *= *size;
  }
  return product;
}

}  // namespace

std::optional<int> cute_constant(const TypeTree& tree, NodeId id) {
  std::optional<std::int64_t> value = tree.integer(id);
  if (!value) {
    const std::string_view name = tree.last_name(id);
    const std::vector<NodeId> arguments = tree.arguments(id);
    if (name == "C" && arguments.size() == 1) value = tree.integer(arguments[0]);
    if ((name == "integral_constant" || name == "constant") && arguments.size() == 2) {
      value = tree.integer(arguments[1]);
    }
  }
  if (!value || *value < -kMaxSize || *value > kMaxSize) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<std::vector<int>> cute_constants(const TypeTree& tree, NodeId tuple) {
  if (tree.last_name(tuple) != "tuple") return std::nullopt;
  std::vector<int> out;
  for (const NodeId element : tree.arguments(tuple)) {
    const auto value = cute_constant(tree, element);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

std::optional<int> cute_size(const TypeTree& tree, NodeId shape_or_layout) {
  const auto size = size_of(tree, shape_or_layout, 0);
  return size ? std::optional<int>(static_cast<int>(*size)) : std::nullopt;
}

std::optional<SmemAtom> smem_atom(const TypeTree& tree, NodeId id) {
  if (tree.last_name(id) != "ComposedLayout") return std::nullopt;
  const std::vector<NodeId> parts = tree.arguments(id);
  if (parts.size() < 2 || tree.last_name(parts[0]) != "Swizzle") return std::nullopt;
  const std::vector<NodeId> swizzle = tree.arguments(parts[0]);
  const std::vector<NodeId> flag = tree.arguments(parts[1]);
  if (swizzle.size() != 3 || flag.size() != 1) return std::nullopt;
  const auto bits = cute_constant(tree, flag[0]);
  int shift = 0;  // alignment_for_swizzle: 1 << (B + M + |S|)
  for (const NodeId part : swizzle) {
    const auto value = cute_constant(tree, part);
    if (!value || *value < -16 || *value > 16) return std::nullopt;
    shift += *value < 0 ? -*value : *value;
  }
  if (!bits || *bits <= 0 || *bits > 128 || shift > 16) return std::nullopt;
  return SmemAtom{.bits = *bits, .alignment = Bytes{1} << shift};
}

const ElementType* element_type(const TypeTree& tree, NodeId id) {
  id = tree.bare(id);
  const std::string_view name = tree.last_name(id);
  if (name == "integer_subbyte") {
    const std::vector<NodeId> arguments = tree.arguments(id);
    if (arguments.size() != 2 || tree.integer(arguments[0]) != 4) return nullptr;
    const auto is_signed = tree.integer(arguments[1]);
    return is_signed ? &kSubbyteIntegers[*is_signed != 0 ? 0 : 1] : nullptr;
  }
  for (const ElementType& row : kElementTypes) {
    if (row.type == name) return &row;
  }
  return nullptr;
}

bool is_void(const TypeTree& tree, NodeId id) {
  return tree.has(id) && tree[id].kind == TypeKind::name && tree[id].text == "void";
}

}  // namespace tilefit
