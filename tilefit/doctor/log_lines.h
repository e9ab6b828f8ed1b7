// SPDX-License-Identifier: Apache-2.0
// LogLines: bytes of a log, in pieces of any size, to clean lines: without colours, with a progress
// bar's redraws as lines of their own, and never longer than a bound.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tilefit {

/// `text` without terminal escapes (CSI and OSC sequences) and other control characters but tabs.
std::string without_escapes(std::string_view text);

class LogLines {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;
  using Sink = std::function<void(std::int64_t line, std::string_view text)>;

  explicit LogLines(Sink sink) : sink_(std::move(sink)) {}

  void feed(std::string_view bytes);
  void finish();

  std::int64_t lines() const { return line_ - 1; }  // ended by a line feed, or by the end
  std::int64_t skipped() const {
    return skipped_;
  }  // longer than kLongest: only their beginning was read

 private:
  void take(std::string_view piece);
  void emit();

  Sink sink_;
  std::string held_;
  std::int64_t line_ = 1, skipped_ = 0;
  bool too_long_ = false, pending_ = false;
};

}  // namespace tilefit
