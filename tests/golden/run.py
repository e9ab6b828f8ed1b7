#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs golden cases: run.py [--update] TILEFIT CASE...

A case is a folder with `cmd` (shell lines, run in the folder, `tilefit` first in PATH), `expected`
(what it prints to stdout; then, if it wrote there, "[stderr]" and that) and, where the exit code
is not 0, `exit`. --update writes `expected` and `exit` instead of comparing them.
"""
import os
import pathlib
import subprocess
import sys

TIMEOUT_S = 120


def run(tilefit, case):
    """Returns (what the case printed, its exit code)."""
    env = {"PATH": f"{tilefit.parent}:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "COLUMNS": "100",
           "HOME": "/nonexistent"}
    done = subprocess.run(["sh", "-c", (case / "cmd").read_text()], cwd=case, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
    return done.stdout + (b"[stderr]\n" + done.stderr if done.stderr else b""), done.returncode


def update(case, text, code):
    (case / "expected").write_bytes(text)
    exit_file = case / "exit"
    exit_file.write_text(f"{code}\n") if code else exit_file.unlink(missing_ok=True)


def compare(case, text, code):
    exit_file = case / "exit"
    expected = case / "expected"
    want_code = int(exit_file.read_text()) if exit_file.exists() else 0
    want = expected.read_bytes() if expected.exists() else b""
    if (text, code) == (want, want_code):
        return True
    for title, body in ((f"expected (exit {want_code})", want), (f"got (exit {code})", text)):
        print(f"---- {case.name}: {title}\n{body.decode('utf-8', 'backslashreplace')}")
    print(f"fix: if the new text is right: make golden CASE={case.name}")
    return False


def main(args):
    updating = args[:1] == ["--update"]
    tilefit, *cases = [pathlib.Path(a).resolve() for a in args[updating:]]
    results = [(case, *run(tilefit, case)) for case in cases if (case / "cmd").exists()]
    if updating:
        for result in results:
            update(*result)
        return 0
    return 0 if results and all([compare(*result) for result in results]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
