#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job of `make run`: the tiles of the case, the one that failed explained, what fixes it.
set -eu
cd "$(dirname "$0")/.."

# 1 means that something does not fit, which is the point here.
run() {
  printf '\n$ tilefit %s\n' "$*"
  build/tilefit "$@" || [ $? -eq 1 ]
}

run plan --gpu rtx-pro-6000 --from examples/the_case.csv
run plan --gpu rtx-pro-6000 --dtype nvfp4 --tile 128x256x128 --epilogue finalize --explain
