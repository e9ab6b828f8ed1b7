/* SPDX-License-Identifier: Apache-2.0
   tilefit for C and for languages that call C. A request is the words of the command line:

     const char* words[] = {"--gpu", "sm_120", "--tile", "128x256x128", "--epilogue", "finalize"};
     struct tilefit_plan plan;
     char error[256];
     if (tilefit_plan(words, 6, &plan, error, sizeof error) != 0) puts(error);

   Sizes are bytes. No function throws, allocates what the caller has to free, or keeps a pointer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILEFIT_API __attribute__((visibility("default")))

struct tilefit_plan {
  int64_t total_bytes; /* 0 where no size is known */
  int64_t over_bytes;  /* above the limit; negative when it fits; 0 without a size */
  int64_t limit_bytes;
  int32_t stages;
  int32_t blocks_per_sm; /* by shared memory alone; 0 = not known or does not fit */
  int32_t usable;        /* 1 only where a launch can succeed */
  char outcome[24];      /* "fits", "over_limit", ... */
  char reason[192];      /* why not, or why not known; cut where longer */
};

struct tilefit_launch {
  int64_t needed, limit; /* of the resource that decides */
  int32_t ok;            /* 1 = it can start */
  int32_t opt_in;        /* 1 = the dynamic shared memory attribute has to be set first */
  char outcome[24];
  char reason[192];
};

/* 0, or 2 with `error` filled (cut to `error_size`, always ended). `words` are flags and values of
   `tilefit plan`; --gpu and --tile are needed. */
TILEFIT_API int tilefit_plan(const char* const* words, size_t count, struct tilefit_plan* plan,
                             char* error, size_t error_size);

/* The same results; `gpu` is a name or an architecture. Registers are per thread. */
TILEFIT_API int tilefit_will_launch(const char* gpu, int64_t static_bytes, int64_t dynamic_bytes,
                                    int registers, int threads, struct tilefit_launch* launch,
                                    char* error, size_t error_size);

/* "0.1.0" */
TILEFIT_API const char* tilefit_version(void);

#ifdef __cplusplus
}
#endif
