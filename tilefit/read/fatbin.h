// SPDX-License-Identifier: Apache-2.0
// Fatbin: NVIDIA's container of cubins and PTX, as it lies in .nv_fatbin sections and .fatbin
// files.
//
// A section is a run of fatbins. Each has a 16-byte header and entries; an entry has a header of
// its own (64 bytes and more, the length stands in it), flags that say for which chip and how
// compressed, then the payload, padded. Only headers are read here; payloads stay where they are.
#pragma once

#include <optional>

#include "tilefit/read/code_entry.h"

namespace tilefit {

bool looks_like_fatbin(ByteView bytes);

/// Appends to `list` what the fatbin at `at` holds (of file offset `base` + `at`). Returns where
/// the next one starts; nothing where the run ends or makes no sense from there on.
std::optional<Bytes> read_fatbin(ByteView run, Bytes at, Bytes base, CodeList& list);

}  // namespace tilefit
