// SPDX-License-Identifier: Apache-2.0
// Building and asking the tree of a C++ name.
#include "tilefit/read/type_tree.h"

#include <algorithm>
#include <charconv>

namespace tilefit {
namespace {

bool wraps(TypeKind kind) {
  return kind == TypeKind::pointer || kind == TypeKind::lvalue_reference ||
         kind == TypeKind::rvalue_reference || kind == TypeKind::qualified ||
         kind == TypeKind::tagged || kind == TypeKind::expansion;
}

}  // namespace

NodeId TypeTree::add(TypeKind kind, std::string_view text, std::span<const NodeId> children) {
  int depth = 0;
  for (const NodeId child : children) {
    if (child == kNoNode && kind != TypeKind::function && kind != TypeKind::encoding)
      return kNoNode;
    if (child != kNoNode) depth = std::max(depth, nodes_[child].depth + 1);
  }
  if (depth > kMaxDepth) return kNoNode;
  TypeNode node{.kind = kind, .text = text};
  node.depth = static_cast<std::uint16_t>(depth);
  node.first = static_cast<std::uint32_t>(kids_.size());
  node.count = static_cast<std::uint32_t>(children.size());
  kids_.insert(kids_.end(), children.begin(), children.end());
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId TypeTree::scoped(NodeId entity, NodeId scope) {
  if (entity == kNoNode || scope == kNoNode) return entity;
  const TypeNode node = nodes_[entity];
  if (node.kind == TypeKind::tagged) {
    return add(TypeKind::tagged, node.text, {scoped(kids_[node.first], scope)});
  }
  if (node.kind == TypeKind::lambda || node.kind == TypeKind::unnamed) {
    return add(TypeKind::local, "", {scope, entity});
  }
  if (node.count == 0) return add(node.kind, node.text, {scope});
  return add(node.kind, node.text, {kids_[node.first], scope});
}

void TypeTree::clear() {
  nodes_.clear();
  kids_.clear();
  root = kNoNode;
}

std::span<const NodeId> TypeTree::children(NodeId id) const {
  const TypeNode& node = nodes_[id];
  return std::span(kids_).subspan(node.first, node.count);
}

NodeId TypeTree::bare(NodeId id) const {
  while (has(id) && wraps(nodes_[id].kind)) id = kids_[nodes_[id].first];
  return id;
}

std::string_view TypeTree::last_name(NodeId id) const {
  while (has(id)) {
    const TypeNode& node = nodes_[id];
    switch (node.kind) {
      case TypeKind::name:
        return node.text;
      case TypeKind::instance:
      case TypeKind::encoding:
      case TypeKind::tagged:
        id = kids_[node.first];
        break;
      case TypeKind::local:
        id = kids_[node.first + 1];
        break;
      default:
        return {};
    }
  }
  return {};
}

NodeId TypeTree::scope(NodeId id) const {
  while (has(id)) {
    const TypeNode& node = nodes_[id];
    switch (node.kind) {
      case TypeKind::name:
        return node.count == 0 ? kNoNode : kids_[node.first];
      case TypeKind::instance:
      case TypeKind::encoding:
      case TypeKind::tagged:
        id = kids_[node.first];
        break;
      case TypeKind::local:
        return kids_[node.first];
      default:
        return kNoNode;
    }
  }
  return kNoNode;
}

void TypeTree::flatten(NodeId id, std::vector<NodeId>& out) const {
  if (nodes_[id].kind != TypeKind::pack) {
    out.push_back(id);
    return;
  }
  for (const NodeId child : children(id)) {
    if (out.size() >= kMaxArguments) return;  // packs of packs can double at each step
    flatten(child, out);
  }
}

std::vector<NodeId> TypeTree::arguments(NodeId id) const {
  std::vector<NodeId> out;
  if (has(id) && nodes_[id].kind == TypeKind::encoding) id = kids_[nodes_[id].first];
  if (!has(id) || nodes_[id].kind != TypeKind::instance) return out;
  for (const NodeId child : children(id).subspan(1)) flatten(child, out);
  return out;
}

std::optional<std::int64_t> TypeTree::integer(NodeId id) const {
  if (!has(id) || nodes_[id].kind != TypeKind::literal) return std::nullopt;
  const std::string_view text = nodes_[id].text;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return nodes_[id].negative ? -value : value;
}

}  // namespace tilefit
