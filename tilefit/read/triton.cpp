// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/triton.h"

#include <nlohmann/json.hpp>

namespace tilefit {

std::optional<TritonSidecar> read_triton_sidecar(std::string_view text) {
  using nlohmann::json;
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  const auto shared = document.find("shared");
  if (shared == document.end() || !shared->is_number_integer()) return std::nullopt;
  TritonSidecar sidecar{.name = {}, .shared = shared->get<Bytes>(), .num_warps = 0};
  if (sidecar.shared < 0) return std::nullopt;
  if (auto name = document.find("name"); name != document.end() && name->is_string())
    sidecar.name = name->get<std::string>();
  if (auto warps = document.find("num_warps");
      warps != document.end() && warps->is_number_integer())
    sidecar.num_warps = warps->get<int>();
  return sidecar;
}

}  // namespace tilefit
