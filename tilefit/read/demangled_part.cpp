// SPDX-License-Identifier: Apache-2.0
// Parts of demangled names: identifiers, operators, lambdas, anonymous things, literals.
#include <array>

#include "tilefit/read/demangled_parser.h"

namespace tilefit {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

char closer(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '\0'; }

// Longest first, so that "<<=" is not read as "<".
constexpr std::array<std::string_view, 40> kOperators{
    "()", "[]", "->*", "<=>", "<<=", ">>=", "new[]", "delete[]", "->",     "++",
    "--", "&&", "||",  "<<",  ">>",  "<=",  ">=",    "==",       "!=",     "+=",
    "-=", "*=", "/=",  "%=",  "&=",  "|=",  "^=",    "new",      "delete", "+",
    "-",  "*",  "/",   "%",   "&",   "|",   "^",     "~",        "!",      "=",
};

struct NumberSuffix {
  std::string_view suffix, type;
};

constexpr std::array kNumberSuffixes{
    NumberSuffix{"ull", "unsigned long long"},
    NumberSuffix{"ul", "unsigned long"},
    NumberSuffix{"ll", "long long"},
    NumberSuffix{"u", "unsigned int"},
    NumberSuffix{"l", "long"},
    NumberSuffix{"", "int"},
};

// How demanglers name the unnamed; all mean the same.
constexpr std::array<std::string_view, 4> kAnonymous{
    "(anonymous namespace)",
    "<unnamed>",
    "{anonymous}",
    "`anonymous namespace'",
};

}  // namespace

std::string_view DemangledParser::identifier() {
  const std::size_t begin = pos_;
  if (peek() == '~') ++pos_;
  while (in_identifier(peek())) ++pos_;
  return in_.substr(begin, pos_ - begin);
}

std::string_view DemangledParser::operator_text() {
  const std::size_t begin = pos_;
  pos_ += std::string_view("operator").size();
  if (peek() == ' ') ++pos_;
  for (const std::string_view row : kOperators) {
    if (!starts_with(row)) continue;
    pos_ += row.size();
    return in_.substr(begin, pos_ - begin);
  }
  if (peek() == '<' || peek() == '>' || peek() == ',') {
    ++pos_;
    return in_.substr(begin, pos_ - begin);
  }
  return type() == kNoNode ? std::string_view() : in_.substr(begin, pos_ - begin);
}

// {lambda(int)#1}, [lambda(int) (instance 1)], 'lambda'(int), {unnamed type#1}: kept as a text.
std::string_view DemangledParser::unnamed_part() {
  const std::size_t begin = pos_;
  const char open = peek();
  if (open == '{' || open == '[') {
    ++pos_;
    const char close = closer(open);
    if (!skip_balanced(std::string_view(&close, 1))) return {};
    ++pos_;
  } else if (open == '\'') {
    ++pos_;
    while (pos_ < in_.size() && peek() != '\'') ++pos_;
    if (pos_ >= in_.size()) return {};
    ++pos_;
    if (peek() == '(') {
      ++pos_;
      if (!skip_balanced(")")) return {};
      ++pos_;
    }
  }
  return in_.substr(begin, pos_ - begin);
}

NodeId DemangledParser::part(NodeId scope) {
  std::string_view text;
  for (const std::string_view row : kAnonymous) {
    if (!text.empty() || !starts_with(row)) continue;
    pos_ += row.size();
    text = kAnonymous[0];
  }
  if (!text.empty()) {
  } else if (starts_with("operator") && !in_identifier(peek(8))) {
    text = operator_text();
  } else if (starts_with("decltype(") || starts_with("decltype (")) {
    const std::size_t begin = pos_;
    pos_ = in_.find('(', pos_) + 1;
    if (!skip_balanced(")")) return fail("a decltype without its end");
    ++pos_;
    text = in_.substr(begin, pos_ - begin);
  } else if (peek() == '{' || peek() == '[' || peek() == '\'') {
    text = unnamed_part();
  } else if (in_identifier(peek()) || peek() == '~') {
    text = identifier();
  }
  if (text.empty() || text == "~") return fail("a name was expected");
  if (scope == kNoNode) return tree_.add(TypeKind::name, text);
  if (tree_[scope].kind == TypeKind::encoding) {
    return tree_.add(TypeKind::local, "", {scope, tree_.add(TypeKind::name, text)});
  }
  return tree_.add(TypeKind::name, text, {scope});
}

NodeId DemangledParser::tags(NodeId node) {
  while (node != kNoNode && starts_with("[abi:")) {
    pos_ += 5;
    const std::string_view tag = identifier();
    if (tag.empty() || peek() != ']') return fail("an unreadable ABI tag");
    ++pos_;
    node = tree_.add(TypeKind::tagged, tag, {node});
  }
  return node;
}

NodeId DemangledParser::template_arguments(NodeId base) {
  const Level level(*this);
  if (too_deep()) return fail("nested too deeply");
  ++pos_;  // <
  std::vector<NodeId> parts{base};
  if (!list_until('>', parts)) return kNoNode;
  return tree_.add(TypeKind::instance, "", parts);
}

