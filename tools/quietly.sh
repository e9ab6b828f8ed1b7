#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# quietly.sh COMMAND...: runs it and shows what it printed only if it failed.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" >"$log" 2>&1 && exit 0
code=$?
cat "$log" >&2
exit "$code"
