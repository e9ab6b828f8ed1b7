#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an nvcc command and fails where ptxas says what our kernels must not be: spilled to local
memory, wgmma serialised (C75xx), static shared memory that no plan names. Used as compiler launcher.

check_ptxas.py nvcc ... -Xptxas -v ...
"""
import re
import subprocess
import sys

PROBLEMS = [
    (r"\(C75\d\d\)", "wgmma is serialised: nothing but wgmma may touch its registers in flight"),
    (r"[1-9]\d* bytes spill", "registers spill: narrow the tile or give the role more registers"),
    (r"[1-9]\d* bytes stack frame", "an array is indexed at run time, or registers spill"),
    (r"[1-9]\d* bytes smem", "static shared memory: every byte belongs into the plan"),
]


def main():
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    kernel, found = "", []
    for line in done.stdout.splitlines():
        named = re.search(r"(?:Compiling entry function|Function properties for) '?(\w+)", line)
        kernel = named.group(1) if named else kernel
        hits = [why for pattern, why in PROBLEMS if re.search(pattern, line)]
        found += [f"{kernel}: {line.strip()}\n  fix: {why}" for why in hits]
        if not hits and not re.search(r"ptxas info|bytes stack frame|bytes gmem", line):
            print(line)
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    return done.returncode or (1 if found else 0)


if __name__ == "__main__":
    sys.exit(main())