// "f(int) const::" in front of something that lives inside f; anything else is left alone.
NodeId DemangledParser::enclosing_function(NodeId node) {
  const std::size_t before = pos_;
  ++pos_;  // (
  std::size_t end = pos_;
  {
    const std::size_t begin = pos_;
    if (!skip_balanced(")")) {
      pos_ = before;
      return node;
    }
    end = pos_ + 1;
    pos_ = end;
    qualifier_words();
    skip_spaces();
    const bool encloses = starts_with("::");
    pos_ = begin;
    if (!encloses) {
      pos_ = before;
      return node;
    }
  }
  std::vector<NodeId> parts{node, kNoNode};
  if (!list_until(')', parts)) return kNoNode;
  return tree_.add(TypeKind::encoding, qualifier_words(), parts);
}

NodeId DemangledParser::name() {
  const Level level(*this);
  if (too_deep()) return fail("nested too deeply");
  take("::");
  skip_spaces();
  NodeId node = kNoNode;
  for (;;) {
    node = tags(part(node));
    if (node == kNoNode) return node;
    const std::size_t after = pos_;
    skip_spaces();
    if (peek() == '<' && !starts_with("<unnamed>")) {
      node = template_arguments(node);
      if (node == kNoNode) return node;
    } else {
      pos_ = after;
    }
    if (peek() == '(') {
      node = enclosing_function(node);
      if (node == kNoNode) return node;
    }
    if (!starts_with("::") || peek(2) == '*') return node;
    pos_ += 2;
  }
}

NodeId DemangledParser::number(std::string_view type_name) {
  const bool negative = take("-");
  const std::size_t begin = pos_;
  while (is_digit(peek())) ++pos_;
  const std::string_view digits = in_.substr(begin, pos_ - begin);
  if (digits.empty()) return kNoNode;
  if (type_name.empty()) {
    for (const NumberSuffix& row : kNumberSuffixes) {
      if (!starts_with(row.suffix) || in_identifier(peek(row.suffix.size()))) continue;
      pos_ += row.suffix.size();
      type_name = row.type;
      break;
    }
  }
  if (type_name.empty() || in_identifier(peek())) return kNoNode;
  const NodeId node = tree_.add(TypeKind::literal, digits, {tree_.add(TypeKind::name, type_name)});
  if (negative && node != kNoNode) tree_.negate(node);
  return node;
}

// "(int)4", "(cute::UMMA::Major)0"
NodeId DemangledParser::cast_literal() {
  const std::size_t before = pos_;
  if (!take("(") || starts_with("anonymous namespace)")) return kNoNode;
  // Only a value may follow, so look at what does before the type is read: reading it twice would
  // double the work at each level.
  if (!skip_balanced(")")) return kNoNode;
  const char next = peek(1);
  if (next != '-' && !is_digit(next)) return kNoNode;
  pos_ = before + 1;
  const NodeId of = type();
  if (of == kNoNode || !take(")")) return kNoNode;
  const NodeId value = number("int");
  if (value == kNoNode) return value;
  const NodeId node = tree_.add(TypeKind::literal, tree_[value].text, {of});
  if (tree_[value].negative && node != kNoNode) tree_.negate(node);
  return node;
}

NodeId DemangledParser::literal() {
  const char c = peek();
  NodeId node = kNoNode;
  if (c == '-' || is_digit(c)) {
    node = number("");
  } else if (c == '(') {
    node = cast_literal();
  } else if (take_word("true")) {
    node = tree_.add(TypeKind::literal, "1", {tree_.add(TypeKind::name, "bool")});
  } else if (take_word("false")) {
    node = tree_.add(TypeKind::literal, "0", {tree_.add(TypeKind::name, "bool")});
  }
  skip_spaces();
  return peek() == ',' || peek() == '>' || peek() == ')' ? node : kNoNode;
}

// Skips to one of `stops` at this level of brackets. Angle brackets count where they can only be
// template arguments: after an identifier.
bool DemangledParser::skip_balanced(std::string_view stops) {
  std::vector<char> open;
  while (pos_ < in_.size()) {
    const char c = peek();
    if (open.empty() && stops.find(c) != std::string_view::npos) return true;
    if (const char close = closer(c); close != '\0') {
      open.push_back(close);
    } else if (c == '<' && pos_ > 0 && in_identifier(in_[pos_ - 1]) && peek(1) != '=' &&
               peek(1) != '<') {
      open.push_back('>');
    } else if (!open.empty() && c == open.back() && (c != '>' || in_[pos_ - 1] != '-')) {
      open.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      // "a<b)": the bracket was a comparison after all.
      while (!open.empty() && open.back() == '>') open.pop_back();
      if (open.empty()) return stops.find(c) != std::string_view::npos;
      if (open.back() != c) return false;
      open.pop_back();
    }
    ++pos_;
  }
  return false;
}

NodeId DemangledParser::opaque_argument() {
  const std::size_t begin = pos_;
  if (!skip_balanced(",>)") || pos_ == begin) return fail("an argument without its end");
  std::size_t end = pos_;
  while (end > begin && in_[end - 1] == ' ') --end;
  return tree_.add(TypeKind::opaque, in_.substr(begin, end - begin));
}

}  // namespace tilefit
