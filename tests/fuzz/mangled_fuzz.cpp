// SPDX-License-Identifier: Apache-2.0
// Any bytes as a mangled name: a tree whose text is bounded, or an error. The text of a tree is
// then read back as a demangled name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tilefit/read/demangled.h"
#include "tilefit/read/mangled.h"
#include "tilefit/read/type_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string symbol = "_Z" + std::string(reinterpret_cast<const char*>(data), size);
  const auto tree = tilefit::parse_mangled(symbol);
  if (!tree) return 0;
  const std::string text = tilefit::type_text(*tree, tree->root);
  if (text.size() > tilefit::kMaxNameText + 3) std::abort();
  if (tree->size() > 4 * symbol.size() + 16) std::abort();
  const auto again = tilefit::parse_demangled(text);
  if (again) tilefit::type_text(*again, again->root);
  return 0;
}
