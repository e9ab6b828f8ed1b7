// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/value_text.h"

#include <algorithm>
#include <charconv>

namespace tilefit {

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 48;
  std::string out(1, '\'');
  for (const char c : text.substr(0, kMost)) out += (c >= ' ' && c < 0x7f) ? c : '?';
  out += text.size() > kMost ? "...'" : "'";
  return out;
}

std::optional<int> number(std::string_view text, int most) {
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value < 1 || value > most)
    return {};
  return value;
}

std::string number_problem(std::string_view text, int most) {
  const bool digits =
      !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  const bool zero = text.find_first_not_of('0') == std::string_view::npos;
  return quoted(text) +
         (digits && !zero ? " is above " + std::to_string(most) : " is no positive whole number");
}

MaybeError number_error(std::string_view what, std::string_view text, int most,
                        std::string_view example) {
  return Error{std::string(what) + " " + number_problem(text, most), "",
               "write a whole number from 1 to " + std::to_string(most) + ", such as " +
                   std::string(example)};
}

MaybeError set_extents(std::span<int> to, const Extents& e, std::string_view text) {
  const auto wrong = [&e, whole = text](const std::string& why) {
    return Error{std::string(e.what) + " " + quoted(whole) + why, "",
                 "write " + std::string(e.form) + " in whole numbers from 1 to " +
                     std::to_string(e.most) + ", such as " + std::string(e.example)};
  };
  if (text.empty()) return wrong(" is empty");
  const std::size_t parts = static_cast<std::size_t>(std::count(text.begin(), text.end(), 'x')) + 1;
  if (parts != to.size())
    return wrong(" has " + std::to_string(parts) + (parts == 1 ? " part" : " parts") + " where " +
                 std::string(e.form) + " has " + std::to_string(to.size()));
  for (int& extent : to) {
    const std::string_view part = text.substr(0, text.find('x'));
    const auto value = number(part, e.most);
    if (!value) return wrong(": " + number_problem(part, e.most));
    extent = *value;
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return {};
}

MaybeError set_bytes(Bytes& to, std::string_view what, std::string_view text) {
  Bytes value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value < 0 ||
      value > (Bytes{1} << 40))
    return Error{std::string(what) + " " + quoted(text) + " is no byte count", "",
                 "write a whole number of bytes, such as 101376"};
  to = value;
  return {};
}

}  // namespace tilefit
