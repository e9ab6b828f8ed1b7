// SPDX-License-Identifier: Apache-2.0
// The case, asked from C++.
#include <cstdio>

#include "tilefit/tilefit.h"

int main() {
  using namespace tilefit;
  const Tile tile{.m = 128, .n = 256, .k = 128, .epilogue = Epilogue::finalize};
  const Result<TilePlan> p = plan("rtx pro 6000", tile);
  if (!p) return std::puts(p.error().what.c_str()), 2;
  std::printf("%lld bytes, %+lld\n", static_cast<long long>(p->smem.total),
              static_cast<long long>(p->over()));
  std::printf("fix: %s\n", what_fits(*p).front().flags.c_str());
  const Result<Launch> l = will_launch(0, 101376, 168, 384, "sm_120");
  std::printf("101376 bytes launch: %s\n", l->ok() ? "yes" : "no");
  const Result<Sweep> best = search("sm_120", tile, {.epilogues = {Epilogue::finalize}});
  std::printf("most in flight: %dx%dx%d\n", best->rows[0].tile.m, best->rows[0].tile.n,
              best->rows[0].tile.k);
}
