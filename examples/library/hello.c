/* SPDX-License-Identifier: Apache-2.0
   The case, asked from C. */
#include <stdio.h>

#include "tilefit/tilefit_c.h"

int main(void) {
  const char* words[] = {"--gpu", "rtx pro 6000", "--tile", "128x256x128", "--epilogue", "finalize"};
  struct tilefit_plan plan;
  struct tilefit_launch launch;
  char error[256];
  if (tilefit_plan(words, 6, &plan, error, sizeof error) != 0) return puts(error), 2;
  printf("%lld bytes, %+lld: %s\n", (long long)plan.total_bytes, (long long)plan.over_bytes,
         plan.outcome);
  if (tilefit_will_launch("sm_121", 1024, 100353, 64, 128, &launch, error, sizeof error) != 0)
    return puts(error), 2;
  printf("100353 + 1024 bytes launch: %s\n", launch.ok ? "yes" : launch.reason);
  words[1] = "rtx 509";
  printf("exit %d: %s\n", tilefit_plan(words, 6, &plan, error, sizeof error), error);
  return 0;
}
