// SPDX-License-Identifier: Apache-2.0
// The recursive-descent parser behind parse_demangled(): types and names in demangled.cpp, the
// parts of names that C++ has no identifiers for in demangled_part.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "tilefit/read/type_tree.h"

namespace tilefit {

class DemangledParser {
 public:
  DemangledParser(std::string_view input, TypeTree& tree) : in_(input), tree_(tree) {}

  /// Result, name and parameters of a kernel, or just a name.
  NodeId encoding();
  bool at_end() {
    skip_spaces();
    return pos_ >= in_.size();
  }
  std::size_t position() const { return pos_; }
  std::string_view why() const { return why_; }

 private:
  // types
  NodeId type();
  NodeId type_suffix(NodeId node);
  NodeId function_suffix(NodeId result);
  NodeId array_suffix(NodeId element);
  NodeId builtin();
  NodeId argument();
  bool list_until(char close, std::vector<NodeId>& out);

  // names
  NodeId name();
  NodeId part(NodeId scope);
  NodeId template_arguments(NodeId base);
  NodeId enclosing_function(NodeId node);
  NodeId tags(NodeId node);
  std::string_view identifier();
  std::string_view operator_text();
  std::string_view unnamed_part();

  // values
  NodeId literal();
  NodeId number(std::string_view type_name);
  NodeId cast_literal();
  NodeId opaque_argument();
  bool skip_balanced(std::string_view stops);

  // characters
  char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < in_.size() ? in_[pos_ + ahead] : '\0';
  }
  bool starts_with(std::string_view text) const { return in_.substr(pos_).starts_with(text); }
  bool take(std::string_view text) {
    skip_spaces();
    if (!starts_with(text)) return false;
    pos_ += text.size();
    return true;
  }
  bool take_word(std::string_view word);
  void skip_spaces() {
    while (pos_ < in_.size() && in_[pos_] == ' ') ++pos_;
  }
  std::string_view qualifier_words();
  NodeId fail(const char* why) {
    if (why_.empty()) why_ = why;
    return kNoNode;
  }
  bool too_deep() const { return depth_ > kMaxDepth; }

  // One argument inside another costs several levels of calls here.
  static constexpr int kMaxDepth = 250;

  struct Level {
    explicit Level(DemangledParser& parser) : depth(parser.depth_) { ++depth; }
    ~Level() { --depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth;
  };

  std::string_view in_;
  std::size_t pos_ = 0;
  TypeTree& tree_;
  int depth_ = 0;
  std::string_view why_;
};

}  // namespace tilefit
