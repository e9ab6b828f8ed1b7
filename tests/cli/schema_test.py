#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_test.py TILEFIT: what --json prints is what schemas/ promises, and nothing else would pass.

Rows of the ground truth, tiles of every outcome and rows that cannot be read go through
`tilefit plan --from`; each line is validated. Then one good answer is spoilt in many ways, each of
which the schema has to refuse.
"""
import copy
import gzip
import json
import pathlib
import subprocess
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EVERY = 11  # rows of the ground truth; each is validated with and without --explain

MORE_ROWS = """\
arch,dtypes,tile_m,tile_n,tile_k,epilogue,cluster,stage_request,cutlass,epi_tile_request,kernel
rtx pro 6000,nvfp4,128,256,128,finalize,,,,,
a100,nvfp4,128,128,128,,,,,,
b300,nvfp4,128,64,256,,,,,,
sm_120,nvfp4,128,128,32,,,,,,
sm_120,nvfp4,128,96,128,,,,,,
sm_120,nvfp4,256,256,256,,,,,,
sm_120,nvfp4,128,128,128,,2x1x1,,,,
sm_120,nvfp4,128,128,128,,,1,,,
sm_120,nvfp4,128,128,128,,,65536,,,
sm_120,nvfp4,1048576,1048576,1048576,,,,,,
sm_120,nvfp4,128,256,64,finalize,,,4.2,,
sm_120,nvfp4,128,256,128,finalize,,,,64x16,
h200,bf16xmxfp4,256,128,256,,,,,,
sm_120,fp8blockwise,128,128,128,,,,,,dense
b300,nvfp4,128,256,256,,2x1x1dyn,,,,
sm_100,nvfp4,128,64,256,activation,,,,,
sm_999,nvfp4,128,128,128,,,,,,
sm_120,nvfp5,128,128,128,,,,,,
sm_120,nvfp4,0,128,128,,,,,,
"sm_120,nvfp4,1,128,128,,,,,,
sm_120
sm_120,\x1b[31m\xe9"\\,1,1,1,,,,,,
"""


def answers(program, text, *flags):
    done = subprocess.run([program, "plan", "--from", "-", "--json", *flags], input=text,
                          capture_output=True, check=False, timeout=300)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def spoilt(good):
    """Yields (what was done, the spoilt copy) for everything that must not pass."""
    def walk(value, path):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield path, key
                yield from walk(inner, path + [key])
        elif isinstance(value, list) and value:
            yield from walk(value[0], path + [0])

    def at(document, path):
        for step in path:
            document = document[step]
        return document

    optional = {"components", "builder_sum", "culprit"}
    for path, key in walk(good, []):
        inside = path and path[0] == "components"
        if key not in optional and not inside:
            copy_ = copy.deepcopy(good)
            del at(copy_, path)[key]
            yield f"without {path + [key]}", copy_
        copy_ = copy.deepcopy(good)
        at(copy_, path)[key] = 1.5
        yield f"a fraction as {path + [key]}", copy_
        copy_ = copy.deepcopy(good)
        at(copy_, path)["surplus key"] = 1
        yield f"a surplus key beside {path + [key]}", copy_
    for changes in ({"outcome": "over_limit"}, {"over_bytes": 1}, {"total_bytes": None},
                    {"regions": []}, {"outcome": "unknown"}, {"schema": "tilefit.plan/2"},
                    {"blocks_per_sm": 0}, {"provenance": "unknown"}, {"builds": "maybe"}):
        yield f"{changes}", {**good, **changes}
    yield "two documents in one", {**good, "row": 1, "error": "x"}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    failed = []
    schema_text = (ROOT / "schemas" / "plan.schema.json").read_text()
    printed = subprocess.run([program, "schema", "plan"], capture_output=True, check=True).stdout
    if printed.decode() != schema_text:
        failed.append("tilefit schema plan prints another text than schemas/plan.schema.json")
    listed = subprocess.run([program, "schema"], capture_output=True, check=True).stdout.decode()
    files = sorted(p.name.split(".")[0] for p in (ROOT / "schemas").glob("*.schema.json"))
    if listed.split() != files:
        failed.append(f"tilefit schema lists {listed.split()}, schemas/ has {files}")
    schema = json.loads(schema_text)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    truth = gzip.decompress((ROOT / "tests/data/cutlass_truth.csv.gz").read_bytes())
    header, *rows = truth.splitlines(keepends=True)
    sample = header + b"".join(rows[::EVERY])
    more = MORE_ROWS.encode("latin-1")
    documents = [d for text in (sample, more) for flags in ((), ("--explain",))
                 for d in answers(program, text, *flags)]
    expected = 2 * (len(rows[::EVERY]) + MORE_ROWS.count("\n") - 1)
    if len(documents) != expected:
        failed.append(f"{len(documents)} answers to {expected} rows")
    outcomes = {d.get("outcome", "error") for d in documents}
    missing = {"fits", "over_limit", "too_few_stages", "not_built", "rejected", "unknown",
               "error"} - outcomes
    if missing:
        failed.append(f"no row shows {missing}")
    for document in documents:
        failed += [f"{json.dumps(document)[:200]}: {e.message}"
                   for e in validator.iter_errors(document)]

    good = next(d for d in documents if d.get("outcome") == "fits" and "builder_sum" in d
                and d["blocks_per_sm"] and d["tile"]["dtype"] != "fp8blockwise")
    count = 0
    for what, document in spoilt(good):
        count += 1
        if document == good or validator.is_valid(document):
            failed.append(f"passes: {what}")
    for document in ({"row": 0, "error": "x"}, {"row": 1}, {"row": 1, "error": ""},
                     {"row": 1, "error": "x", "more": 1}, {}, [], None, 1):
        count += 1
        if validator.is_valid(document):
            failed.append(f"passes: {document}")
    print("\n".join(failed[:40]), f"{len(documents)} answers, {count} spoilt ones, "
          f"{len(failed)} failed", sep="\n" if failed else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
