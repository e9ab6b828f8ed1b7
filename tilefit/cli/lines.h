// SPDX-License-Identifier: Apache-2.0
// Lines of a file of any size, read in blocks; a line longer than kMaxLine is cut and reported.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/result.h"

namespace tilefit {

struct Line {
  std::string_view text;  // valid until the next call; without its line end
  bool too_long = false;  // text holds the first bytes only
};

class Lines {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  /// `path` or, for "-", standard input.
  static Result<Lines> open(const std::string& path);
  /// The next line; nothing at the end or when reading fails (then error() says so).
  std::optional<Line> next();
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Close {
    void operator()(std::FILE* f) const {
      if (f != stdin) std::fclose(f);
    }
  };
  bool refill();

  std::unique_ptr<std::FILE, Close> file_;
  std::string path_;
  std::vector<char> buffer_;
  std::size_t from_ = 0, to_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace tilefit
