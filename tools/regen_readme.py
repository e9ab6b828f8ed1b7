#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Re-runs the console blocks of README.md and docs/*.md and writes what they print now.

regen_readme.py [--check] [--tilefit build/tilefit] [FILE...]

A block is fenced with ```console and its first line is `$ tilefit ...`. Every line that begins
with `$ ` is a shell command, run in the repository's root with the program first in PATH; what
follows it is its output, stdout and stderr together. Exit codes 0 and 1 are results, others fail.
--check writes nothing and shows what is stale.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?ms)^```console\n(?=\$ tilefit )(.*?)^```$")
TIMEOUT_S = 120


def output(command, program):
    env = {"PATH": f"{program.parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC",
           "COLUMNS": "100", "HOME": "/nonexistent"}
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S,
                          check=False)
    text = done.stdout.decode("utf-8", "backslashreplace")
    if done.returncode not in (0, 1):
        raise SystemExit(f"error: exit code {done.returncode} ($ {command})\n{text}")
    if re.search(r"(?m)^```", text):
        raise SystemExit(f"error: output would end its block ($ {command})")
    return text if not text or text.endswith("\n") else text + "\n"


def regenerated(text, program):
    """The text with each block run again, and how many blocks it has."""
    def run_block(match):
        # A command goes on in the next line after a backslash.
        commands = re.findall(r"(?m)^\$ ((?:.*\\\n)*.*)$", match.group(1))
        body = "".join(f"$ {command}\n{output(command, program)}" for command in commands)
        return f"```console\n{body}```"
    return BLOCK.subn(run_block, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    parser.add_argument("--tilefit", type=pathlib.Path, default=ROOT / "build" / "tilefit")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    files = args.files or [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
                           if p.exists()]
    total = stale = 0
    for file in files:
        old = file.read_text(encoding="utf-8")
        new, blocks = regenerated(old, args.tilefit.resolve())
        total += blocks
        if new == old:
            continue
        stale += 1
        if args.check:
            print("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                               f"{file.name} as it is", f"{file.name} as it runs")))
        else:
            file.write_text(new, encoding="utf-8")
    print(f"{total} blocks in {len(files)} files, {stale} files {'stale' if args.check else 'rewritten'}")
    if args.check and stale:
        print("fix: make readme")
    return 1 if args.check and (stale or not total) else 0


if __name__ == "__main__":
    sys.exit(main())
