// SPDX-License-Identifier: Apache-2.0
// Any bytes as values of flags: on each line the first byte picks the field ('!' the
// first of kRequestFields), the rest is its value.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/plan_checks.h"
#include "tilefit/plan/request_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilefit;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  RequestDraft draft;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty()) continue;
    const std::size_t field =
        static_cast<unsigned char>(line.front() - '!') % kRequestFields.size();
    if (const auto error = kRequestFields[field].set(draft, line.substr(1)))
      fuzz::check_error(*error);
  }
  const Result<TileRequest> request = finish(draft);
  if (request)
    fuzz::check_request(*request);
  else
    fuzz::check_error(request.error());
  return 0;
}
