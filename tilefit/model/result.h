// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that says what went wrong, where, and what to do about it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tilefit {

struct Error {
  std::string what;  // "unknown GPU 'rtx pro 600'"
  std::string
      where;  // "--gpu", "rows.csv:17", "libfoo.so:.nv_fatbin+0x120"; filled where it is known
  std::string fix;  // "did you mean 'rtx pro 6000'?"
  bool operator==(const Error&) const = default;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::move(value)) {}
  Result(Error error) : v_(std::move(error)) {}

  explicit operator bool() const { return v_.index() == 0; }
  const T& operator*() const& { return std::get<0>(v_); }
  T& operator*() & { return std::get<0>(v_); }
  T&& operator*() && { return std::get<0>(std::move(v_)); }
  const T* operator->() const { return &std::get<0>(v_); }
  T* operator->() { return &std::get<0>(v_); }
  const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

}  // namespace tilefit
