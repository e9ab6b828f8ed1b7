// SPDX-License-Identifier: Apache-2.0
// Text -> TileRequest: one parser for the command line's flags and for rows of CSV files, so that a
// value accepted in one is accepted in the other. One row of kRequestFields per flag or column.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tilefit/model/result.h"
#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// No tile is near this many elements on a side; larger numbers are taken for slips of the hand.
/// It keeps every product of extents, bits and stages below 2^63.
inline constexpr int kMaxExtent = 1 << 20;
inline constexpr int kMaxStages = 1 << 16;

/// A request while its fields come in, in any order.
struct RequestDraft {
  TileRequest request{};
  bool family_given = false;
  bool kernel_given = false;
  bool dense_by_arch = false;  // sm120dense
  bool mixed_by_arch = false;  // sm90mixed
  std::optional<Mainloop> mainloop{};
  std::optional<ScaleApply> scale_apply{};
  std::optional<int> sf_vec{};
  bool m_given = false, n_given = false, k_given = false;
};

using SetField = std::optional<Error> (*)(RequestDraft&, std::string_view);

struct RequestField {
  std::string_view flag;    // "--dtype"; empty for a column that no flag stands for alone
  std::string_view column;  // "dtypes"; empty for a flag that the ground truth has no column for
  SetField set;
  std::string_view value;  // how help names the value
  std::string_view help;
};

inline constexpr int kRequestFieldCount = 31;
/// In the order of `--help`. Columns are those of truth/cutlass.csv.
extern const std::array<RequestField, kRequestFieldCount> kRequestFields;

/// The field of a CSV column; null for a column that is no input.
const RequestField* find_column(std::string_view column);

/// Checks what only the whole can tell (sf_vec against dtype, conflicting flags) and fills in what
/// depends on other fields.
Result<TileRequest> finish(const RequestDraft& draft);

/// The flag that sets one property of `tile` as it stands, for fixes: "--tile 128x128x128".
std::string tile_text(const Tile& tile);

}  // namespace tilefit
