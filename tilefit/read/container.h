// SPDX-License-Identifier: Apache-2.0
// Finds device code in a file of any kind that can hold some: kContainers has a row for each.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tilefit/model/result.h"
#include "tilefit/read/code_entry.h"

namespace tilefit {

/// Told that bytes of the file will not be looked at again soon, so that a mapped file can let go
/// of them. May do nothing.
using Release = std::function<void(ByteView)>;

enum class FileKind : std::uint8_t { none, fatbin, cubin, host_elf, archive, ptx, zip, pe };
inline constexpr std::array<std::string_view, 8> kFileKindNames{"",        "fatbin", "cubin", "elf",
                                                                "archive", "ptx",    "zip",   "pe"};
constexpr std::string_view name(FileKind k) { return kFileKindNames[static_cast<std::size_t>(k)]; }

/// What the first bytes look like.
FileKind sniff(ByteView head);

/// The code in `file`, not unpacked. Zip files are not followed here (tilefit/read/zip.h).
Result<CodeList> read_container(ByteView file, const Release& release);

}  // namespace tilefit
