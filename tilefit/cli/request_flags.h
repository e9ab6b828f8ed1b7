// SPDX-License-Identifier: Apache-2.0
// The flags that describe a tile, shared by every command that takes one.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {

struct RequestFlags {
  std::vector<std::string> values = std::vector<std::string>(kRequestFieldCount);  // by field
  std::vector<CLI::Option*> options = std::vector<CLI::Option*>(kRequestFieldCount, nullptr);

  bool given(std::string_view flag) const;
  /// Takes `flag` out when it was given as `value`, which only this command knows.
  bool take(std::string_view flag, std::string_view value);
};

/// One option for each field that has a flag.
void add_request_flags(CLI::App& app, RequestFlags& flags);

/// The flags given, over the defaults.
Result<RequestDraft> draft_of(const RequestFlags& flags);

/// Fills in the GPU of this machine where none was named.
Result<RequestDraft> with_gpu(RequestDraft draft);

}  // namespace tilefit
