// SPDX-License-Identifier: Apache-2.0
// Values inside CuTe and CUTLASS types: constants, tuples, layouts, swizzles, element types.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tilefit/model/smem_plan.h"
#include "tilefit/read/type_tree.h"

namespace tilefit {

/// cute::C<128>, std::integral_constant<int, 128>, or a plain literal.
std::optional<int> cute_constant(const TypeTree& tree, NodeId id);

/// Elements of a tuple of constants; nothing where one of them is not constant.
std::optional<std::vector<int>> cute_constants(const TypeTree& tree, NodeId tuple);

/// Number of elements of a constant shape: tuples and layouts multiply.
std::optional<int> cute_size(const TypeTree& tree, NodeId shape_or_layout);

/// What a shared-memory layout atom says: ComposedLayout<Swizzle<B, M, S>, smem_ptr_flag_bits<N>,
/// ..>.
struct SmemAtom {
  int bits = 0;         // of an element
  Bytes alignment = 0;  // that the swizzle wants
};
std::optional<SmemAtom> smem_atom(const TypeTree& tree, NodeId id);

struct ElementType {
  std::string_view type;        // as the type is named
  std::string_view short_name;  // as people write it
  int bits = 0;
};

/// The row for an element type; nullptr for one that is not known.
const ElementType* element_type(const TypeTree& tree, NodeId id);

bool is_void(const TypeTree& tree, NodeId id);

}  // namespace tilefit
