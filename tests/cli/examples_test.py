#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples_test.py TILEFIT: the examples in each command's --help run.

Commands are those that `tilefit --help` lists; the lines of a command's `Examples:` section that
begin with two spaces and `tilefit ` run in a fresh folder that holds the files of examples/. They
have to exit with 0 or 1; a command without an example fails.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILES = pathlib.Path(__file__).resolve().parent / "examples"


def shell(program, command, folder):
    env = {"PATH": f"{program.parent}:/usr/bin:/bin", "LC_ALL": "C", "COLUMNS": "100",
           "HOME": folder}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    return done.returncode, done.stdout.decode("utf-8", "backslashreplace")


def section(text, title):
    """The indented lines under `title:`."""
    found = re.search(rf"(?mi)^(?:{title}):[^\n]*\n((?:[ \t]+[^\n]*\n|\n)+)", text)
    return found.group(1).splitlines() if found else []


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    code, top = shell(program, "tilefit --help", "/")
    commands = [m.group(1) for line in section(top, "commands|subcommands")
                if (m := re.match(r" {2}([a-z][\w-]*)\b", line))]
    failed = [] if code == 0 and commands else ["tilefit --help lists no commands"]
    ran = 0
    for command in commands:
        code, text = shell(program, f"tilefit {command} --help", "/")
        examples = [line[2:] for line in section(text, "examples")
                    if line.startswith("  tilefit ")]
        if code != 0 or not examples:
            failed.append(f"tilefit {command} --help (exit {code}) has no examples")
        for example in examples:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(FILES, folder, dirs_exist_ok=True)
                code, text = shell(program, example, folder)
            ran += 1
            if code not in (0, 1):
                failed.append(f"exit {code}: {example}\n{text}")
    print("\n".join(failed), f"{len(commands)} commands, {ran} examples, {len(failed)} failed",
          sep="\n" if failed else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
