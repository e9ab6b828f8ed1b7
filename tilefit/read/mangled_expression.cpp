// SPDX-License-Identifier: Apache-2.0
// Productions of the mangled-name grammar that make expressions and literals.
#include "tilefit/read/mangled_operators.h"
#include "tilefit/read/mangled_parser.h"

namespace tilefit {

NodeId MangledParser::expressions_until_e(std::string_view text, NodeId first) {
  const std::size_t since = mark();
  if (first != kNoNode) stack_.push_back(first);
  while (!take('E')) {
    if (at_end() || !push(expression())) return fail("a list of expressions without its end");
  }
  return collect(TypeKind::expression, text, since);
}

NodeId MangledParser::expression() {
  const Level level(*this);
  if (level.too_deep()) return fail("nested too deeply");
  const char c = peek();
  if (c == 'L') return literal();
  if (c == 'T') return template_parameter();
  if (c >= '0' && c <= '9') return unresolved_name();
  const std::string_view code = peek_two();
  bool known = true;
  const NodeId special = special_expression(code, known);
  return known ? special : operator_expression(code);
}

NodeId MangledParser::operator_expression(std::string_view code) {
  const MangledOperator* row = find_operator(code);
  if (row == nullptr || row->form == OperatorForm::other) return fail("an unsupported expression");
  pos_ += 2;
  const std::size_t since = mark();
  switch (row->form) {
    case OperatorForm::nullary:
      break;
    case OperatorForm::postfix:
      take('_');
      [[fallthrough]];
    case OperatorForm::prefix:
      if (!push(expression())) return kNoNode;
      break;
    case OperatorForm::prefix_type:
      if (!push(type())) return kNoNode;
      break;
    case OperatorForm::cast:
      if (!push(type()) || !push(expression())) return kNoNode;
      break;
    case OperatorForm::ternary:
      if (!push(expression())) return kNoNode;
      [[fallthrough]];
    default:
      if (row->form == OperatorForm::call) return expressions_until_e("()", kNoNode);
      if (!push(expression()) || !push(expression())) return kNoNode;
  }
  return collect(TypeKind::expression, row->text, since);
}

NodeId MangledParser::special_expression(std::string_view code, bool& known) {
  if (code == "fp" || code == "fL") {
    // Template arguments can fold over values, so "fL" has two readings: digits mean a parameter.
    const bool digit = peek(2) >= '0' && peek(2) <= '9';
    return code == "fp" || digit ? function_parameter() : fold_expression();
  }
  if (code == "fl" || code == "fr" || code == "fR") return fold_expression();
  if (code == "sr" || code == "on" || code == "dn") return unresolved_name();
  if (code == "sp") {
    pos_ += 2;
    return tree_.add(TypeKind::expansion, "", {expression()});
  }
  if (code == "gs") {
    pos_ += 2;
    return expression();
  }
  if (code == "cv") {
    pos_ += 2;
    const NodeId to = type();
    if (to == kNoNode) return kNoNode;
    if (take('_')) return expressions_until_e("(T)", to);
    return tree_.add(TypeKind::expression, "(T)", {to, expression()});
  }
  if (code == "tl" || code == "il") {
    pos_ += 2;
    const NodeId of = code == "tl" ? type() : kNoNode;
    if (code == "tl" && of == kNoNode) return kNoNode;
    return expressions_until_e(code == "tl" ? "T{}" : "{}", of);
  }
  if (code == "cp") {
    pos_ += 2;
    return expressions_until_e("()", kNoNode);
  }
  if (code == "sP") {
    pos_ += 2;
    const std::size_t since = mark();
    while (!take('E')) {
      if (at_end() || !push(template_argument())) return fail("a captured pack without its end");
    }
    return collect(TypeKind::expression, "sizeof...", since);
  }
  if (code == "dt" || code == "pt") {
    pos_ += 2;
    const std::string_view text = code == "dt" ? "." : "->";
    const NodeId object = expression();
    if (object == kNoNode) return kNoNode;
    return tree_.add(TypeKind::expression, text, {object, unresolved_name()});
  }
  if (code == "nw" || code == "na") return new_expression();
  known = false;
  return kNoNode;
}

NodeId MangledParser::new_expression() {
  pos_ += 2;
  while (!take('_')) {  // placement
    if (at_end() || expression() == kNoNode) return fail("an unreadable new expression");
  }
  const std::size_t since = mark();
  if (!push(type())) return kNoNode;
  const bool initialised = take("pi");
  while (!take('E')) {
    if (!initialised || at_end() || !push(expression()))
      return fail("an unreadable new expression");
  }
  return collect(TypeKind::expression, "new ", since);
}

NodeId MangledParser::function_parameter() {
  const std::size_t begin = pos_;
  if (take("fpT")) return tree_.add(TypeKind::expression, "this");
  if (!take("fp")) {
    take("fL");
    digits();
    if (!take('p')) return fail("an unreadable function parameter");
  }
  while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++pos_;
  digits();
  if (!take('_')) return fail("an unreadable function parameter");
  return tree_.add(TypeKind::opaque, in_.substr(begin, pos_ - begin));
}

NodeId MangledParser::fold_expression() {
  const bool two = peek(1) == 'L' || peek(1) == 'R';
  pos_ += 2;
  const MangledOperator* row = find_operator(peek_two());
  if (row == nullptr) return fail("a fold over an unknown operator");
  pos_ += 2;
  const std::size_t since = mark();
  if (!push(expression())) return kNoNode;
  if (two && !push(expression())) return kNoNode;
  return tree_.add(TypeKind::expression, "...", {collect(TypeKind::expression, row->text, since)});
}

NodeId MangledParser::literal() {
  ++pos_;  // L
  if (take("_Z") || take('Z')) {
    const NodeId entity = encoding();
    return take('E') ? entity : fail("a reference to an entity without its end");
  }
  const NodeId of = type();
  if (of == kNoNode) return kNoNode;
  const bool negative = take('n');
  const std::size_t begin = pos_;
  while (!at_end() && peek() != 'E') ++pos_;
  const std::string_view value = in_.substr(begin, pos_ - begin);
  if (!take('E')) return fail("a literal without its end");
  const NodeId node = tree_.add(TypeKind::literal, value, {of});
  if (negative && node != kNoNode) tree_.negate(node);
  return node == kNoNode ? fail("nested too deeply") : node;
}

NodeId MangledParser::simple_id() {
  const NodeId base = source_name();
  return base != kNoNode && peek() == 'I' ? template_arguments(base) : base;
}

NodeId MangledParser::base_unresolved_name() {
  if (take("dn")) {
    const NodeId of = peek() >= '0' && peek() <= '9' ? simple_id() : type();
    return of == kNoNode ? of : tree_.add(TypeKind::expression, "~", {of});
  }
  if (take("on")) {
    MangledName ignored;
    const NodeId base = operator_name(ignored);
    return base != kNoNode && peek() == 'I' ? template_arguments(base) : base;
  }
  return simple_id();
}

NodeId MangledParser::unresolved_name() {
  if (!take("sr")) return base_unresolved_name();
  const std::size_t since = mark();
  if (peek() >= '0' && peek() <= '9') {
    while (!take('E')) {
      if (at_end() || !push(simple_id())) return fail("an unreadable qualified name");
    }
  } else if (!push(type())) {
    return kNoNode;
  }
  if (!push(base_unresolved_name())) return kNoNode;
  return collect(TypeKind::expression, "::", since);
}

}  // namespace tilefit
