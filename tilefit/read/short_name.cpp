// SPDX-License-Identifier: Apache-2.0
// Folding template noise out of kernel names.
#include "tilefit/read/short_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilefit/read/cute_types.h"
#include "tilefit/read/type_text.h"

namespace tilefit {
namespace {

// Functions that only carry a kernel as their first template argument.
constexpr std::array<std::string_view, 3> kCarriers{"device_kernel", "Kernel", "Kernel2"};
constexpr int kMaxWrappers = 8;

bool starts_with_enable(std::string_view name) { return name.starts_with("enable_"); }

/// The node that names the kernel: behind carriers and "enable_.." wrappers.
NodeId kernel_node(const TypeTree& tree) {
  NodeId id = tree.root;
  if (tree.has(id) && tree[id].kind == TypeKind::encoding) id = tree.children(id)[0];
  for (int i = 0; i < kMaxWrappers; ++i) {
    const std::string_view name = tree.last_name(id);
    const bool carries = std::find(kCarriers.begin(), kCarriers.end(), name) != kCarriers.end();
    const std::vector<NodeId> arguments = tree.arguments(id);
    if ((!carries && !starts_with_enable(name)) || arguments.empty()) break;
    if (tree.last_name(arguments[0]).empty()) break;
    id = arguments[0];
  }
  return id;
}

class Folder {
 public:
  Folder(const TypeTree& tree, int depth, std::size_t limit)
      : tree_(tree), max_depth_(depth), limit_(limit) {}
  std::string fold(NodeId id) {
    path(id, 0);
    return std::move(out_);
  }

 private:
  void path(NodeId id, int depth);
  void arguments(NodeId id, int depth);
  void list(const std::vector<NodeId>& items, int depth);
  void node(NodeId id, int depth);
  void composite(NodeId id, int depth);

  // Shared nodes make small trees large; no name that is worth reading comes near this.
  static constexpr int kMaxSteps = 4096;
  const TypeTree& tree_;
  const int max_depth_;
  const std::size_t limit_;
  int steps_ = 0;
  std::string out_;
};

bool is_noise(std::string_view part) {
  return part.empty() || part.starts_with("(anonymous") || part.starts_with("_INTERNAL_") ||
         part.starts_with("_GLOBAL_");
}

// Namespaces and classes around a name, without those that only make it unique.
void Folder::path(NodeId id, int depth) {
  if (depth > 32 || ++steps_ > kMaxSteps || !tree_.has(id)) return;
  if (tree_[id].kind == TypeKind::encoding) id = tree_.children(id)[0];
  path(tree_.scope(id), depth + 1);
  std::string_view part = tree_.last_name(id);
  if (part.empty() && tree_[id].kind == TypeKind::local) part = "lambda";
  if (is_noise(part)) return;
  if (!out_.empty()) out_ += "::";
  out_ += part;
  arguments(id, 0);
}

void Folder::list(const std::vector<NodeId>& items, int depth) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out_ += ',';
    if (steps_ > kMaxSteps || out_.size() > limit_) {
      out_ += "..";
      return;
    }
    node(items[i], depth);
  }
}

void Folder::arguments(NodeId id, int depth) {
  const std::vector<NodeId> items = tree_.arguments(id);
  if (items.empty()) return;
  if (depth >= max_depth_) {
    out_ += "<..>";
    return;
  }
  out_ += '<';
  list(items, depth + 1);
  out_ += '>';
}

void Folder::node(NodeId id, int depth) {
  if (++steps_ > kMaxSteps || !tree_.has(id)) return;
  if (tree_[id].kind == TypeKind::literal) {
    const NodeId of = tree_.children(id)[0];
    const bool is_bool = tree_[of].kind == TypeKind::name && tree_[of].text == "bool";
    if (is_bool)
      out_ += tree_[id].text == "0" ? "false" : "true";
    else
      (out_ += tree_[id].negative ? "-" : "") += tree_[id].text;
    return;
  }
  if (const auto constant = cute_constant(tree_, id)) {
    out_ += std::to_string(*constant);
    return;
  }
  const bool named = tree_[id].kind == TypeKind::name || tree_[id].kind == TypeKind::instance;
  if (const ElementType* element = named ? element_type(tree_, id) : nullptr) {
    out_ += element->short_name;
    return;
  }
  const std::string_view name = tree_.last_name(id);
  if (name == "tuple" && tree_[id].kind == TypeKind::instance) {
    out_ += '(';
    list(tree_.arguments(id), depth);
    out_ += ')';
  } else if (name == "Layout" || name == "ComposedLayout" || name == "Underscore") {
    out_ += name == "Underscore" ? "_" : name;
  } else if (!name.empty()) {
    out_ += name;
    arguments(id, depth);
  } else {
    composite(id, depth);
  }
}

