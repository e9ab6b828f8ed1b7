// SPDX-License-Identifier: Apache-2.0
// Productions of the mangled-name grammar that make types.
#include <array>

#include "tilefit/read/mangled_parser.h"

namespace tilefit {
namespace {

struct Builtin {
  std::string_view code, name;
};

constexpr std::array kBuiltins{
    Builtin{"v", "void"},
    Builtin{"w", "wchar_t"},
    Builtin{"b", "bool"},
    Builtin{"c", "char"},
    Builtin{"a", "signed char"},
    Builtin{"h", "unsigned char"},
    Builtin{"s", "short"},
    Builtin{"t", "unsigned short"},
    Builtin{"i", "int"},
    Builtin{"j", "unsigned int"},
    Builtin{"l", "long"},
    Builtin{"m", "unsigned long"},
    Builtin{"x", "long long"},
    Builtin{"y", "unsigned long long"},
    Builtin{"n", "__int128"},
    Builtin{"o", "unsigned __int128"},
    Builtin{"f", "float"},
    Builtin{"d", "double"},
    Builtin{"e", "long double"},
    Builtin{"g", "__float128"},
    Builtin{"z", "..."},
    Builtin{"Dd", "decimal64"},
    Builtin{"De", "decimal128"},
    Builtin{"Df", "decimal32"},
    Builtin{"Dh", "half"},
    Builtin{"Di", "char32_t"},
    Builtin{"Ds", "char16_t"},
    Builtin{"Du", "char8_t"},
    Builtin{"Da", "auto"},
    Builtin{"Dc", "decltype(auto)"},
    Builtin{"Dn", "decltype(nullptr)"},
    Builtin{"DF16_", "_Float16"},
    Builtin{"DF16b", "std::bfloat16_t"},
    Builtin{"DF32_", "_Float32"},
    Builtin{"DF64_", "_Float64"},
    Builtin{"DF128_", "_Float128"},
    Builtin{"DF32x", "_Float32x"},
    Builtin{"DF64x", "_Float64x"},
};

}  // namespace

NodeId MangledParser::type() {
  const Level level(*this);
  if (level.too_deep()) return fail("nested too deeply");
  bool candidate = true;
  const NodeId node = type_without_substitution(candidate);
  if (node == kNoNode) return fail("a type was expected");
  if (candidate) remember(node);
  return node;
}

NodeId MangledParser::wrap(TypeKind kind) {
  ++pos_;
  const NodeId inner = type();
  return inner == kNoNode ? inner : tree_.add(kind, "", {inner});
}

NodeId MangledParser::type_without_substitution(bool& candidate) {
  if (const NodeId builtin = builtin_type(); builtin != kNoNode) {
    candidate = false;
    return builtin;
  }
  switch (peek()) {
    case 'P':
      return wrap(TypeKind::pointer);
    case 'R':
      return wrap(TypeKind::lvalue_reference);
    case 'O':
      return wrap(TypeKind::rvalue_reference);
    case 'C':
    case 'G': {
      const std::string_view text = take('C') ? "_Complex" : (++pos_, "_Imaginary");
      return tree_.add(TypeKind::qualified, text, {type()});
    }
    case 'r':
    case 'V':
    case 'K':
      return qualified_type();
    case 'U':
    case 'u':
      return vendor_type(candidate);
    case 'F':
      return function_type("");
    case 'A':
      return array_type();
    case 'M': {
      ++pos_;
      const std::size_t since = mark();
      if (!push(type()) || !push(type())) return kNoNode;
      return collect(TypeKind::member_pointer, "", since);
    }
    case 'D':
      return extended_type(candidate);
    case 'T':
      if (peek(1) == 's' || peek(1) == 'u' || peek(1) == 'e') {
        pos_ += 2;
        return name().node;
      }
      [[fallthrough]];
    default:
      return class_type(candidate);
  }
}

NodeId MangledParser::class_type(bool& candidate) {
  if (peek() == 'T' || (peek() == 'S' && peek(1) != 't')) {
    const bool back_reference = peek() == 'S';
    const NodeId base = back_reference ? substitution() : template_parameter();
    // In a conversion's result "I" could belong to the conversion; no kernel is one.
    if (base == kNoNode || peek() != 'I') {
      candidate = !back_reference;
      return base;
    }
    if (!back_reference) remember(base);
    return template_arguments(base);
  }
  return name().node;
}

NodeId MangledParser::builtin_type() {
  for (const Builtin& row : kBuiltins) {
    if (peek() == row.code[0] && take(row.code)) return tree_.add(TypeKind::name, row.name);
  }
  return kNoNode;
}

NodeId MangledParser::qualified_type() {
  // All qualifiers of one type together are one candidate for back-references.
  const std::size_t begin = pos_;
  while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++pos_;
  const std::string_view codes = in_.substr(begin, pos_ - begin);
  NodeId inner = peek() == 'F' ? function_type(codes) : kNoNode;
  if (inner != kNoNode) return inner;
  inner = type();
  for (auto code = codes.rbegin(); code != codes.rend() && inner != kNoNode; ++code) {
    const std::string_view text = *code == 'K' ? "const" : *code == 'V' ? "volatile" : "restrict";
    inner = tree_.add(TypeKind::qualified, text, {inner});
  }
  return inner;
}

NodeId MangledParser::vendor_type(bool& candidate) {
  const bool qualifier = peek() == 'U';
  if (qualifier && (peek(1) == 'l' || peek(1) == 't')) return class_type(candidate);
  ++pos_;
  const NodeId vendor = source_name();
  if (vendor == kNoNode) return kNoNode;
  NodeId spelled = vendor;
  if (peek() == 'I') spelled = template_arguments(vendor);
  if (!qualifier || spelled == kNoNode) return spelled;
  return tree_.add(TypeKind::qualified, tree_[vendor].text, {type()});
}

NodeId MangledParser::function_type(std::string_view qualifiers) {
  if (!take('F')) return fail("a function type was expected");
  take('Y');
  const std::size_t since = mark();
  if (!push(type())) return kNoNode;
  std::string_view reference;
  while (!take('E')) {
    if (at_end()) return fail("a function type without its end");
    if (peek() == 'v' && (peek(1) == 'E' || peek(1) == 'R' || peek(1) == 'O')) {
      ++pos_;
      continue;
    }
    if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
      reference = in_.substr(pos_, 1);
      ++pos_;
      continue;
    }
    if (!push(type())) return kNoNode;
  }
  const std::string_view text = qualifiers.empty() ? reference : qualifiers;
  return collect(TypeKind::function, text, since);
}

