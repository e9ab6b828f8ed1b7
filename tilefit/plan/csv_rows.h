// SPDX-License-Identifier: Apache-2.0
// Rows of a CSV file -> requests. Columns are those of truth/cutlass.csv, in any order; others are
// ignored and empty fields keep their default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefit/plan/request_text.h"

namespace tilefit {

/// Splits one line without its line end into fields; "" inside quotes is a quote. A field that had
/// to be unquoted lives in `scratch`. Errors: an unclosed quote, text after a closing quote, a NUL
/// byte.
std::optional<Error> split_csv(std::string_view line, std::vector<std::string_view>& fields,
                               std::vector<std::string>& scratch);

class CsvRows {
 public:
  /// Understands a header line; `defaults` holds what the command line says for every row.
  /// Errors: no known column, a column twice, no tile extents, no GPU.
  static Result<CsvRows> from_header(std::string_view line, const RequestDraft& defaults);

  /// One data line -> a request. The error's `where` names the column.
  Result<TileRequest> request(std::string_view line);

 private:
  std::vector<const RequestField*> columns_;  // null = ignored
  std::vector<std::string> names_;
  RequestDraft defaults_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> scratch_;
  // Files name one GPU on many rows: the last answer is kept.
  std::string gpu_text_;
  RequestDraft gpu_draft_;
};

}  // namespace tilefit
