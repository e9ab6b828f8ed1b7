// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV file: the first line is the header, the others are rows.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/plan_checks.h"
#include "tilefit/plan/csv_rows.h"

namespace {

std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilefit;
  constexpr int kMostRows = 64;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Result<CsvRows> rows = CsvRows::from_header(take_line(rest), {});
  if (!rows) {
    fuzz::check_error(rows.error());
    return 0;
  }
  for (int i = 0; i < kMostRows && !rest.empty(); ++i) {
    const Result<TileRequest> request = rows->request(take_line(rest));
    if (request)
      fuzz::check_request(*request);
    else
      fuzz::check_error(request.error());
  }
  return 0;
}
