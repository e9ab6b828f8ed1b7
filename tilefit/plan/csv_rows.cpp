// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/csv_rows.h"

#include <algorithm>

namespace tilefit {
namespace {

constexpr std::string_view kGpuColumn = "arch";

std::string_view without_bom(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

/// `rest` starts behind an opening quote. Moves past the closing one and gives what lay between.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string value;
  while (true) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return {};
    value += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return value;
    value += '"';
    rest.remove_prefix(1);
  }
}

/// What `finish` says of a flag, said of the columns that stand for it.
Error of_columns(Error error) {
  if (error.where == "--tile") error.where = "tile_m, tile_n, tile_k";
  for (const RequestField& f : kRequestFields)
    if (f.flag == error.where && !f.column.empty()) error.where = std::string(f.column);
  return error;
}

}  // namespace

std::optional<Error> split_csv(std::string_view line, std::vector<std::string_view>& fields,
                               std::vector<std::string>& scratch) {
  fields.clear();
  scratch.clear();
  if (line.find('\0') != std::string_view::npos)
    return Error{"a NUL byte in a text file", "", "save the file as plain text (UTF-8)"};
  if (line.find('"') !=
      std::string_view::npos)  // views into scratch stay valid: it never grows past this
    scratch.reserve(static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1);
  while (true) {
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      std::optional<std::string> value = take_quoted(line);
      if (!value)
        return Error{"a quote is not closed on its line", "", "close it, or leave quotes out"};
      if (!line.empty() && line.front() != ',')
        return Error{"text after a closing quote", "", "double a quote that is part of the text"};
      scratch.push_back(std::move(*value));
      fields.push_back(scratch.back());
      if (line.empty()) return {};
      line.remove_prefix(1);
    } else {
      const std::size_t comma = line.find(',');
      fields.push_back(line.substr(0, comma));
      if (comma == std::string_view::npos) return {};
      line.remove_prefix(comma + 1);
    }
  }
}

Result<CsvRows> CsvRows::from_header(std::string_view line, const RequestDraft& defaults) {
  CsvRows rows;
  rows.defaults_ = defaults;
  if (auto error = split_csv(without_bom(line), rows.fields_, rows.scratch_)) return *error;
  for (const std::string_view field : rows.fields_) {
    const std::string name(trimmed(field));
    const RequestField* known = find_column(name);
    if (known != nullptr &&
        std::find(rows.columns_.begin(), rows.columns_.end(), known) != rows.columns_.end())
      return Error{"column '" + name + "' stands twice", "header", "keep one of them"};
    rows.columns_.push_back(known);
    rows.names_.push_back(name);
  }
  const auto has = [&](std::string_view column) {
    return std::find(rows.columns_.begin(), rows.columns_.end(), find_column(column)) !=
           rows.columns_.end();
  };
  std::string missing;
  for (const std::string_view column : {"tile_m", "tile_n", "tile_k"})
    if (!has(column) && !defaults.m_given)
      missing += (missing.empty() ? "" : ", ") + std::string(column);
  if (!has(kGpuColumn) && defaults.request.arch == nullptr)
    missing += (missing.empty() ? "" : ", ") + std::string(kGpuColumn);
  if (!missing.empty())
    return Error{"missing columns: " + missing, "header",
                 "the first line names the columns: arch, tile_m, tile_n, tile_k and any of "
                 "cutlass, kernel, dtypes, sf_vec, cluster, schedule, epilogue, swap_ab, variant, "
                 "stage_request, epi_tile_request, out; "
                 "--gpu and --tile stand in for arch and tile_*"};
  return rows;
}

Result<TileRequest> CsvRows::request(std::string_view line) {
  if (auto error = split_csv(line, fields_, scratch_)) return *error;
  if (fields_.size() != columns_.size())
    return Error{std::to_string(fields_.size()) + " fields where the header has " +
                     std::to_string(columns_.size()),
                 "", "give every row the header's fields"};
  RequestDraft draft = defaults_;
  // The GPU first: its answer is a whole draft of its own, kept between rows.
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == nullptr || columns_[i]->column != kGpuColumn || blank(fields_[i])) continue;
    const std::string_view text = trimmed(fields_[i]);
    if (gpu_text_ != text) {
      gpu_text_.clear();
      gpu_draft_ = defaults_;
      if (auto error = columns_[i]->set(gpu_draft_, text)) {
        error->where = names_[i];
        return *error;
      }
      gpu_text_ = text;
    }
    draft = gpu_draft_;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == nullptr || columns_[i]->column == kGpuColumn || blank(fields_[i])) continue;
    if (auto error = columns_[i]->set(draft, trimmed(fields_[i]))) {
      error->where = names_[i];
      return *error;
    }
  }
  Result<TileRequest> request = finish(draft);
  if (!request) return of_columns(request.error());
  return request;
}

}  // namespace tilefit
