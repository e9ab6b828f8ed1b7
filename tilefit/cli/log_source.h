// SPDX-License-Identifier: Apache-2.0
// read_log: a log of any size, plain or compressed (gzip, zstd), in UTF-8 or UTF-16, in blocks.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tilefit/model/result.h"

namespace tilefit {

/// Hands over the text of `path` ("-": standard input) block by block. The value says why reading
/// ended early ("the compressed data is damaged"); empty at the end of a whole file.
Result<std::string> read_log(const std::string& path,
                             const std::function<void(std::string_view)>& take);

}  // namespace tilefit
