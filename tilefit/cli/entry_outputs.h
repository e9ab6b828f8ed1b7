// SPDX-License-Identifier: Apache-2.0
// What a scan can write while it reads: every function as it stands, and the cubins themselves.
#pragma once

#include <string>
#include <string_view>

#include "tilefit/cli/scanner.h"
#include "tilefit/model/result.h"

namespace tilefit {

inline constexpr std::string_view kFunctionsHeading =
    "file,entry,target,code,symbol,kind,registers,stack,shared,local,constants,text_bytes,body\n";

/// Lines of --functions: each function of the entry, device functions too, in file order. `shared`
/// counts what the file counts for the driver, `constants` is BANK:BYTES.
std::string functions_csv(const SeenEntry& seen);

/// Writes an entry's cubin into `folder` as it was before packing: NAME.INDEX.TARGET.cubin. PTX is
/// left out.
std::optional<Error> extract_cubin(const SeenEntry& seen, const std::string& folder);

}  // namespace tilefit