NodeId MangledParser::array_type() {
  ++pos_;  // A
  const std::string_view dimension = digits();
  if (dimension.empty() && peek() != '_') {
    const NodeId extent = expression();
    if (extent == kNoNode || !take('_')) return fail("an unreadable array");
    const NodeId element = type();
    if (element == kNoNode) return kNoNode;
    return tree_.add(TypeKind::array, "", {element, extent});
  }
  if (!take('_')) return fail("an unreadable array");
  return tree_.add(TypeKind::array, dimension, {type()});
}

NodeId MangledParser::vector_type() {
  const std::string_view dimension = digits();
  if (dimension.empty()) {
    take('_');
    if (expression() == kNoNode) return kNoNode;
  }
  if (!take('_')) return fail("an unreadable vector");
  take('p');
  const NodeId element = type();
  return element == kNoNode ? element : tree_.add(TypeKind::array, dimension, {element});
}

NodeId MangledParser::extended_type(bool& candidate) {
  const char code = peek(1);
  switch (code) {
    case 't':
    case 'T': {
      pos_ += 2;
      const NodeId value = expression();
      if (value == kNoNode || !take('E')) return fail("an unreadable decltype");
      return tree_.add(TypeKind::expression, "decltype", {value});
    }
    case 'p': {
      pos_ += 2;
      return tree_.add(TypeKind::expansion, "", {type()});
    }
    case 'o':
      pos_ += 2;
      return function_type("");
    case 'O': {
      pos_ += 2;
      if (expression() == kNoNode || !take('E')) return fail("an unreadable noexcept");
      return function_type("");
    }
    case 'w': {
      pos_ += 2;
      while (!take('E')) {
        if (at_end() || type() == kNoNode) return fail("an unreadable throw list");
      }
      return function_type("");
    }
    case 'v':
      pos_ += 2;
      return vector_type();
    case 'B':
    case 'U': {
      pos_ += 2;
      const std::string_view bits = digits();
      candidate = false;
      if (bits.empty() || !take('_')) return fail("an unsupported integer type");
      return tree_.add(TypeKind::array, bits, {tree_.add(TypeKind::name, "_BitInt")});
    }
    default:
      return class_type(candidate);
  }
}

}  // namespace tilefit
