// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/log_lines.h"

#include <algorithm>

namespace tilefit {
namespace {

constexpr char kEscape = '\x1b', kBell = '\x07';

bool is_control(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u < 0x20 && c != '\t') || u == 0x7f;
}

/// The end of the escape sequence that begins at `at`.
std::size_t after_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return text.size();
  const char kind = text[at + 1];
  std::size_t i = at + 2;
  if (kind == '[') {  // CSI: parameters, then one letter
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    return std::min(i + 1, text.size());
  }
  if (kind != ']') return i;
  while (i < text.size() && text[i] != kBell && text[i] != kEscape) ++i;  // OSC
  if (i < text.size() && text[i] == kEscape && i + 1 < text.size() && text[i + 1] == '\\') ++i;
  return std::min(i + 1, text.size());
}

}  // namespace

std::string without_escapes(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == kEscape) {
      i = after_escape(text, i);
      continue;
    }
    if (!is_control(text[i])) clean += text[i];
    ++i;
  }
  return clean;
}

void LogLines::emit() {
  if (held_.empty()) return;
  const bool dirty = std::any_of(held_.begin(), held_.end(), is_control);
  if (dirty) held_ = without_escapes(held_);
  sink_(line_, held_);
  held_.clear();
}

void LogLines::take(std::string_view piece) {
  pending_ = pending_ || !piece.empty();
  const std::size_t room = kLongest - held_.size();
  if (piece.size() > room && !too_long_) {
    too_long_ = true;
    ++skipped_;
  }
  held_.append(piece.substr(0, room));
}

void LogLines::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    take(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    emit();
    if (bytes[end] == '\n') {
      ++line_;
      too_long_ = pending_ = false;
    }
    bytes.remove_prefix(end + 1);
  }
}

void LogLines::finish() {
  emit();
  if (pending_) ++line_;
  pending_ = false;
}

}  // namespace tilefit
