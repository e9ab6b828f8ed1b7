// SPDX-License-Identifier: Apache-2.0
// Any bytes as the name of a GPU: a target that is whole, or an error of bounded, printable text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tilefit/model/gpu_names.h"

namespace {

bool is_short_text(std::string_view text) {
  return !text.empty() && text.size() < 512 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool is_whole(const tilefit::Target& target) {
  return target.arch != nullptr && (target.gpu == nullptr || target.gpu->cc == target.arch->cc);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const auto found = tilefit::find_target(name);
  const bool right = found ? is_whole(*found)
                           : is_short_text(found.error().what) && is_short_text(found.error().fix);
  if (!right) std::abort();
  return 0;
}
