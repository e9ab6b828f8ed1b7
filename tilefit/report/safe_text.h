// SPDX-License-Identifier: Apache-2.0
// Text from files made fit to print: names and paths may hold what would steer a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tilefit {

/// Control characters, bytes that are no UTF-8 and marks that turn the direction of writing become
/// \xNN. All else stays.
std::string safe_text(std::string_view text);

}  // namespace tilefit
