// SPDX-License-Identifier: Apache-2.0
// ByteView: the only pointer arithmetic on file data. Every access is checked; what lies outside
// of the data is an empty optional, never a read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "tilefit/model/smem_plan.h"

namespace tilefit {

static_assert(std::endian::native == std::endian::little, "files and host are little endian");

class ByteView {
 public:
  constexpr ByteView() = default;
  constexpr ByteView(std::span<const std::byte> data) : data_(data) {}
  explicit ByteView(std::string_view text)
      : data_(reinterpret_cast<const std::byte*>(text.data()), text.size()) {}

  constexpr Bytes size() const { return static_cast<Bytes>(data_.size()); }
  bool empty() const { return data_.empty(); }
  const std::byte* data() const { return data_.data(); }
  std::span<const std::byte> span() const { return data_; }

  bool holds(Bytes offset, Bytes count) const {
    return offset >= 0 && count >= 0 && offset <= size() && count <= size() - offset;
  }

  /// The `count` bytes at `offset`, if the data holds them all.
  std::optional<ByteView> slice(Bytes offset, Bytes count) const {
    if (!holds(offset, count)) return std::nullopt;
    return ByteView(
        data_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count)));
  }

  /// As much of those bytes as the data holds.
  ByteView clamp(Bytes offset, Bytes count) const {
    if (offset < 0 || offset >= size() || count <= 0) return {};
    return *slice(offset, count < size() - offset ? count : size() - offset);
  }

  ByteView from(Bytes offset) const { return clamp(offset, size()); }

  template <class T>
  requires std::is_trivially_copyable_v<T> std::optional<T> number(Bytes offset)
  const {
    if (!holds(offset, static_cast<Bytes>(sizeof(T)))) return std::nullopt;
    T value;
    std::memcpy(&value, data_.data() + offset, sizeof(T));
    return value;
  }

  /// number(), or 0 where the data ends before it.
  template <class T>
  T number_or_0(Bytes offset) const {
    return number<T>(offset).value_or(T{});
  }

  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_.data()), data_.size()};
  }

  /// The NUL-terminated text at `offset`; nothing where no NUL follows within kMaxText. (Without
  /// that bound a table of names that lacks NULs would cost its square.)
  static constexpr Bytes kMaxText = 65536;
  std::optional<std::string_view> c_string(Bytes offset) const {
    if (offset < 0 || offset >= size()) return std::nullopt;
    std::string_view rest = clamp(offset, kMaxText).text();
    std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }

  bool starts_with(std::string_view magic) const { return text().substr(0, magic.size()) == magic; }

 private:
  std::span<const std::byte> data_;
};

/// A file's unsigned number as Bytes; -1 (which no range holds) where it does not fit.
constexpr Bytes as_bytes(std::uint64_t value) {
  return value > static_cast<std::uint64_t>(INT64_MAX) ? -1 : static_cast<Bytes>(value);
}

}  // namespace tilefit
