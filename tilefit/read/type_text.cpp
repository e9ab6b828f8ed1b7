// SPDX-License-Identifier: Apache-2.0
// Printing the types and names of a TypeTree.
#include "tilefit/read/type_text.h"

#include <charconv>
#include <utility>

#include "tilefit/read/type_printer.h"

namespace tilefit {
namespace type_printer {

void Printer::put(std::string_view text) {
  if (full_) return;
  full_ = out_.size() + text.size() > kMaxNameText;
  out_ += full_ ? "..." : text;
}

// The argument that a parameter stands for, or the parameter itself where nothing is known of it.
View Printer::argument_of(View parameter) const {
  const Context* context = parameter.context;
  if (context == nullptr || context->in_lambda || context->arguments == kNoNode) return parameter;
  const std::string_view digits = node(parameter).text.substr(1);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error == std::errc()) ++index;
  const std::span<const NodeId> arguments = tree_.children(context->arguments).subspan(1);
  if (index >= arguments.size()) return parameter;
  return {arguments[index], context->outer};
}

View Printer::resolved(View view) const {
  if (view.id == kNoNode || node(view).kind != TypeKind::parameter) return view;
  const View argument = argument_of(view);
  if (argument.id == view.id || node(argument).kind != TypeKind::pack) return argument;
  if (view.context->pack_index < 0) return argument;
  const auto index = static_cast<std::size_t>(view.context->pack_index);
  return index < count(argument) ? child(argument, index) : argument;
}

bool Printer::declares_right(View view) const {
  view = resolved(view);
  while (node(view).kind == TypeKind::qualified) view = resolved(child(view, 0));
  return node(view).kind == TypeKind::function || node(view).kind == TypeKind::array;
}

bool Printer::is_reference(View view) const {
  const TypeKind kind = node(resolved(view)).kind;
  return kind == TypeKind::lvalue_reference || kind == TypeKind::rvalue_reference;
}

// The first parameter in a pattern that stands for a pack.
View Printer::parameter_in(View view, int& budget) const {
  if (view.id == kNoNode || --budget < 0) return {};
  if (node(view).kind == TypeKind::parameter) {
    const View argument = argument_of(view);
    return argument.id != view.id && node(argument).kind == TypeKind::pack ? argument : View{};
  }
  for (std::size_t i = 0; i < count(view); ++i) {
    if (const View found = parameter_in(child(view, i), budget); found.id != kNoNode) return found;
  }
  return {};
}

void Printer::expansion(View pattern) {
  int budget = 2000;
  const View pack = parameter_in(pattern, budget);
  if (pack.id == kNoNode) {
    item(pattern);
    return put("...");
  }
  Context each = *pattern.context;
  for (std::size_t i = 0; i < count(pack) && !full_; ++i) {
    each.pack_index = static_cast<int>(i);
    item({pattern.id, &each});
  }
}

// Packs and expansions may print nothing, and then no comma either.
void Printer::item(View view) {
  if (full_) return;
  if (++steps_ > kMaxSteps || depth_ > kMaxPrintDepth) return stop();
  ++depth_;
  view = resolved(view);
  if (node(view).kind == TypeKind::pack) {
    for (std::size_t i = 0; i < count(view); ++i) item(child(view, i));
  } else if (node(view).kind == TypeKind::expansion) {
    expansion(child(view, 0));
  } else {
    put(separator_);
    separator_.clear();
    print(view);
    separator_ = ", ";
  }
  --depth_;
}

void Printer::list(View parent, std::size_t from) {
  const std::string outer = std::exchange(separator_, "");
  for (std::size_t i = from; i < count(parent); ++i) item(child(parent, i));
  separator_ = outer;
}

void Printer::name(View view) {
  if (count(view) > 0) {
    print(child(view, 0));
    put("::");
  }
  put(node(view).text);
}

void Printer::instance(View view) {
  print(child(view, 0));
  put(out_.ends_with('<') ? " <" : "<");  // operator< <int>
  list(view, 1);
  put(out_.ends_with('>') ? " >" : ">");
}

void Printer::local(View view) {
  const View function = child(view, 0);
  if (node(function).kind == TypeKind::encoding) {
    signature(function, inside(function));
  } else {
    print(function);
  }
  put("::");
  print(child(view, 1));
}

void Printer::closure(View view) {
  Context own = view.context == nullptr ? Context{} : *view.context;
  own.in_lambda = true;
  put(node(view).kind == TypeKind::lambda ? "{lambda(" : "{unnamed type");
  list({view.id, &own}, 0);
  put(node(view).kind == TypeKind::lambda ? ")#" : "#");
  const std::string_view digits = node(view).text;
  std::size_t number = 0;  // the grammar counts from nothing, then 0; people count from 1
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  put(std::to_string(digits.empty() ? 1 : number + 2));
  put("}");
}

Context Printer::inside(View encoding) const {
  View entity = child(encoding, 0);
  while (node(entity).kind == TypeKind::local) entity = child(entity, 1);
  const bool templated = node(entity).kind == TypeKind::instance;
  return Context{.arguments = templated ? entity.id : kNoNode, .outer = encoding.context};
}

void Printer::signature(View view, const Context& context) {
  const View own{view.id, &context};
  print(child(own, 0));
  put("(");
  list(own, 2);
  put(")");
  qualifiers(node(view).text);
}

void Printer::encoding(View view) {
  const Context context = inside(view);
  const View result{tree_.children(view.id)[1], &context};
  if (result.id != kNoNode) {
    left(result);
    if (!declares_right(result)) put(" ");
  }
  signature(view, context);
  if (result.id != kNoNode) right(result);
}

void Printer::qualifiers(std::string_view codes) {
  for (const char code : codes) {
    put(code == 'K'   ? " const"
        : code == 'V' ? " volatile"
        : code == 'r' ? " restrict"
        : code == 'R' ? " &"
                      : " &&");
  }
}

void Printer::lead_indirection(View pointee, std::string_view mark) {
  left(pointee);
  if (declares_right(pointee)) {
    View bare = resolved(pointee);
    while (node(bare).kind == TypeKind::qualified) bare = resolved(child(bare, 0));
    put(node(bare).kind == TypeKind::array ? " (" : "(");
  }
  put(mark);
}

// References to references collapse; template arguments bring them about.
void Printer::lead_reference(TypeKind kind, View referred) {
  referred = resolved(referred);
  if (is_reference(referred)) {
    const bool both = kind == TypeKind::rvalue_reference && node(referred).kind == kind;
    return lead_reference(both ? kind : TypeKind::lvalue_reference, child(referred, 0));
  }
  lead_indirection(referred, kind == TypeKind::lvalue_reference ? "&" : "&&");
}

void Printer::left(View view) {
  if (view.id == kNoNode || full_) return;
  if (++steps_ > kMaxSteps || depth_ > kMaxPrintDepth) return stop();
  ++depth_;
  view = resolved(view);
  switch (node(view).kind) {
    case TypeKind::name:
      name(view);
      break;
    case TypeKind::instance:
      instance(view);
      break;
    case TypeKind::pack:
      list(view, 0);
      break;
    case TypeKind::parameter:
      put(view.context != nullptr && view.context->in_lambda ? "auto" : node(view).text);
      break;
    case TypeKind::literal:
      literal(view);
      break;
    case TypeKind::pointer:
      lead_indirection(child(view, 0), "*");
      break;
    case TypeKind::lvalue_reference:
    case TypeKind::rvalue_reference:
      lead_reference(node(view).kind, child(view, 0));
      break;
    case TypeKind::expression:
      expression(view);
      break;
    case TypeKind::encoding:
      encoding(view);
      break;
    case TypeKind::local:
      local(view);
      break;
    case TypeKind::lambda:
    case TypeKind::unnamed:
      closure(view);
      break;
    case TypeKind::expansion:
      expansion(child(view, 0));
      break;
    case TypeKind::opaque:
      put(node(view).text);
      break;
    default:
      left_composite(view);
  }
  --depth_;
}

void Printer::left_composite(View view) {
  switch (node(view).kind) {
    case TypeKind::qualified:
      left(child(view, 0));
      put(" ");
      return put(node(view).text);
    case TypeKind::function:
      left(child(view, 0));
      return put(" ");
    case TypeKind::array:
      return left(child(view, 0));
    case TypeKind::member_pointer:
      left(child(view, 1));
      put(declares_right(child(view, 1)) ? "(" : " ");
      print(child(view, 0));
      return put("::*");
    case TypeKind::conversion:
      if (count(view) > 1) {
        print(child(view, 1));
        put("::");
      }
      put("operator ");
      return print(child(view, 0));
    case TypeKind::structor:
      print(child(view, 0));
      put("::");
      put(node(view).text);
      return put(tree_.last_name(tree_.children(view.id).back()));
    case TypeKind::tagged:
      print(child(view, 0));
      put("[abi:");
      put(node(view).text);
      return put("]");
    case TypeKind::special:
      put(node(view).text);
      return list(view, 0);
    default:
      return;
  }
}

void Printer::right(View view) {
  if (view.id == kNoNode || full_ || depth_ > kMaxPrintDepth) return;
  ++depth_;
  view = resolved(view);
  switch (node(view).kind) {
    case TypeKind::pointer:
    case TypeKind::lvalue_reference:
    case TypeKind::rvalue_reference:
      if (declares_right(child(view, 0))) put(")");
      right(child(view, 0));
      break;
    case TypeKind::qualified:
      right(child(view, 0));
      break;
    case TypeKind::function:
      put("(");
      list(view, 1);
      put(")");
      qualifiers(node(view).text);
      right(child(view, 0));
      break;
    case TypeKind::array:
      put(" [");
      if (count(view) > 1) print(child(view, 1));
      put(node(view).text);
      put("]");
      right(child(view, 0));
      break;
    case TypeKind::member_pointer:
      if (declares_right(child(view, 1))) put(")");
      right(child(view, 1));
      break;
    default:
      break;
  }
  --depth_;
}

}  // namespace type_printer

std::string type_text(const TypeTree& tree, NodeId id) {
  type_printer::Printer printer(tree);
  if (tree.has(id)) printer.print({id, nullptr});
  return printer.take();
}

}  // namespace tilefit
