// SPDX-License-Identifier: Apache-2.0
// PtxCursor: words and numbers of PTX text, one after the other; comments count as space.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace tilefit {

class PtxCursor {
 public:
  explicit PtxCursor(std::string_view text) : rest_(text) {}

  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  char peek() {
    skip_space();
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool accept(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// ".align", "sm_90a", "4096"; one other character where none of these stands.
  std::string_view word() {
    skip_space();
    std::size_t n = rest_.empty() || rest_[0] != '.' ? 0 : 1;
    while (n < rest_.size() && is_name(rest_[n])) ++n;
    return take(std::max<std::size_t>(n, 1));
  }

  std::optional<std::int64_t> number() {
    skip_space();
    std::int64_t value = 0;
    std::size_t n = 0;
    for (; n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9'; ++n)
      value = std::min<std::int64_t>(value * 10 + (rest_[n] - '0'), std::int64_t{1} << 40);
    if (n == 0) return std::nullopt;
    take(n);
    return value;
  }

  void skip_to(char c) { take(std::min(rest_.find(c), rest_.size())); }
  std::string_view rest() const { return rest_; }

 private:
  static bool is_name(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '%';
  }
  std::string_view take(std::size_t n) {
    n = std::min(n, rest_.size());
    std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  void skip_space() {
    for (;;) {
      take(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
      if (rest_.starts_with("//")) {
        take(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/");
        take(end == std::string_view::npos ? rest_.size() : end + 2);
      } else {
        return;
      }
    }
  }

  std::string_view rest_;
};

}  // namespace tilefit
