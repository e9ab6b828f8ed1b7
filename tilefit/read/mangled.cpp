// SPDX-License-Identifier: Apache-2.0
// Entry point of the mangled-name reader, encodings and substitutions.
#include "tilefit/read/mangled.h"

#include <array>
#include <string>

#include "tilefit/read/mangled_parser.h"

namespace tilefit {
namespace {

struct Special {
  std::string_view code, phrase;
  enum { of_type, of_name, of_encoding } what;
};

constexpr std::array kSpecials{
    Special{"TV", "vtable for ", Special::of_type},
    Special{"TT", "VTT for ", Special::of_type},
    Special{"TI", "typeinfo for ", Special::of_type},
    Special{"TS", "typeinfo name for ", Special::of_type},
    Special{"TW", "TLS wrapper function for ", Special::of_name},
    Special{"TH", "TLS init function for ", Special::of_name},
    Special{"TA", "template parameter object for ", Special::of_type},
    Special{"GV", "guard variable for ", Special::of_name},
    Special{"GR", "reference temporary for ", Special::of_name},
    Special{"GTt", "transaction clone for ", Special::of_encoding},
    Special{"GTn", "non-transaction clone for ", Special::of_encoding},
    Special{"GA", "hidden alias for ", Special::of_encoding},
};

struct Abbreviation {
  char code;
  std::string_view name;
  bool of_char;  // stands for the instance for char and its traits
};

constexpr std::array kAbbreviations{
    Abbreviation{'a', "allocator", false},    Abbreviation{'b', "basic_string", false},
    Abbreviation{'s', "string", false},       Abbreviation{'i', "basic_istream", true},
    Abbreviation{'o', "basic_ostream", true}, Abbreviation{'d', "basic_iostream", true},
};

int base36(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return -1;
}

// A compiler's clone (foo.isra.0), a device function's part by ptxas (foo$229), a symbol version.
bool is_suffix_start(char c) { return c == '.' || c == '$' || c == '@'; }

}  // namespace

bool is_mangled(std::string_view symbol) {
  const std::size_t z = symbol.find_first_not_of('_');
  return z != std::string_view::npos && z >= 1 && z <= 4 && symbol[z] == 'Z' &&
         symbol.size() > z + 1;
}

Result<TypeTree> parse_mangled(std::string_view symbol) {
  if (!is_mangled(symbol)) return Error{"not a mangled C++ name", "", ""};
  if (symbol.size() > kMaxSymbolBytes) return Error{"a symbol of more than 1 MiB", "", ""};
  TypeTree tree;
  const std::size_t start = symbol.find('Z') + 1;
  MangledParser parser(symbol.substr(start), tree);
  tree.root = parser.encoding();
  const std::size_t end = start + parser.position();
  const bool clone_suffix = end < symbol.size() && is_suffix_start(symbol[end]);
  if (tree.root != kNoNode && (parser.at_end() || clone_suffix)) return tree;
  const std::string_view why = parser.why().empty() ? "unexpected text" : parser.why();
  return Error{"not a mangled name that can be read: " + std::string(why) + " at character " +
                   std::to_string(end),
               "", ""};
}

NodeId MangledParser::collect(TypeKind kind, std::string_view text, std::size_t since) {
  const NodeId node = tree_.add(kind, text, std::span(stack_).subspan(since));
  stack_.resize(since);
  return node == kNoNode ? fail("nested too deeply") : node;
}

std::string_view MangledParser::digits() {
  const std::size_t begin = pos_;
  while (peek() >= '0' && peek() <= '9') ++pos_;
  return in_.substr(begin, pos_ - begin);
}

bool MangledParser::sequence_id(std::size_t& out, std::size_t base) {
  out = 0;
  if (take('_')) return true;
  std::size_t value = 0;
  while (value < kMaxSymbolBytes) {
    const int digit = base36(peek());
    if (digit < 0 || static_cast<std::size_t>(digit) >= base) break;
    value = value * base + static_cast<std::size_t>(digit);
    ++pos_;
  }
  out = value + 1;
  return take('_');
}

NodeId MangledParser::encoding() {
  const Level level(*this);
  if (level.too_deep()) return fail("nested too deeply");
  if (peek() == 'T' || peek() == 'G') return special_name();
  const MangledName entity = name();
  NodeId result = entity.node;
  const char next = peek();
  if (result != kNoNode && next != '\0' && next != 'E' && !is_suffix_start(next))
    result = bare_function(entity);
  return result;
}

NodeId MangledParser::bare_function(const MangledName& entity) {
  const std::size_t since = mark();
  stack_.push_back(entity.node);
  NodeId result = kNoNode;
  if (entity.templated && !entity.no_result) {
    result = type();
    if (result == kNoNode) return fail("a result type was expected");
  }
  stack_.push_back(result);
  if (peek() == 'v' && (pos_ + 1 >= in_.size() || peek(1) == 'E' || is_suffix_start(peek(1)))) {
    ++pos_;
  } else {
    do {
      if (!push(type())) return kNoNode;
    } while (!at_end() && peek() != 'E' && !is_suffix_start(peek()));
  }
  return collect(TypeKind::encoding, entity.qualifiers, since);
}

bool MangledParser::skip_call_offset() {
  const bool is_virtual = peek() == 'v';
  if (!take('h') && !take('v')) return false;
  take('n');
  if (digits().empty() || !take('_')) return false;
  if (!is_virtual) return true;
  take('n');
  return !digits().empty() && take('_');
}

NodeId MangledParser::special_name() {
  if (take("Tc")) {
    if (!skip_call_offset() || !skip_call_offset()) return fail("a call offset was expected");
    return tree_.add(TypeKind::special, "covariant return thunk to ", {encoding()});
  }
  if (peek_two() == "Th" || peek_two() == "Tv") {
    const std::string_view phrase = peek(1) == 'h' ? "non-virtual thunk to " : "virtual thunk to ";
    ++pos_;
    if (!skip_call_offset()) return fail("a call offset was expected");
    return tree_.add(TypeKind::special, phrase, {encoding()});
  }
  if (take("TC")) {
    const std::size_t since = mark();
    if (!push(type()) || digits().empty() || !take('_') || !push(type())) return kNoNode;
    return collect(TypeKind::special, "construction vtable for ", since);
  }
  for (const Special& row : kSpecials) {
    if (!take(row.code)) continue;
    NodeId what = row.what == Special::of_type   ? type()
                  : row.what == Special::of_name ? name().node
                                                 : encoding();
    std::size_t ignored = 0;
    if (row.code == "GR") sequence_id(ignored, 36);
    return tree_.add(TypeKind::special, row.phrase, {what});
  }
  return fail("an unknown special name");
}

NodeId MangledParser::standard_substitution(char code) {
  for (const Abbreviation& row : kAbbreviations) {
    if (row.code != code) continue;
    const NodeId std_scope = tree_.add(TypeKind::name, "std");
    const NodeId base = tree_.add(TypeKind::name, row.name, {std_scope});
    if (!row.of_char) return base;
    const NodeId of = tree_.add(TypeKind::name, "char");
    const NodeId traits = tree_.add(TypeKind::name, "char_traits", {std_scope});
    const NodeId of_traits = tree_.add(TypeKind::instance, "", {traits, of});
    return tree_.add(TypeKind::instance, "", {base, of, of_traits});
  }
  return fail("an unknown abbreviation");
}

NodeId MangledParser::substitution() {
  if (!take('S')) return fail("a back-reference was expected");
  if (peek() >= 'a' && peek() <= 'z') {
    const char code = peek();
    ++pos_;
    return abi_tags(standard_substitution(code));
  }
  std::size_t index = 0;
  if (!sequence_id(index, 36) || index >= substitutions_.size()) {
    return fail("a back-reference to nothing");
  }
  return substitutions_[index];
}

NodeId MangledParser::template_parameter() {
  if (!take('T')) return fail("a template parameter was expected");
  if (peek() == 'L') return fail("an unsupported template parameter");
  std::size_t index = 0;
  const std::size_t begin = pos_;
  if (!sequence_id(index, 10)) return fail("an unreadable template parameter");
  const std::string_view spelled = in_.substr(begin - 1, pos_ - begin + 1);
  return tree_.add(TypeKind::parameter, spelled);
}

}  // namespace tilefit
