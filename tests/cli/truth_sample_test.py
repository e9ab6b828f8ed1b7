#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""truth_sample_test.py TILEFIT: the program itself, once a row for a sample of the ground truth, and
once for all rows as a CSV file; both have to give the rows' answers.
"""
import csv
import gzip
import io
import json
import pathlib
import subprocess
import sys

TRUTH = pathlib.Path(__file__).resolve().parent.parent / "data" / "cutlass_truth.csv.gz"
FLAGS = {"arch": "--gpu", "cutlass": "--builder", "kernel": "--kernel", "dtypes": "--dtype",
         "sf_vec": "--sf-vec", "cluster": "--cluster", "schedule": "--schedule",
         "epilogue": "--epilogue", "stage_request": "--stages",
         "epi_tile_request": "--epilogue-tile", "out": "--out"}
OUTCOMES = {"OK": "fits", "OVER_SMEM": "over_limit", "STAGES_LT_2": "too_few_stages",
            "COMPILE_ERROR": "rejected"}
SAMPLE = 23  # every 23rd row: 61 of 1386


def command_line(row):
    args = ["plan", "--json", "--tile", f"{row['tile_m']}x{row['tile_n']}x{row['tile_k']}"]
    for column, flag in FLAGS.items():
        if row[column]:
            args += [flag, row[column]]
    if row["swap_ab"]:
        args.append(f"--swap-ab={row['swap_ab']}")
    if row["variant"]:
        args += ["--d-layout" if row["variant"][0] == "D" else "--scale-granularity",
                 row["variant"]]
    return args


def wrong(row, answer):
    """What differs between a row and an answer; empty if nothing does."""
    want = {"outcome": OUTCOMES[row["outcome"]]}
    if row["outcome"] in ("OK", "OVER_SMEM"):
        want |= {"stages": int(row["stages"]), "total_bytes": int(row["total"]),
                 "over_bytes": int(row["over_by"]), "limit_bytes": int(row["limit"])}
    elif row["outcome"] == "STAGES_LT_2":
        want |= {"stages": int(row["stages"]), "total_bytes": None}
    return {key: (value, answer.get(key)) for key, value in want.items()
            if answer.get(key) != value}


def exit_code(answer):
    return 0 if answer["outcome"] == "fits" and answer["builds"] != "refused" else 1


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    text = gzip.decompress(TRUTH.read_bytes()).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    failed = []
    for row in rows[::SAMPLE]:
        args = command_line(row)
        done = subprocess.run([program, *args], capture_output=True, check=False, timeout=60)
        answer = json.loads(done.stdout) if done.returncode in (0, 1) else {}
        diff = wrong(row, answer) or (done.returncode != exit_code(answer) and done.returncode)
        if diff or done.stderr:
            failed.append(f"tilefit {' '.join(args)}: {diff} {done.stderr.decode()}")
    done = subprocess.run([program, "plan", "--from", "-", "--json"], input=text.encode(),
                          capture_output=True, check=False, timeout=120)
    lines = done.stdout.decode().splitlines()
    if done.returncode != 1 or len(lines) != len(rows) or done.stderr:
        failed.append(f"--from: exit {done.returncode}, {len(lines)} lines: {done.stderr.decode()}")
    for number, (row, line) in enumerate(zip(rows, lines), 1):
        if diff := wrong(row, json.loads(line)):
            failed.append(f"--from, row {number}: {diff}")
    print("\n".join(failed), f"{len(rows[::SAMPLE])} command lines, {len(rows)} rows, "
          f"{len(failed)} failed", sep="\n" if failed else "")
    return 1 if failed or len(rows) != 1386 else 0


if __name__ == "__main__":
    sys.exit(main())
