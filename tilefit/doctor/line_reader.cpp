// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/line_reader.h"

#include <charconv>
#include <limits>

namespace tilefit {
namespace {

struct CudaError {
  int code;
  std::string_view name, text;
};

constexpr CudaError kCudaErrors[] = {
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {700, "cudaErrorIllegalAddress", "illegal memory access"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {715, "cudaErrorIllegalInstruction", "illegal instruction was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

}  // namespace

std::int64_t number_of(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::string digits;
  for (const char c : text)
    if (c != ',' && c != '_') digits += c;
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value, base);
  return ec == std::errc{} && ptr == end && value >= 0 ? value : -1;
}

std::vector<int> tactic_of(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < text.size();) {
    int value = 0;
    const auto [ptr, ec] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (ec != std::errc{}) {
      ++i;
      continue;
    }
    numbers.push_back(value);
    i = static_cast<std::size_t>(ptr - text.data());
  }
  return numbers;
}

std::string class_of(std::string_view runner) {
  if (const auto at = runner.find(" object at"); at != std::string_view::npos)
    runner = runner.substr(0, at);
  while (!runner.empty() && (runner.front() == '<' || runner.front() == ' '))
    runner.remove_prefix(1);
  while (!runner.empty() && (runner.back() == '>' || runner.back() == ' ')) runner.remove_suffix(1);
  if (const auto at = runner.find_last_of(".>"); at != std::string_view::npos)
    runner.remove_prefix(at + 1);
  return std::string(runner);
}

int cuda_code_of(std::string_view text) {
  for (const CudaError& e : kCudaErrors)
    if (text.find(e.name) != std::string_view::npos || text.find(e.text) != std::string_view::npos)
      return e.code;
  return 0;
}

std::string_view cuda_text(int code) {
  for (const CudaError& e : kCudaErrors)
    if (e.code == code) return e.text;
  return "unknown error";
}

}  // namespace tilefit
