// SPDX-License-Identifier: Apache-2.0
// The two-letter operator codes of mangled names: how each is spelled and what operands follow.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

enum class OperatorForm : std::uint8_t {
  prefix,       // one expression
  prefix_type,  // one type
  postfix,      // one expression; a '_' in front makes it prefix
  binary,       // two expressions
  ternary,      // three expressions
  call,         // expressions up to E
  index,        // two expressions
  cast,         // a type, an expression
  nullary,      // nothing
  other,        // read by its own production
};

struct MangledOperator {
  std::string_view code, text;
  std::string_view function_name;  // empty: only in expressions
  OperatorForm form;
};

inline constexpr std::array kMangledOperators{
    MangledOperator{"nw", "new", "operator new", OperatorForm::other},
    MangledOperator{"na", "new[]", "operator new[]", OperatorForm::other},
    MangledOperator{"dl", "delete", "operator delete", OperatorForm::prefix},
    MangledOperator{"da", "delete[]", "operator delete[]", OperatorForm::prefix},
    MangledOperator{"aw", "co_await", "operator co_await", OperatorForm::prefix},
    MangledOperator{"ps", "+", "operator+", OperatorForm::prefix},
    MangledOperator{"ng", "-", "operator-", OperatorForm::prefix},
    MangledOperator{"ad", "&", "operator&", OperatorForm::prefix},
    MangledOperator{"de", "*", "operator*", OperatorForm::prefix},
    MangledOperator{"co", "~", "operator~", OperatorForm::prefix},
    MangledOperator{"pl", "+", "operator+", OperatorForm::binary},
    MangledOperator{"mi", "-", "operator-", OperatorForm::binary},
    MangledOperator{"ml", "*", "operator*", OperatorForm::binary},
    MangledOperator{"dv", "/", "operator/", OperatorForm::binary},
    MangledOperator{"rm", "%", "operator%", OperatorForm::binary},
    MangledOperator{"an", "&", "operator&", OperatorForm::binary},
    MangledOperator{"or", "|", "operator|", OperatorForm::binary},
    MangledOperator{"eo", "^", "operator^", OperatorForm::binary},
    MangledOperator{"aS", "=", "operator=", OperatorForm::binary},
    MangledOperator{"pL", "+=", "operator+=", OperatorForm::binary},
    MangledOperator{"mI", "-=", "operator-=", OperatorForm::binary},
    MangledOperator{"mL", "*=", "operator*=", OperatorForm::binary},
    MangledOperator{"dV", "/=", "operator/=", OperatorForm::binary},
    MangledOperator{"rM", "%=", "operator%=", OperatorForm::binary},
    MangledOperator{"aN", "&=", "operator&=", OperatorForm::binary},
    MangledOperator{"oR", "|=", "operator|=", OperatorForm::binary},
    MangledOperator{"eO", "^=", "operator^=", OperatorForm::binary},
    MangledOperator{"ls", "<<", "operator<<", OperatorForm::binary},
    MangledOperator{"rs", ">>", "operator>>", OperatorForm::binary},
    MangledOperator{"lS", "<<=", "operator<<=", OperatorForm::binary},
    MangledOperator{"rS", ">>=", "operator>>=", OperatorForm::binary},
    MangledOperator{"eq", "==", "operator==", OperatorForm::binary},
    MangledOperator{"ne", "!=", "operator!=", OperatorForm::binary},
    MangledOperator{"lt", "<", "operator<", OperatorForm::binary},
    MangledOperator{"gt", ">", "operator>", OperatorForm::binary},
    MangledOperator{"le", "<=", "operator<=", OperatorForm::binary},
    MangledOperator{"ge", ">=", "operator>=", OperatorForm::binary},
    MangledOperator{"ss", "<=>", "operator<=>", OperatorForm::binary},
    MangledOperator{"nt", "!", "operator!", OperatorForm::prefix},
    MangledOperator{"aa", "&&", "operator&&", OperatorForm::binary},
    MangledOperator{"oo", "||", "operator||", OperatorForm::binary},
    MangledOperator{"pp", "++", "operator++", OperatorForm::postfix},
    MangledOperator{"mm", "--", "operator--", OperatorForm::postfix},
    MangledOperator{"cm", ",", "operator,", OperatorForm::binary},
    MangledOperator{"pm", "->*", "operator->*", OperatorForm::binary},
    MangledOperator{"pt", "->", "operator->", OperatorForm::binary},
    MangledOperator{"cl", "()", "operator()", OperatorForm::call},
    MangledOperator{"ix", "[]", "operator[]", OperatorForm::index},
    MangledOperator{"qu", "?", "operator?", OperatorForm::ternary},
    MangledOperator{"dt", ".", "", OperatorForm::binary},
    MangledOperator{"ds", ".*", "", OperatorForm::binary},
    MangledOperator{"st", "sizeof ", "", OperatorForm::prefix_type},
    MangledOperator{"sz", "sizeof ", "", OperatorForm::prefix},
    MangledOperator{"at", "alignof ", "", OperatorForm::prefix_type},
    MangledOperator{"az", "alignof ", "", OperatorForm::prefix},
    MangledOperator{"nx", "noexcept ", "", OperatorForm::prefix},
    MangledOperator{"te", "typeid ", "", OperatorForm::prefix},
    MangledOperator{"ti", "typeid ", "", OperatorForm::prefix_type},
    MangledOperator{"tw", "throw ", "", OperatorForm::prefix},
    MangledOperator{"tr", "throw", "", OperatorForm::nullary},
    MangledOperator{"dc", "dynamic_cast", "", OperatorForm::cast},
    MangledOperator{"sc", "static_cast", "", OperatorForm::cast},
    MangledOperator{"cc", "const_cast", "", OperatorForm::cast},
    MangledOperator{"rc", "reinterpret_cast", "", OperatorForm::cast},
    MangledOperator{"sZ", "sizeof...", "", OperatorForm::prefix},
};

/// nullptr for an unknown code.
constexpr const MangledOperator* find_operator(std::string_view code) {
  for (const MangledOperator& row : kMangledOperators)
    if (row.code == code) return &row;
  return nullptr;
}

}  // namespace tilefit
