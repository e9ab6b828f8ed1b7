// SPDX-License-Identifier: Apache-2.0
// read_entries: all code of a file, several entries at a time, handed over in file order.
#pragma once

#include <functional>

#include "tilefit/read/container.h"
#include "tilefit/read/read_entry.h"

namespace tilefit {

struct ReadLimits {
  int threads = 1;
  Bytes in_flight = Bytes{48} << 20;  // of unpacked code; one larger entry is read alone
};

using TakeEntry = std::function<void(const CodeEntry&, Result<EntryFacts>)>;

/// Calls `take` for each entry, in order, on the calling thread.
void read_entries(const CodeList& list, const ReadLimits& limits, const Release& release,
                  const TakeEntry& take);

}  // namespace tilefit
