#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doctor_test.py TILEFIT: what `tilefit doctor` prints, for every case, keeps its schema; every rule has
a section that `tilefit explain` prints; a log says the same compressed, in UTF-16, and cut to pieces.
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(*args, text=None):
    return subprocess.run([sys.argv[1], *map(str, args)], input=text, capture_output=True, timeout=60,
                          check=False)


def findings(*args, text=None):
    """The document without its paths."""
    done = run("doctor", "--json", *args, text=text)
    document = json.loads(done.stdout)
    for finding in document["findings"]:
        for place in finding["evidence"]:
            place["path"] = ""
    return document["findings"], document["chain"], done.returncode


def forms(log, folder):
    """Yields (name, path) of the same log, written in other ways."""
    ways = {"gz": gzip.compress(log), "two.gz": gzip.compress(log[:900]) + gzip.compress(log[900:]),
            "utf16le": b"\xff\xfe" + log.decode().encode("utf-16-le"),
            "utf16be": b"\xfe\xff" + log.decode().encode("utf-16-be"), "bom": b"\xef\xbb\xbf" + log,
            "crlf": log.replace(b"\n", b"\r\n"),
            "colour": b"".join(b"\x1b[33m" + line + b"\x1b[0m\n" for line in log.split(b"\n"))[:-1]}
    for name, text in ways.items():
        path = pathlib.Path(folder) / name
        path.write_bytes(text)
        yield name, path


def main():
    failed = []
    schema = json.loads((ROOT / "schemas/doctor.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    cases = sorted((ROOT / "tests/doctor/cases").glob("*.case"))
    for case in cases:
        done = run("doctor", "--json", "--gpu", "rtx pro 6000", case)
        document = json.loads(done.stdout)
        failed += [f"{case.name}: {e.message}" for e in validator.iter_errors(document)]
        worst = {f["severity"] for f in document["findings"]} & {"error", "warning"}
        if done.returncode != (1 if worst else 0):
            failed.append(f"{case.name}: exit {done.returncode}")
    rules = [line.split()[0] for line in run("explain").stdout.decode().splitlines()]
    for rule in rules:
        if not run("explain", rule).stdout.decode().startswith(f"## {rule}\n"):
            failed.append(f"docs/findings.md has no section {rule}")
    log = (ROOT / "tests/cli/examples/serve.log").read_bytes()
    want = findings("-", text=log)
    with tempfile.TemporaryDirectory() as folder:
        for name, path in forms(log, folder):
            if findings(path) != want:
                failed.append(f"the log as {name} says something else")
        broken = pathlib.Path(folder) / "broken.gz"
        broken.write_bytes(gzip.compress(log)[:200])
        if "too early" not in run("doctor", broken).stdout.decode():
            failed.append("a cut gzip file goes unnoticed")
    if run("doctor", "no-such-file").returncode != 2:
        failed.append("a missing file does not exit with 2")
    print("\n".join(failed), f"{len(cases)} cases, {len(rules)} rules, {len(failed)} failed",
          sep="\n" if failed else "")
    return 1 if failed or len(cases) < 50 or len(rules) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
