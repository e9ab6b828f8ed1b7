#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/golden/run.py on small cases, with a stand-in for the program."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "run.py"
PROGRAM = '#!/bin/sh\necho "out $1 $COLUMNS"\n[ "$1" = bad ] && echo why >&2 && exit 2\nexit 0\n'


class GoldenRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "tilefit"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def case(self, name, **files):
        (self.folder / name).mkdir()
        for file, text in files.items():
            (self.folder / name / file).write_text(text)
        return self.folder / name

    def run_cases(self, *args):
        done = subprocess.run([sys.executable, RUN, *args], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def test_equal_passes_silently(self):
        good = self.case("good", cmd="tilefit good\n", expected="out good 100\n")
        bad = self.case("bad", cmd="tilefit bad", expected="out bad 100\n[stderr]\nwhy\n", exit="2\n")
        self.assertEqual(self.run_cases(self.program, good, bad), (0, ""))

    def test_each_difference_fails_and_shows_both(self):
        faults = {
            "stdout": {"cmd": "tilefit good", "expected": "out\n"},
            "stderr": {"cmd": "tilefit bad", "expected": "out bad 100\nwhy\n", "exit": "2"},
            "exit": {"cmd": "tilefit bad", "expected": "out bad 100\n[stderr]\nwhy\n", "exit": "1"},
            "no_expected": {"cmd": "tilefit good"},
            "final_newline": {"cmd": "tilefit good", "expected": "out good 100"},
        }
        for name, files in faults.items():
            with self.subTest(fault=name):
                code, text = self.run_cases(self.program, self.case(name, **files))
                self.assertEqual(code, 1)
                self.assertIn(files.get("expected", ""), text)
                self.assertIn("out ", text)
                self.assertIn(f"make golden CASE={name}", text)

    def test_update_writes_what_then_passes(self):
        bad = self.case("bad", cmd="tilefit bad")
        good = self.case("good", cmd="tilefit good", expected="old", exit="1")
        self.assertEqual(self.run_cases("--update", self.program, bad, good), (0, ""))
        self.assertEqual((bad / "exit").read_text(), "2\n")
        self.assertFalse((good / "exit").exists())
        self.assertEqual(self.run_cases(self.program, bad, good), (0, ""))

    def test_no_case_fails(self):
        self.assertEqual(self.run_cases(self.program)[0], 1)


if __name__ == "__main__":
    unittest.main()
