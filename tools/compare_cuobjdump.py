#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `tilefit scan --functions` reads with what `cuobjdump -res-usage` prints.

compare_cuobjdump.py [--tilefit PROGRAM] [--cuobjdump PROGRAM] FILE...

Every function of every cubin in each FILE: target, registers, stack, shared, local and constant
memory. Prints one line a file and the first differences; exits 1 if there are any, 2 if either
program failed, 0 otherwise. cuobjdump comes with the PyPI package nvidia-cuda-cuobjdump; without
one this says so and exits 0, so that machines without it pass.
"""
import argparse
import collections
import csv
import io
import pathlib
import resource
import shutil
import subprocess
import sys
import time

SHOWN = 5


def find_cuobjdump():
    found = shutil.which("cuobjdump")
    if found:
        return found
    for folder in sys.path:
        for path in pathlib.Path(folder or ".").glob("nvidia/cu*/bin/cuobjdump"):
            return str(path)
    return None


def run(command):
    """Output and CPU seconds of a command; output is None where it failed to start or crashed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, cpu, time.monotonic() - started


def from_cuobjdump(text):
    """Counts (target, name, registers, stack, shared, local, constants) of -res-usage output."""
    seen = collections.Counter()
    target = name = ""
    for line in text.splitlines():
        if line.startswith("arch = "):
            target = line[7:].strip()
        elif line.startswith(" Function "):
            name = line[len(" Function "):-1]
        elif line.startswith("  REG:"):
            numbers = dict(part.split(":") for part in line.split())
            constants = " ".join(sorted(f"{k[9:-1]}:{v}" for k, v in numbers.items()
                                        if k.startswith("CONSTANT")))
            seen[(target, name, numbers["REG"], numbers["STACK"], numbers["SHARED"],
                  numbers["LOCAL"], constants)] += 1
    return seen


def from_tilefit(text):
    """The same of tilefit's CSV. cuobjdump prints 0 registers where the file states none."""
    seen = collections.Counter()
    for row in csv.DictReader(io.StringIO(text)):
        constants = " ".join(sorted(row["constants"].split()))
        seen[(row["target"], row["symbol"], row["registers"] or "0", row["stack"], row["shared"],
              row["local"], constants)] += 1
    return seen


def compare(path, tilefit, cuobjdump):
    theirs_run, their_cpu, _ = run([cuobjdump, "-res-usage", path])
    ours_run, our_cpu, _ = run([tilefit, "scan", "--functions", path])
    if ours_run.returncode not in (0, 1):
        print(f"{path}: tilefit failed: {ours_run.stderr.decode(errors='replace')[-300:]}")
        return 2
    theirs = from_cuobjdump(theirs_run.stdout.decode(errors="replace"))
    ours = from_tilefit(ours_run.stdout.decode(errors="replace"))
    if theirs_run.returncode != 0:
        said = theirs_run.stderr.decode(errors="replace").strip()[-200:]
        print(f"{path}: cuobjdump stopped early ({said}); {sum(theirs.values())} functions compared")
    if not any(row[0] for row in theirs):  # of a bare cubin cuobjdump prints no target
        ours = collections.Counter({("", *row[1:]): n for row, n in ours.items()})
    missing, extra = theirs - ours, ours - theirs
    if theirs_run.returncode != 0:
        extra = collections.Counter()
    print(f"{path}: {sum(theirs.values())} functions, {sum(ours.values())} read, "
          f"{sum(missing.values())} differ; CPU {their_cpu:.2f} s cuobjdump, {our_cpu:.2f} s tilefit")
    for label, rows in (("cuobjdump", missing), ("tilefit", extra)):
        for row in list(rows)[:SHOWN]:
            print(f"  only {label}: {row}")
    return 1 if missing or extra else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tilefit", default="build/tilefit")
    parser.add_argument("--cuobjdump", default=find_cuobjdump())
    args = parser.parse_args()
    if not args.cuobjdump:
        print("no cuobjdump here: nothing compared (it comes with nvidia-cuda-cuobjdump)")
        return 0
    return max(compare(path, args.tilefit, args.cuobjdump) for path in args.files)


if __name__ == "__main__":
    sys.exit(main())
