// SPDX-License-Identifier: Apache-2.0
// The recursive-descent parser behind parse_mangled(); one member function per production of the
// grammar, split over mangled.cpp (names), mangled_type.cpp and mangled_expression.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "tilefit/read/type_tree.h"

namespace tilefit {

/// What an encoding has to know about the name it starts with.
struct MangledName {
  NodeId node = kNoNode;
  bool templated = false;       // ends with template arguments, so a function's result type follows
  bool no_result = false;       // constructors, destructors and conversions have none
  std::string_view qualifiers;  // cv and ref qualifiers of a member function, as mangled
};

class MangledParser {
 public:
  MangledParser(std::string_view input, TypeTree& tree) : in_(input), tree_(tree) {}

  NodeId encoding();
  NodeId type();
  bool at_end() const { return pos_ >= in_.size(); }
  std::size_t position() const { return pos_; }
  std::string_view why() const { return why_; }

 private:
  // Every production that can contain itself opens one of these; too deep is a failure, not a
  // crash.
  class Level {
   public:
    explicit Level(MangledParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool too_deep() const { return parser_.depth_ > TypeTree::kMaxDepth; }

   private:
    MangledParser& parser_;
  };

  // names
  MangledName name();
  MangledName nested_name();
  NodeId nested_step(MangledName& name, NodeId prefix);
  NodeId local_name(MangledName& name);
  NodeId unqualified_name(MangledName& name);
  NodeId source_name();
  NodeId operator_name(MangledName& name);
  NodeId structor_name(NodeId scope);
  NodeId unnamed_type_name();
  NodeId lambda_name();
  bool parameter_declaration();
  NodeId abi_tags(NodeId node);
  NodeId special_name();
  NodeId substitution();
  NodeId standard_substitution(char code);
  NodeId template_arguments(NodeId base);
  NodeId template_argument();
  NodeId template_parameter();
  NodeId bare_function(const MangledName& name);
  void skip_discriminator();
  bool skip_call_offset();

  // types
  NodeId type_without_substitution(bool& candidate);
  NodeId builtin_type();
  NodeId extended_type(bool& candidate);
  NodeId qualified_type();
  NodeId vendor_type(bool& candidate);
  NodeId function_type(std::string_view qualifiers);
  NodeId array_type();
  NodeId vector_type();
  NodeId class_type(bool& candidate);
  NodeId wrap(TypeKind kind);

  // expressions
  NodeId expression();
  NodeId operator_expression(std::string_view code);
  NodeId special_expression(std::string_view code, bool& known);
  NodeId function_parameter();
  NodeId fold_expression();
  NodeId literal();
  NodeId new_expression();
  NodeId unresolved_name();
  NodeId base_unresolved_name();
  NodeId simple_id();
  NodeId expressions_until_e(std::string_view text, NodeId first);

  // characters
  char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < in_.size() ? in_[pos_ + ahead] : '\0';
  }
  std::string_view peek_two() const { return in_.substr(pos_ < in_.size() ? pos_ : in_.size(), 2); }
  bool take(char c) {
    if (peek() != c) return false;
    ++pos_;
    return true;
  }
  bool take(std::string_view text) {
    if (!in_.substr(pos_).starts_with(text)) return false;
    pos_ += text.size();
    return true;
  }
  std::string_view digits();
  bool sequence_id(std::size_t& out, std::size_t base);  // "_" is 0, "0_" is 1
  NodeId fail(const char* why) {
    if (why_.empty()) why_ = why;
    return kNoNode;
  }
  NodeId remember(NodeId node) {
    if (node != kNoNode) substitutions_.push_back(node);
    return node;
  }
  // Children of a node under construction lie on one stack, so that no production allocates.
  std::size_t mark() const { return stack_.size(); }
  bool push(NodeId node) {
    if (node != kNoNode) stack_.push_back(node);
    return node != kNoNode;
  }
  NodeId collect(TypeKind kind, std::string_view text, std::size_t since);

  std::string_view in_;
  std::size_t pos_ = 0;
  TypeTree& tree_;
  std::vector<NodeId> substitutions_;
  std::vector<NodeId> stack_;
  int depth_ = 0;
  std::string_view why_;
};

}  // namespace tilefit
