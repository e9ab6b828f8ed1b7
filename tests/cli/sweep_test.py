#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep_test.py TILEFIT: the outputs of `tilefit sweep` agree with each other and with `plan`.

CSV rows planned again give the same bytes; a tactic's number leads to its configuration and the
configuration back to its number; the SVG is well-formed, 1200 wide, and has every cell's bytes.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import jsonschema

CASES = [["--gpu", "sm_120", "--epilogue", "all"], ["--gpu", "sm_121", "--dtype", "mxfp8", "--epilogue", "all"],
         ["--gpu", "h200", "--dtype", "bf16", "--epilogue", "all"], ["--gpu", "h200", "--dtype", "bf16xmxfp4"],
         ["--gpu", "b200", "--epilogue", "all"], ["--gpu", "b300", "--epilogue", "all"],
         ["--gpu", "sm_120", "--tiles", "flashinfer-0.6.0"], ["--gpu", "sm_120", "--tiles", "flashinfer-0.6.18"],
         ["--gpu", "sm_120", "--tiles", "flashinfer-0.7.4"], ["--gpu", "sm_120", "--dtype", "wfp4afp8", "--tiles", "flashinfer-0.7.4"],
         ["--gpu", "b200", "--tiles", "flashinfer-0.7.4"], ["--gpu", "h200", "--dtype", "bf16xmxfp4", "--tiles", "flashinfer-0.7.4"]]
failed = []
ROOT = pathlib.Path(__file__).resolve().parents[2]
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schemas" / "sweep.schema.json").read_text()))


def expect(condition, *words):
    if not condition:
        failed.append(" ".join(str(w) for w in words))


def run(program, *arguments, stdin=None):
    done = subprocess.run([program, *arguments], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_csv(program, case):
    code, text, _ = run(program, "sweep", *case, "--csv")
    expect(code in (0, 1), "exit", code, case)
    rows = [r for r in csv.DictReader(io.StringIO(text)) if r["total"]]
    expect(rows, "no rows with bytes", case)
    header = text.split("\n", 1)[0]
    again = "\n".join([header] + [",".join(f'"{v}"' for v in r.values()) for r in rows]) + "\n"
    _, lines, errors = run(program, "plan", "--from", "-", "--json", stdin=again.encode())
    plans = [json.loads(line) for line in lines.splitlines()]
    expect(len(plans) == len(rows), len(plans), "plans for", len(rows), "rows", case, errors)
    for row, plan in zip(rows, plans):
        same = str(plan.get("total_bytes")) == row["total"] and str(plan.get("stages")) == row["stages"] and plan.get("outcome") == row["outcome"]
        expect(same, case, row, plan.get("total_bytes"), plan.get("error"))


def check_json(program, case):
    _, text, _ = run(program, "sweep", *case, "--json")
    sweep = json.loads(text)
    problems = [e.message for e in VALIDATOR.iter_errors(sweep)]
    expect(not problems, case, problems[:3])
    for row in sweep["rows"]:
        if row["total_bytes"] is not None:
            expect(row["over_bytes"] == row["total_bytes"] - sweep["limit_bytes"], "over", row)
            expect((row["over_bytes"] > 0) == (row["outcome"] == "over_limit"), "outcome", row)
    if sweep["list"]:
        numbers = sorted(r[g] for r in sweep["rows"] for g in ("gemm1", "gemm2") if r[g] is not None)
        expect(numbers == list(range(len(numbers))), "numbers", case)
    return sweep


def check_numbers(program, case, sweep):
    """A number leads to one row, and that row's configuration leads back to the number."""
    for row in sweep["rows"][:: max(1, len(sweep["rows"]) // 7)]:
        number = row["gemm2"]
        _, text, _ = run(program, "sweep", *case, "--tactic", str(number), "--json")
        found = json.loads(text)["rows"]
        expect(found == [row], "tactic", number, case)
        tile = f'{row["m"]}x{row["n"]}x{row["k"]}'
        _, text, _ = run(program, "sweep", *case, "--tile", tile, "--epilogue", row["epilogue"],
                         f'--swap-ab={str(row["swap_ab"]).lower()}', "--json")
        expect(row in json.loads(text)["rows"], "back to", number, case)


def check_svg(program, case, sweep, folder):
    path = pathlib.Path(folder) / "sweep.svg"
    run(program, "sweep", *case, "--svg", str(path), "-q")
    root = ElementTree.parse(path).getroot()
    expect(root.get("width") == "1200", "width", root.get("width"))
    words = " ".join(e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text"))
    for row in sweep["rows"]:
        if row["total_bytes"] is not None:
            expect(str(row["total_bytes"]) in words, row["total_bytes"], "is not in the picture", case)
    expect(str(sweep["limit_bytes"]) in words, "limit is not in the picture")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            check_csv(program, case)
            sweep = check_json(program, case)
            if sweep["list"]:
                check_numbers(program, case, sweep)
            check_svg(program, case, sweep, folder)
        drawn = pathlib.Path(folder) / "docs.svg"
        run(program, "sweep", "--gpu", "rtx pro 6000", "--tiles", "flashinfer-0.7.4", "--svg", str(drawn), "-q")
        expect(drawn.read_bytes() == (ROOT / "docs" / "tiles-sm120.svg").read_bytes(), "docs/tiles-sm120.svg is stale")
    code, _, errors = run(program, "sweep", "--gpu", "sm_120", "--tiles", "flashinfer-0.7.4", "--tactic", "48")
    expect(code == 2 and "0 to 47" in errors, errors)
    code, _, errors = run(program, "sweep", "--gpu", "sm_120", "--tiles", "flashinfer-0.7.5")
    expect(code == 2 and "did you mean 'flashinfer-0.7.4'" in errors, errors)
    code, _, errors = run(program, "sweep", "--gpu", "a100", "--tiles", "flashinfer-0.7.4")
    expect(code == 2 and "not known" in errors, errors)
    print("\n".join(failed[:20]), f"{len(CASES)} sweeps, {len(failed)} failed", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
