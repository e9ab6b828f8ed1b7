// SPDX-License-Identifier: Apache-2.0
// For which architecture's instructions a kernel was written, as its name says.
#pragma once

#include <string_view>

namespace tilefit {

/// 90 of "..MainloopSm90TmaGmmaWarpSpecialized..", mangled or not; 0 where no such word stands.
/// Epilogues, copies and schedulers are named after older chips than they run on, so only words
/// about the multiplication itself count.
int arch_tag(std::string_view symbol);

/// Whether the instructions behind the tag exist on `cc`: wgmma on 9.x alone, tcgen05 on 10.x and
/// 11.0, block-scaled mma.sync on 12.x, those of older tags on all that followed.
bool tag_runs_on(int tag, int cc);

}  // namespace tilefit
