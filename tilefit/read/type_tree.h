// SPDX-License-Identifier: Apache-2.0
// TypeTree: a C++ name taken apart, whichever way it was spelled. Both readers of names (mangled.h,
// demangled.h) build it, kernel_name.h asks it questions. Nodes may be shared (a mangled name
// refers back to parts it has named before), so a tree is small where its text would be long. Texts
// point into the symbol that was parsed: it outlives the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilefit {

enum class TypeKind : std::uint8_t {
  name,       // identifier `text`; children: [scope] or none
  instance,   // template arguments applied: [base, arguments...]
  pack,       // several template arguments as one: [arguments...]
  parameter,  // a template parameter ("T_", "T0_" ..) of the encoding it is printed in
  literal,    // value `text` of the type [type]; `negative` holds its sign
  pointer,    // [pointee], so the two references
  lvalue_reference,
  rvalue_reference,
  qualified,  // [type] with const / volatile / restrict / vendor qualifier in `text`
  function,   // [result or none, parameters...]; `text` holds trailing qualifiers
  encoding,   // a function or object with its signature: [name, result or none, parameters...]
  array,      // [element] or [element, dimension expression]; `text` holds a constant dimension
  member_pointer,  // [class, member type]
  conversion,      // operator of [type]: [type] or [type, scope]
  structor,        // constructor or destructor ("~" in `text`) of [scope] or [scope, spelled as]
  local,           // an entity inside a function: [function encoding, entity]
  lambda,          // closure type number `text`: [parameters...]
  unnamed,         // unnamed type number `text`
  tagged,          // ABI tag `text` on [name]
  special,         // vtables, guards ..: phrase `text`, then [what]
  expansion,       // pack expansion of [pattern]
  expression,      // operator spelled `text` applied to [operands...]
  opaque,          // text that was skipped, not understood
};

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffff;

struct TypeNode {
  TypeKind kind = TypeKind::opaque;
  bool negative = false;    // of a literal
  std::uint16_t depth = 0;  // longest way down to a leaf
  std::uint32_t first = 0;  // children are kids[first .. first + count)
  std::uint32_t count = 0;
  std::string_view text;
};

class TypeTree {
 public:
  /// Deeper nodes are refused, so that whoever walks a tree needs a bounded stack.
  static constexpr int kMaxDepth = 400;
  /// More template arguments than this are cut off by arguments().
  static constexpr std::size_t kMaxArguments = 4096;

  NodeId root = kNoNode;

  /// kNoNode if the node would be deeper than kMaxDepth or a child is missing.
  NodeId add(TypeKind kind, std::string_view text, std::span<const NodeId> children = {});
  NodeId add(TypeKind kind, std::string_view text, std::initializer_list<NodeId> children) {
    return add(kind, text, std::span(children.begin(), children.size()));
  }
  void negate(NodeId literal) { nodes_[literal].negative = true; }
  /// Puts `scope` around a `name`, `conversion` or `structor` that was built without one.
  NodeId scoped(NodeId entity, NodeId scope);
  void clear();

  bool has(NodeId id) const { return id < nodes_.size(); }
  const TypeNode& operator[](NodeId id) const { return nodes_[id]; }
  std::span<const NodeId> children(NodeId id) const;
  std::size_t size() const { return nodes_.size(); }

  /// The node without qualifiers, references, pointers or ABI tags around it.
  NodeId bare(NodeId id) const;
  /// Last identifier of a (possibly scoped, possibly templated) name; "" for anything else.
  std::string_view last_name(NodeId id) const;
  /// The scope that a name stands in; kNoNode at the top.
  NodeId scope(NodeId id) const;
  /// Template arguments of an instance, packs flattened; empty for anything else.
  std::vector<NodeId> arguments(NodeId id) const;
  /// Value of an integer, bool or enumerator literal.
  std::optional<std::int64_t> integer(NodeId id) const;

 private:
  void flatten(NodeId id, std::vector<NodeId>& out) const;

  std::vector<TypeNode> nodes_;
  std::vector<NodeId> kids_;
};

}  // namespace tilefit
