// SPDX-License-Identifier: Apache-2.0
// The printer behind type_text(). C++ declarators grow on both sides of a name, so a type is
// printed in two halves: left() what stands before the declared name, right() what follows it.
#pragma once

#include <string>
#include <string_view>

#include "tilefit/read/type_text.h"
#include "tilefit/read/type_tree.h"

namespace tilefit::type_printer {

// What template parameters stand for: the arguments of the innermost encoding. A back-reference can
// carry a parameter from one encoding into another, so only the place of printing decides.
struct Context {
  NodeId arguments = kNoNode;  // the instance that names the encoding
  const Context* outer = nullptr;
  int pack_index = -1;     // which element a pack stands for, inside an expansion
  bool in_lambda = false;  // parameters of a generic lambda are its own
};

struct View {
  NodeId id = kNoNode;
  const Context* context = nullptr;
};

class Printer {
 public:
  explicit Printer(const TypeTree& tree) : tree_(tree) {}

  void print(View view) {
    left(view);
    right(view);
  }
  std::string take() { return std::move(out_); }

 private:
  void left(View view);
  void left_composite(View view);
  void right(View view);
  void name(View view);
  void instance(View view);
  void encoding(View view);
  void signature(View view, const Context& context);
  void literal(View view);
  void expression(View view);
  void address(View function);
  void local(View view);
  void closure(View view);
  void lead_reference(TypeKind kind, View referred);
  void lead_indirection(View pointee, std::string_view mark);
  void list(View parent, std::size_t from);
  void item(View view);
  void expansion(View pattern);
  void qualifiers(std::string_view codes);
  void put(std::string_view text);
  void stop() { put(std::string(kMaxNameText, '.')); }

  const TypeNode& node(View view) const { return tree_[view.id]; }
  std::size_t count(View view) const { return tree_.children(view.id).size(); }
  View child(View view, std::size_t i) const { return {tree_.children(view.id)[i], view.context}; }
  bool declares_right(View view) const;
  bool is_reference(View view) const;
  View resolved(View view) const;
  View argument_of(View parameter) const;
  View parameter_in(View view, int& budget) const;
  Context inside(View encoding) const;

  // Sharing can make a small tree print for very long, or deeply; no real name comes near these.
  static constexpr int kMaxSteps = 1 << 20;
  static constexpr int kMaxPrintDepth = 1000;

  const TypeTree& tree_;
  std::string out_;
  std::string separator_;  // owed before the next item of the innermost list that prints anything
  int steps_ = 0, depth_ = 0;
  bool full_ = false;
};

}  // namespace tilefit::type_printer
