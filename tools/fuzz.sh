#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh FOLDER SECONDS: each libFuzzer target in FOLDER for so long, from a copy of its corpus.
# A find lands in FOLDER/<target>-crash-*; minimise it into tests/fuzz/corpus/<target>/ with the fix.
set -eu
folder=$(realpath "$1")
corpora=$(realpath "$(dirname "$0")/../tests/fuzz/corpus")
for program in "$folder"/*_fuzz; do
  [ -x "$program" ] || { echo "error: no fuzz targets in $folder" >&2; exit 2; }
  name=$(basename "$program" _fuzz)
  mkdir -p "$folder/$name-corpus"
  echo "== $name"
  "$program" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$folder/$name-" "$folder/$name-corpus" "$corpora/$name"
done