void Folder::composite(NodeId id, int depth) {
  const std::span<const NodeId> kids = tree_.children(id);
  switch (tree_[id].kind) {
    case TypeKind::pointer:
      node(kids[0], depth);
      out_ += '*';
      break;
    case TypeKind::lvalue_reference:
    case TypeKind::rvalue_reference:
    case TypeKind::qualified:
    case TypeKind::expansion:
      node(kids[0], depth);
      break;
    case TypeKind::local:
      out_ += tree_.last_name(kids[0]);
      out_ += "::lambda";
      break;
    case TypeKind::lambda:
      out_ += "lambda";
      break;
    case TypeKind::function:
      out_ += "function";
      break;
    case TypeKind::opaque:
    case TypeKind::expression:
    default:
      out_ += "..";
      break;
  }
}

struct OperandsNameRow {
  std::string_view element, scale;
  int scale_vector;
  std::string_view name;
};

// Pairs of one element type that have a name of their own.
constexpr std::array kOperandsNames{
    OperandsNameRow{"e2m1", "ue4m3", 16, "nvfp4"},
    OperandsNameRow{"e2m1", "ue8m0", 32, "mxfp4"},
    OperandsNameRow{"e4m3", "ue8m0", 32, "mxfp8"},
};

std::string_view scaled_name(std::string_view element, const NamedGemm& gemm) {
  for (const OperandsNameRow& row : kOperandsNames) {
    if (row.element == element && row.scale == gemm.scale &&
        row.scale_vector == gemm.scale_vector) {
      return row.name;
    }
  }
  return element;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return out;
}

std::string operands_name(const NamedGemm& gemm) {
  const std::string_view a = scaled_name(gemm.a.element, gemm),
                         b = scaled_name(gemm.b.element, gemm);
  std::string name = printable(a);
  if (a != b) name += "x" + printable(b);
  if (gemm.mainloop != nullptr && gemm.mainloop->form == NamedForm::blockwise) name += " blockwise";
  return name;
}

std::string short_name(const TypeTree& tree) {
  const NodeId id = kernel_node(tree);
  std::string out;
  for (const int depth : {3, 2, 1}) {
    out = printable(Folder(tree, depth, kMaxNameText).fold(id));
    if (out.size() <= kShortNameBytes) return out;
  }
  out = printable(Folder(tree, 1, kShortNameBytes / 2).fold(id));
  if (out.size() > 2 * kShortNameBytes) out = out.substr(0, 2 * kShortNameBytes) + "..";
  return out;
}

std::string short_name(const CutlassName& name) {
  const NamedGemm& g = name.gemm;
  std::string out = fmt::format("cutlass {}", name.grouped ? "grouped" : "dense");
  if (name.arch > 0) out += fmt::format(" sm{}", name.arch);
  if (!g.a.element.empty()) out += " " + operands_name(g);
  if (g.m > 0) out += fmt::format(" {}x{}x{}", g.m, g.n, g.k);
  if (g.two_sm()) out += " 2sm";
  if (g.cluster.dynamic)
    out += " c-dynamic";
  else if (g.cluster.m * g.cluster.n * g.cluster.k > 1)
    out += fmt::format(" c{}x{}x{}", g.cluster.m, g.cluster.n, g.cluster.k);
  if (g.stages > 0) out += fmt::format(" s{}", g.stages);
  if (g.schedule == NamedSchedule::pingpong) out += " pingpong";
  if (!name.fusion.empty()) out += " " + printable(name.fusion);
  if (!name.output.empty()) out += " " + printable(name.output);
  return out;
}

}  // namespace tilefit
