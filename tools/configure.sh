#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# configure.sh PRESET FOLDER: CMake with Ninja, or with make where Ninja is missing. A folder that
# was configured before keeps its generator.
set -eu
cd "$(dirname "$0")/.."
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$2/CMakeCache.txt" 2>/dev/null) || generator=
if [ -z "$generator" ]; then
  generator=Ninja
  command -v ninja >/dev/null || generator="Unix Makefiles"
fi
exec tools/quietly.sh cmake --preset "$1" -G "$generator"
