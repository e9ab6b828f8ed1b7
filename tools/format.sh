#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-format 14 (Debian 12's) over every C++ and CUDA file; --check changes nothing and fails.
set -eu
cd "$(dirname "$0")/.."
format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "error: no clang-format" >&2; echo "  fix: tools/setup_debian.sh check" >&2; exit 2; }
version=$("$format" --version | sed -E 's/.*version ([0-9]+).*/\1/')
[ "$version" = 14 ] || {
  echo "error: clang-format is version $version; this tree is formatted with 14" >&2
  echo "  fix: tools/setup_debian.sh check" >&2; exit 2; }
mode=-i
[ "${1-}" = --check ] && mode="--dry-run -Werror -ferror-limit=1"
# shellcheck disable=SC2086  # several words on purpose
find . \( -path './build*' -o -path './.*' \) -prune -o \
       \( -name '*.h' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' \) -print |
  sort | xargs "$format" $mode || { echo "  fix: make format" >&2; exit 1; }
