// SPDX-License-Identifier: Apache-2.0
// redacted: text without whom and where: home folders, addresses, user@host, hosts of URLs, host=..
#pragma once

#include <string>

namespace tilefit {

/// Replacements hold no quote and no backslash, so that JSON stays JSON.
std::string redacted(std::string text);

}  // namespace tilefit
