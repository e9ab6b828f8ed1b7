// SPDX-License-Identifier: Apache-2.0
// Types and names of the demangled-name reader.
#include "tilefit/read/demangled.h"

#include <array>
#include <string>

#include "tilefit/read/demangled_parser.h"
#include "tilefit/read/mangled.h"

namespace tilefit {
namespace {

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Words that make up arithmetic types, in the spelling that the mangled reader gives them.
constexpr std::array<std::string_view, 20> kBuiltins{
    "unsigned long long",
    "unsigned __int128",
    "unsigned char",
    "unsigned short",
    "unsigned int",
    "unsigned long",
    "signed char",
    "long long",
    "long double",
    "unsigned",
    "long",
    "short",
    "int",
    "char",
    "bool",
    "float",
    "double",
    "void",
    "__int128",
    "wchar_t",
};

struct QualifierCodes {
  bool constant, is_volatile;
  std::string_view reference, codes;
};

// Qualifiers of a member function as the mangled reader spells them.
constexpr std::array kQualifierCodes{
    QualifierCodes{true, false, "", "K"},   QualifierCodes{true, false, "R", "KR"},
    QualifierCodes{true, false, "O", "KO"}, QualifierCodes{false, true, "", "V"},
    QualifierCodes{true, true, "", "VK"},   QualifierCodes{false, false, "R", "R"},
    QualifierCodes{false, false, "O", "O"},
};

}  // namespace

Result<TypeTree> parse_demangled(std::string_view name) {
  if (name.size() > kMaxSymbolBytes) return Error{"a name of more than 1 MiB", "", ""};
  TypeTree tree;
  DemangledParser parser(name, tree);
  tree.root = parser.encoding();
  if (tree.root != kNoNode && parser.at_end()) return tree;
  const bool cut = parser.position() >= name.size() || name.ends_with("...");
  const std::string_view why = cut                    ? "the name is cut off"
                               : parser.why().empty() ? "unexpected text"
                                                      : parser.why();
  return Error{"not a kernel name that can be read: " + std::string(why) + " at character " +
                   std::to_string(parser.position()),
               "", cut ? "give the whole name, or the mangled one" : ""};
}

NodeId DemangledParser::encoding() {
  NodeId result = kNoNode;
  NodeId entity = type();
  if (entity == kNoNode) return entity;
  skip_spaces();
  if (starts_identifier(peek()) || peek() == '(' || peek() == '<') {
    const std::size_t before = pos_;
    if (peek() != '(' || starts_with("(anonymous")) {
      result = entity;
      entity = name();
      if (entity == kNoNode) return fail("a name was expected");
    }
    pos_ = peek() == '(' || result != kNoNode ? pos_ : before;
  }
  skip_spaces();
  NodeId root = entity;
  // type() has taken the parameters along where no result stood in front.
  if (const TypeNode& node = tree_[entity]; result == kNoNode && node.kind == TypeKind::function) {
    const std::span<const NodeId> kids = tree_.children(entity);
    std::vector<NodeId> parts{kids[0], kNoNode};
    parts.insert(parts.end(), kids.begin() + 1, kids.end());
    root = tree_.add(TypeKind::encoding, node.text, parts);
  } else if (take("(")) {
    std::vector<NodeId> parts{entity, result};
    if (!list_until(')', parts)) return kNoNode;
    root = tree_.add(TypeKind::encoding, qualifier_words(), parts);
  } else if (result != kNoNode) {
    root = tree_.add(TypeKind::encoding, "", {entity, result});
  }
  while (take("[clone")) {
    if (!skip_balanced("]") || !take("]")) return fail("a clone's name without its end");
  }
  return root;
}

std::string_view DemangledParser::qualifier_words() {
  const bool constant = take_word("const");
  const bool is_volatile = take_word("volatile");
  const char* reference = take("&&") ? "O" : take("&") ? "R" : "";
  for (const QualifierCodes& row : kQualifierCodes) {
    if (row.constant == constant && row.is_volatile == is_volatile && row.reference == reference) {
      return row.codes;
    }
  }
  return {};
}

bool DemangledParser::take_word(std::string_view word) {
  skip_spaces();
  if (!starts_with(word)) return false;
  const char next = peek(word.size());
  if (starts_identifier(next) || (next >= '0' && next <= '9')) return false;
  pos_ += word.size();
  return true;
}

NodeId DemangledParser::builtin() {
  for (const std::string_view row : kBuiltins) {
    if (peek() == row[0] && take_word(row)) return tree_.add(TypeKind::name, row);
  }
  return kNoNode;
}

NodeId DemangledParser::type() {
  const Level level(*this);
  if (too_deep()) return fail("nested too deeply");
  skip_spaces();
  std::vector<std::string_view> words;  // cu++filt puts qualifiers in front
  for (;;) {
    if (take_word("const"))
      words.push_back("const");
    else if (take_word("volatile"))
      words.push_back("volatile");
    else
      break;
  }
  skip_spaces();
  NodeId node = builtin();
  if (node == kNoNode) node = name();
  for (const std::string_view word : words) {
    if (node != kNoNode) node = tree_.add(TypeKind::qualified, word, {node});
  }
  return node == kNoNode ? node : type_suffix(node);
}

NodeId DemangledParser::type_suffix(NodeId node) {
  while (node != kNoNode) {
    skip_spaces();
    if (take_word("const"))
      node = tree_.add(TypeKind::qualified, "const", {node});
    else if (take_word("volatile"))
      node = tree_.add(TypeKind::qualified, "volatile", {node});
    else if (take_word("restrict") || take_word("__restrict__"))
      node = tree_.add(TypeKind::qualified, "restrict", {node});
    else if (take("*"))
      node = tree_.add(TypeKind::pointer, "", {node});
    else if (take("&&"))
      node = tree_.add(TypeKind::rvalue_reference, "", {node});
    else if (take("&"))
      node = tree_.add(TypeKind::lvalue_reference, "", {node});
    else if (take("..."))
      node = tree_.add(TypeKind::expansion, "", {node});
    else if (peek() == '(' && !starts_with("(anonymous namespace)"))
      node = function_suffix(node);
    else if (peek() == '[' && !starts_with("[clone"))
      node = array_suffix(node);
    else
      break;
  }
  return node;
}

NodeId DemangledParser::array_suffix(NodeId element) {
  ++pos_;  // [
  const std::size_t begin = pos_;
  if (!skip_balanced("]")) return fail("an array without its end");
  const std::string_view extent = in_.substr(begin, pos_ - begin);
  ++pos_;
  return tree_.add(TypeKind::array, extent, {element});
}

// "(A, B)" after a result, or "(*)(A, B)", "(&) [3]", "(C::*)(A)" after a result or an element.
NodeId DemangledParser::function_suffix(NodeId result) {
  std::size_t begin = pos_;
  take("(");
  skip_spaces();
  std::vector<TypeKind> marks;
  NodeId of_class = kNoNode;
  if (const std::size_t close = in_.find(')', pos_);
      close != std::string_view::npos &&
      in_.substr(pos_, close - pos_).find("::*") != std::string_view::npos) {
    of_class = name();
    if (of_class == kNoNode || !take("::*")) return fail("an unreadable declarator");
  }
  while (peek() == '*' || peek() == '&' || starts_with("const")) {
    marks.push_back(take("*")            ? TypeKind::pointer
                    : take("&&")         ? TypeKind::rvalue_reference
                    : take("&")          ? TypeKind::lvalue_reference
                    : take_word("const") ? TypeKind::qualified
                                         : TypeKind::opaque);
    if (marks.back() == TypeKind::opaque) {
      marks.pop_back();
      break;
    }
    skip_spaces();
  }
  NodeId node = result;
  if (!marks.empty() || of_class != kNoNode) {
    if (!take(")")) return fail("an unreadable declarator");
    skip_spaces();
    begin = pos_;
  }
  if (peek() == '[') {
    node = array_suffix(node);
  } else {
    pos_ = begin;
    if (!take("(")) return fail("a list of parameters was expected");
    std::vector<NodeId> parts{result};
    if (!list_until(')', parts)) return kNoNode;
    node = tree_.add(TypeKind::function, qualifier_words(), parts);
  }
  if (of_class != kNoNode && node != kNoNode) {
    node = tree_.add(TypeKind::member_pointer, "", {of_class, node});
  }
  for (const TypeKind mark : marks) {
    if (node == kNoNode) break;
    node = tree_.add(mark, mark == TypeKind::qualified ? "const" : "", {node});
  }
  return node;
}

bool DemangledParser::list_until(char close, std::vector<NodeId>& out) {
  const std::string_view end(&close, 1);
  if (take(end)) return true;
  for (;;) {
    const NodeId item = argument();
    if (item == kNoNode) return false;
    const bool only_void = close == ')' && tree_[item].kind == TypeKind::name &&
                           tree_[item].text == "void" && tree_[item].count == 0;
    skip_spaces();
    if (!only_void || peek() != close) out.push_back(item);
    if (take(",")) continue;
    if (take(end)) return true;
    fail("a list without its end");
    return false;
  }
}

NodeId DemangledParser::argument() {
  const Level level(*this);
  if (too_deep()) return fail("nested too deeply");
  skip_spaces();
  const std::size_t before = pos_;
  if (starts_with("...")) return take("..."), tree_.add(TypeKind::name, "...");
  if (const NodeId value = literal(); value != kNoNode) return value;
  pos_ = before;
  const NodeId node = type();
  skip_spaces();
  if (node != kNoNode && (peek() == ',' || peek() == '>' || peek() == ')')) return node;
  if (too_deep() || why_ == "nested too deeply") return kNoNode;
  pos_ = before;
  return opaque_argument();
}

}  // namespace tilefit
