// SPDX-License-Identifier: Apache-2.0
// Any bytes as a demangled name: a tree whose text is bounded, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tilefit/read/demangled.h"
#include "tilefit/read/type_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const auto tree = tilefit::parse_demangled(name);
  if (!tree) return 0;
  if (tilefit::type_text(*tree, tree->root).size() > tilefit::kMaxNameText + 3) std::abort();
  return 0;
}
