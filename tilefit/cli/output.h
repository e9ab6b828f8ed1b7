// SPDX-License-Identifier: Apache-2.0
// Output: standard output, or a file that appears whole or not at all. Every write is checked.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tilefit/model/result.h"

namespace tilefit {

class Output {
 public:
  /// Opens `path`, or standard output when it is empty. A regular file is written beside its place
  /// and moved there by finish(); a device or pipe is written as it is.
  static Result<Output> open(const std::string& path);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();  // removes an unfinished file

  /// False once something could not be written; finish() says what.
  bool write(std::string_view text);
  std::optional<Error> finish();

 private:
  Output() = default;
  Error write_error() const;

  std::FILE* file_ = nullptr;
  std::string path_;       // where the output belongs; empty for standard output
  std::string temporary_;  // empty where written in place
  int error_ = 0;
};

}  // namespace tilefit
