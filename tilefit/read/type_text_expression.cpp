// SPDX-License-Identifier: Apache-2.0
// Printing the literals and expressions of a TypeTree.
#include <array>

#include "tilefit/read/type_printer.h"

namespace tilefit::type_printer {
namespace {

struct LiteralSuffix {
  std::string_view type, suffix;
};

// Literals of other types are printed with a cast in front.
constexpr std::array kLiteralSuffixes{
    LiteralSuffix{"int", ""},         LiteralSuffix{"unsigned int", "u"},
    LiteralSuffix{"long", "l"},       LiteralSuffix{"unsigned long", "ul"},
    LiteralSuffix{"long long", "ll"}, LiteralSuffix{"unsigned long long", "ull"},
};

}  // namespace

void Printer::literal(View view) {
  const TypeNode& value = node(view);
  const TypeNode& type = node(child(view, 0));
  const std::string_view sign = value.negative ? "-" : "";
  if (type.kind == TypeKind::name && type.count == 0) {
    if (type.text == "bool" && (value.text == "0" || value.text == "1")) {
      return put(value.text == "0" ? "false" : "true");
    }
    for (const LiteralSuffix& row : kLiteralSuffixes) {
      if (type.text != row.type) continue;
      put(sign);
      put(value.text);
      return put(row.suffix);
    }
  }
  if (value.text.empty()) return print(child(view, 0));  // nullptr
  const bool floating = type.text == "float" || type.text == "double";
  put("(");
  print(child(view, 0));
  put(floating ? ")[" : ")");
  put(sign);
  put(value.text);
  put(floating ? "]" : "");
}

// Prints "&f" for a plain function of a namespace or class and "&(signature)" for others.
void Printer::address(View function) {
  if (node(function).kind != TypeKind::encoding) return print(function);
  const View entity = child(function, 0);
  if (node(entity).kind == TypeKind::name && count(entity) > 0) return print(entity);
  put("(");
  print(function);
  put(")");
}

void Printer::expression(View view) {
  const std::string_view op = node(view).text;
  const std::size_t operands = count(view);
  if (op == "::") {
    for (std::size_t i = 0; i < operands; ++i) {
      put(i > 0 ? "::" : "");
      print(child(view, i));
    }
    return;
  }
  if ((op == "()" || op == "T{}" || op == "(T)") && operands > 0) {
    const bool cast = op == "(T)";
    put(cast ? "(" : "");
    print(child(view, 0));
    put(cast ? ")(" : op == "T{}" ? "{" : "(");
    list(view, 1);
    return put(op == "T{}" ? "}" : ")");
  }
  if (operands == 2 && !op.ends_with("cast")) {
    put("(");
    print(child(view, 0));
    put(")");
    put(op);
    put("(");
    print(child(view, 1));
    return put(")");
  }
  put(op == "{}" ? "" : op);
  if (operands == 1 && op == "&") return address(child(view, 0));
  if (operands == 0 && op != "{}") return;
  put(op == "{}" ? "{" : "(");
  list(view, 0);
  put(op == "{}" ? "}" : ")");
}

}  // namespace tilefit::type_printer
