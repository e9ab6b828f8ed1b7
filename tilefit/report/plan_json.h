// SPDX-License-Identifier: Apache-2.0
// A plan as JSON (schema tilefit.plan/1, schemas/plan.schema.json). Written straight into a buffer:
// a file of a million tiles asks for a million documents.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// Appends one object on one line, without a line end. `components` may be null.
void plan_json(fmt::memory_buffer& out, const TileReport& report,
               const std::vector<Component>* components);

/// Appends {"row":N,"error":"..."} for a row that could not be read.
void row_error_json(fmt::memory_buffer& out, long row, const Error& error);

/// Appends `text` as a JSON string with its quotes.
void json_string(fmt::memory_buffer& out, std::string_view text);

}  // namespace tilefit
