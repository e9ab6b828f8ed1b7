#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/regen_readme.py on small files, with a stand-in for the program."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

REGEN = pathlib.Path(__file__).resolve().parents[2] / "tools" / "regen_readme.py"
PROGRAM = """#!/bin/sh
[ "$1" = broken ] && exit 2
echo "ran $*"
[ "$1" = over ] && echo too big >&2 && exit 1
exit 0
"""
FRESH = ("# Title\n```console\n$ tilefit plan\nran plan\n$ tilefit over a \\\n    b\nran over a b\n"
         "too big\n```\nText.\n```console\n$ make run\nanything\n```\n```\n$ tilefit x\nold\n```\n")
STALE = FRESH.replace("ran plan\n", "ran once\nand once more\n")


class RegenReadme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "README.md")
        self.program = pathlib.Path(folder.name, "tilefit")
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_on(self, text, *flags):
        self.file.write_text(text)
        done = subprocess.run([sys.executable, REGEN, *flags, "--tilefit", self.program, self.file],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_fresh_passes_the_check(self):
        self.assertEqual(self.run_on(FRESH, "--check"),
                         (0, "1 blocks in 1 files, 0 files stale\n"))

    def test_stale_fails_the_check_and_stays_as_it_is(self):
        code, text = self.run_on(STALE, "--check")
        self.assertEqual(code, 1)
        self.assertIn("-ran once\n-and once more\n+ran plan\n", text)
        self.assertEqual(self.file.read_text(), STALE)

    def test_stale_is_rewritten(self):
        self.assertEqual(self.run_on(STALE)[0], 0)
        self.assertEqual(self.file.read_text(), FRESH)

    def test_a_command_that_breaks_fails(self):
        code, text = self.run_on("```console\n$ tilefit broken\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("exit code 2 ($ tilefit broken)", text)

    def test_no_block_fails_the_check(self):
        self.assertEqual(self.run_on("# Title\n", "--check")[0], 1)


if __name__ == "__main__":
    unittest.main()
