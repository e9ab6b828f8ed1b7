// SPDX-License-Identifier: Apache-2.0
// Sizes of fusion callbacks. A visitor tree's storage is a cute::tuple of its nodes' storages, in
// which empty ones take no room (sm90_visitor_tma_warpspecialized.hpp).
#include "tilefit/read/fusion_storage.h"

#include <array>
#include <vector>

#include "tilefit/read/cute_types.h"

namespace tilefit {
namespace {

enum class Owns : std::uint8_t { nothing, row, children };

struct VisitorRow {
  std::string_view name;
  Owns owns;
};

// Nodes of epilogue visitor trees (sm90_visitor_{load,compute}_tma_warpspecialized.hpp; the
// ..OrScalar.. ones are vLLM's and PyTorch's variants of the broadcasts).
constexpr std::array kVisitors{
    VisitorRow{"Sm90TreeVisitor", Owns::children},
    VisitorRow{"Sm90AccFetch", Owns::nothing},
    VisitorRow{"Sm90SrcFetch", Owns::nothing},
    VisitorRow{"Sm90Compute", Owns::nothing},
    VisitorRow{"Sm90ScalarBroadcast", Owns::nothing},
    VisitorRow{"Sm90ScalarBroadcastPtrArray", Owns::nothing},
    VisitorRow{"Sm90ColBroadcast", Owns::nothing},
    VisitorRow{"Sm90ColOrScalarBroadcast", Owns::nothing},
    VisitorRow{"Sm90ColOrScalarBroadcastArray", Owns::nothing},
    VisitorRow{"Sm90RowBroadcast", Owns::row},
    VisitorRow{"Sm90RowOrScalarBroadcast", Owns::row},
    VisitorRow{"Sm90RowOrScalarBroadcastArray", Owns::row},
};

struct OperationRow {
  std::string_view name;
  int row_argument;  // which template argument types the broadcast row; -1 = nothing is owned
  bool finalize;
};

// Fusion operations whose callbacks are known. The scatters are the MoE launcher's: the row is the
// bias, or the router weights where A and B are swapped (sm90_visitor_scatter.hpp).
constexpr std::array kOperations{
    OperationRow{"LinearCombination", -1, false},
    OperationRow{"ScaledAccPerColBiasPerRowScaleScatter", 3, true},
    OperationRow{"ScaledAccPerRowBiasPerColScaleScatter", 4, true},
};

struct Box {
  Bytes bytes = 0, align = 1;  // 0 bytes: empty
};

class Sizer {
 public:
  Sizer(const TypeTree& tree, int cta_n) : tree_(tree), cta_n_(cta_n) {}
  Box node(NodeId id, int depth);
  Box row_of(NodeId element);
  const std::string& why() const { return why_; }

 private:
  Box fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return {};
  }
  Box tree_visitor(const std::vector<NodeId>& arguments, int depth);

  static constexpr int kMaxNodes = 512, kMaxNesting = 64;
  const TypeTree& tree_;
  int cta_n_;
  int seen_ = 0;
  std::string why_;
};

Box Sizer::row_of(NodeId element) {
  const ElementType* type = element_type(tree_, element);
  if (type == nullptr || type->bits < 8) return fail("a row of an unknown element type");
  return {round_up(Bytes{cta_n_} * type->bits / 8, 16), 16};
}

// The node operation comes first in the type and last in the tuple.
Box Sizer::tree_visitor(const std::vector<NodeId>& arguments, int depth) {
  if (arguments.empty()) return fail("a visitor tree without nodes");
  Box sum;
  for (std::size_t i = 1; i <= arguments.size(); ++i) {
    const Box part = node(arguments[i % arguments.size()], depth + 1);
    if (part.bytes == 0) continue;
    sum.bytes = round_up(sum.bytes, part.align) + part.bytes;
    sum.align = std::max(sum.align, part.align);
  }
  sum.bytes = round_up(sum.bytes, sum.align);
  return sum;
}

Box Sizer::node(NodeId id, int depth) {
  if (depth > kMaxNesting || ++seen_ > kMaxNodes) return fail("a visitor tree that is too large");
  const std::string_view name = tree_.last_name(id);
  const std::vector<NodeId> arguments = tree_.arguments(id);
  for (const VisitorRow& row : kVisitors) {
    if (row.name != name) continue;
    if (row.owns == Owns::children) return tree_visitor(arguments, depth);
    if (!name.ends_with("Broadcast") && !name.ends_with("BroadcastArray")) return {};
    if (name.starts_with("Sm90Scalar")) return {};
    if (arguments.size() < 3) return fail("a broadcast with fewer arguments than known");
    if (tree_.integer(arguments[0]) != 0) return fail("a broadcast with stages");
    return row.owns == Owns::row ? row_of(arguments[2]) : Box{};
  }
  return fail("the fusion node " + std::string(name.empty() ? "(unnamed)" : name) +
              " is not modelled");
}

}  // namespace

FusionStorage fusion_storage(const TypeTree& tree, NodeId callbacks, int cta_n) {
  FusionStorage out;
  Sizer sizer(tree, cta_n);
  const std::string_view name = tree.last_name(callbacks);
  const std::vector<NodeId> arguments = tree.arguments(callbacks);
  Box box;
  if (name == "FusionCallbacks" && arguments.size() >= 2) {
    out.name = tree.last_name(arguments[1]);
    const std::vector<NodeId> details = tree.arguments(arguments[1]);
    bool known = false;
    for (const OperationRow& row : kOperations) {
      if (row.name != out.name) continue;
      known = true;
      out.finalize = row.finalize;
      if (row.finalize && details.size() > 1) {
        const ElementType* output = element_type(tree, details[1]);
        if (output != nullptr) out.output = output->short_name;
      }
      const auto argument = static_cast<std::size_t>(row.row_argument);
      if (row.row_argument < 0) break;
      if (argument >= details.size())
        out.why = "a fusion with fewer arguments than known";
      else
        box = sizer.row_of(details[argument]);
    }
    if (!known) out.why = "the fusion " + std::string(out.name) + " is not modelled";
  } else {
    out.name = "EVT";
    box = sizer.node(callbacks, 0);
  }
  if (out.why.empty()) out.why = sizer.why();
  if (box.bytes > 0) {
    out.bytes = box.bytes;
    out.align = box.align;
  }
  return out;
}

}  // namespace tilefit
