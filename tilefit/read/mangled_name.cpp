// SPDX-License-Identifier: Apache-2.0
// Productions of the mangled-name grammar that make names.
#include <array>
#include <charconv>

#include "tilefit/read/mangled_operators.h"
#include "tilefit/read/mangled_parser.h"

namespace tilefit {

MangledName MangledParser::name() {
  const Level level(*this);
  MangledName out;
  if (level.too_deep()) {
    fail("nested too deeply");
    return out;
  }
  if (peek() == 'N') return nested_name();
  if (peek() == 'Z') {
    out.node = local_name(out);
    return out;
  }
  bool is_substitution = false;
  if (take("St")) {
    out.node = tree_.scoped(unqualified_name(out), tree_.add(TypeKind::name, "std"));
  } else if (peek() == 'S') {
    out.node = substitution();
    is_substitution = true;
  } else {
    out.node = unqualified_name(out);
  }
  if (out.node == kNoNode || peek() != 'I') return out;
  if (!is_substitution) remember(out.node);
  out.node = template_arguments(out.node);
  out.templated = true;
  return out;
}

MangledName MangledParser::nested_name() {
  MangledName out;
  ++pos_;  // N
  const std::size_t begin = pos_;
  while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++pos_;
  if (peek() == 'R' || peek() == 'O') ++pos_;
  out.qualifiers = in_.substr(begin, pos_ - begin);
  NodeId prefix = kNoNode;
  bool last_remembered = false;
  while (!take('E')) {
    if (at_end()) {
      fail("a name without its end");
      return out;
    }
    if (prefix != kNoNode && take('M')) continue;  // a lambda that initialises this member
    const bool back_reference = peek() == 'S' && peek(1) != 't';
    prefix = nested_step(out, prefix);
    if (prefix == kNoNode) return out;
    last_remembered = !back_reference;
    if (last_remembered) remember(prefix);
  }
  // The whole name is a candidate only where it is used as a type, and then type() adds it.
  if (last_remembered && !substitutions_.empty()) substitutions_.pop_back();
  out.node = prefix;
  return out;
}

NodeId MangledParser::nested_step(MangledName& out, NodeId prefix) {
  const char c = peek();
  if (c == 'I') {
    if (prefix == kNoNode) return fail("template arguments of nothing");
    out.templated = true;
    return template_arguments(prefix);
  }
  out.templated = false;
  out.no_result = false;
  if (c == 'S' && peek(1) == 't') {
    pos_ += 2;
    return tree_.scoped(unqualified_name(out), tree_.add(TypeKind::name, "std"));
  }
  if (c == 'S') return prefix == kNoNode ? substitution() : fail("a back-reference inside a name");
  if (c == 'T') return prefix == kNoNode ? template_parameter() : fail("a parameter inside a name");
  if (c == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
    bool candidate = false;
    return extended_type(candidate);
  }
  if (c == 'Z') return prefix == kNoNode ? local_name(out) : fail("a local name inside a name");
  if ((c == 'C' || c == 'D') && peek(1) != 'C') {
    if (prefix == kNoNode) return fail("a constructor of nothing");
    out.no_result = true;
    return abi_tags(structor_name(prefix));
  }
  return tree_.scoped(unqualified_name(out), prefix);
}

NodeId MangledParser::structor_name(NodeId scope) {
  const bool destructor = take('D');
  if (!destructor) ++pos_;  // C
  const bool inherited = !destructor && take('I');
  if (peek() < '0' || peek() > '9') return fail("an unreadable constructor");
  ++pos_;
  if (inherited) return tree_.add(TypeKind::structor, "", {scope, type()});
  return tree_.add(TypeKind::structor, destructor ? "~" : "", {scope});
}

NodeId MangledParser::local_name(MangledName& out) {
  const Level level(*this);
  if (level.too_deep()) return fail("nested too deeply");
  ++pos_;  // Z
  const NodeId function = encoding();
  if (function == kNoNode || !take('E')) return fail("a local name without its end");
  if (take('s')) {
    skip_discriminator();
    const NodeId text = tree_.add(TypeKind::name, "string literal");
    return tree_.add(TypeKind::local, "", {function, text});
  }
  if (take('d')) {  // default argument
    digits();
    if (!take('_')) return fail("an unreadable default argument");
  }
  const MangledName entity = name();
  out.templated = entity.templated;
  out.no_result = entity.no_result;
  out.qualifiers = entity.qualifiers;
  skip_discriminator();
  return tree_.add(TypeKind::local, "", {function, entity.node});
}

void MangledParser::skip_discriminator() {
  if (peek() != '_') return;
  if (peek(1) >= '0' && peek(1) <= '9') {
    pos_ += 2;
  } else if (peek(1) == '_' && peek(2) >= '0' && peek(2) <= '9') {
    pos_ += 2;
    digits();
    take('_');
  }
}

NodeId MangledParser::unqualified_name(MangledName& out) {
  take('L');  // internal linkage
  const char c = peek();
  if (c >= '0' && c <= '9') return abi_tags(source_name());
  if (c == 'U') return abi_tags(unnamed_type_name());
  if (c == 'D' && peek(1) == 'C') {
    pos_ += 2;
    const std::size_t since = mark();
    while (!take('E')) {
      if (!push(source_name())) return kNoNode;
    }
    return collect(TypeKind::expression, "structured binding", since);
  }
  if (c >= 'a' && c <= 'z') return abi_tags(operator_name(out));
  return fail("a name was expected");
}

NodeId MangledParser::source_name() {
  const std::string_view length = digits();
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (length.empty() || error != std::errc() || end != length.data() + length.size() ||
      bytes == 0 || bytes > in_.size() - pos_) {
    return fail("an identifier of an impossible length");
  }
  std::string_view text = in_.substr(pos_, bytes);
  pos_ += bytes;
  if (text.size() >= 10 && text.starts_with("_GLOBAL_") && text[9] == 'N' &&
      (text[8] == '_' || text[8] == '.' || text[8] == '$')) {
    text = "(anonymous namespace)";
  }
  return tree_.add(TypeKind::name, text);
}

NodeId MangledParser::abi_tags(NodeId node) {
  while (node != kNoNode && take('B')) {
    const NodeId tag = source_name();
    if (tag == kNoNode) return kNoNode;
    node = tree_.add(TypeKind::tagged, tree_[tag].text, {node});
  }
  return node;
}

NodeId MangledParser::operator_name(MangledName& out) {
  if (take("cv")) {
    const NodeId to = type();
    out.no_result = true;
    return tree_.add(TypeKind::conversion, "", {to});
  }
  if (take("li")) {
    const NodeId suffix = source_name();
    if (suffix == kNoNode) return kNoNode;
    return tree_.add(TypeKind::name, tree_[suffix].text);
  }
  const MangledOperator* row = find_operator(peek_two());
  if (row == nullptr || row->function_name.empty()) return fail("an unknown operator");
  pos_ += 2;
  return tree_.add(TypeKind::name, row->function_name);
}

NodeId MangledParser::unnamed_type_name() {
  if (take("Ut")) {
    const std::string_view number = digits();
    if (!take('_')) return fail("an unreadable unnamed type");
    return tree_.add(TypeKind::unnamed, number);
  }
  if (take("Ul")) return lambda_name();
  return fail("an unknown unnamed type");
}

NodeId MangledParser::lambda_name() {
  while (peek() == 'T' && std::string_view("ynptk").find(peek(1)) != std::string_view::npos) {
    if (!parameter_declaration()) return fail("an unreadable lambda");
  }
  const std::size_t since = mark();
  if (peek() == 'v' && peek(1) == 'E') {
    pos_ += 2;
  } else {
    while (!take('E')) {
      if (at_end() || !push(type())) return fail("an unreadable lambda");
    }
  }
  const std::string_view number = digits();
  if (!take('_')) return fail("an unreadable lambda");
  return collect(TypeKind::lambda, number, since);
}

// A template parameter that a lambda declares: Ty, Tn TYPE, Tp DECLARATION, Tt DECLARATIONS E, Tk
// NAME.
bool MangledParser::parameter_declaration() {
  const Level level(*this);
  if (level.too_deep()) return false;
  ++pos_;  // T
  const char kind = peek();
  ++pos_;
  switch (kind) {
    case 'y':
      return true;
    case 'n':
      return type() != kNoNode;
    case 'k':
      return name().node != kNoNode;
    case 'p':
      return take('T') && (--pos_, parameter_declaration());
    case 't':
      while (!take('E')) {
        if (peek() != 'T' || !parameter_declaration()) return false;
      }
      return true;
    default:
      return false;
  }
}

NodeId MangledParser::template_arguments(NodeId base) {
  const Level level(*this);
  if (level.too_deep()) return fail("nested too deeply");
  if (!take('I')) return fail("template arguments were expected");
  const std::size_t since = mark();
  stack_.push_back(base);
  while (!take('E')) {
    const NodeId argument = at_end() ? kNoNode : template_argument();
    if (!push(argument)) return fail("template arguments without their end");
  }
  return collect(TypeKind::instance, "", since);
}

NodeId MangledParser::template_argument() {
  const Level level(*this);
  if (level.too_deep()) return fail("nested too deeply");
  switch (peek()) {
    case 'X': {
      ++pos_;
      const NodeId value = expression();
      return take('E') ? value : fail("an expression without its end");
    }
    case 'J': {
      ++pos_;
      const std::size_t since = mark();
      while (!take('E')) {
        if (at_end() || !push(template_argument())) return fail("a pack without its end");
      }
      return collect(TypeKind::pack, "", since);
    }
    case 'L':
      return literal();
    default:
      return type();
  }
}

}  // namespace tilefit
