#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_tree.py: silent on a clean tree, and each rule speaks up on the one planted fault."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_tree.py"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "// What it is for.\n#pragma once\n\n"

CLEAN = {
    "tilefit/model/tile.h": HEADER + "#include <array>\n\nstruct Tile { int m; };\n",
    "tilefit/plan/judge.h": HEADER + '#include "tilefit/model/tile.h"\n'
                            "#include \"tilefit/plan/layouts.h\"\n",
    "tilefit/read/elf.cpp": SPDX + '#include "tilefit/plan/judge.h"\n#include <fmt/format.h>\n',
    # Long, but no long function: a table, a namespace and a class of short members.
    "tilefit/report/text.cpp": SPDX + "namespace tilefit {\nconstexpr char kRows[][2] = {\n"
                               + "    {'{', '('},\n" * 70 + "};\nstruct Long {\n"
                               + "  int f() const { return 1'000; }  // a brace: {\n" * 70
                               + "};\n}  // namespace tilefit\n",
    "tests/plan/judge_test.cpp": SPDX + "int main() {\n" + "  f();\n" * 500 + "}\n",
    "tests/doctor/cases/a.log": "must match /root/models: fatal error\n",
    "tools/run.py": "#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n",
    "CONTRIBUTING.md": "Never write `keep in sync`.\n",
    "docs/words.md": "ibid kidkin; build/work/x and https://example.org/work/ are no machine's\n",
    "blob.bin": "\0must match\n",
}

# (what is planted, where, the words that must be printed)
FAULTS = [
    ({"tilefit/model/a.h": HEADER + '#include "tilefit/plan/judge.h"\n'},
     "tilefit/model/a.h:5", "model includes plan"),
    ({"tilefit/report/a.cpp": SPDX + '#include "tilefit/plan/judge.h"\n'},
     "tilefit/report/a.cpp:2", "report includes plan"),
    ({"tilefit/plan/a.cpp": SPDX + '#include "tilefit/cli/args.h"\n'},
     "tilefit/plan/a.cpp:2", "plan includes cli"),
    ({"tilefit/plan/a.cpp": SPDX + "#include <fmt/format.h>\n"},
     "tilefit/plan/a.cpp:2", "plan includes <fmt/format.h>"),
    ({"tilefit/plan/a.cpp": SPDX + '#include "judge.h"\n'},
     "tilefit/plan/a.cpp:2", 'include "judge.h" is relative'),
    ({"tilefit/utils/a.cpp": SPDX}, "tilefit/utils/a.cpp:1", "'utils' is no room"),
    ({"tilefit/plan/a.cpp": SPDX + "\n" * 400}, "tilefit/plan/a.cpp:401", "file has 401 lines"),
    ({"tilefit/kernels/a.cu": SPDX + "\n" * 300}, "tilefit/kernels/a.cu:301", "at most 300"),
    ({"tilefit/plan/a.cpp": SPDX + "namespace tilefit {\nResult<int> Judge::long_one(\n    int a) {\n"
      + "  if (a) { f('}', \"}\"); }\n" * 60 + "}\n}\n"},
     "tilefit/plan/a.cpp:3", "long_one has 63 lines"),
    ({f"tilefit/plan/{name}.cpp": SPDX + "\n" * 199 for name in "abcdef"},
     "tilefit/:1", "median file has 200 lines"),
    ({"tilefit/plan/a.cpp": "// SPDX-License-Identifier: MIT\n"},
     "tilefit/plan/a.cpp:1", "no SPDX line"),
    ({"tools/a.sh": "#!/bin/sh\necho\n"}, "tools/a.sh:2", "no SPDX line"),
    ({"tilefit/plan/a.h": SPDX + "// Purpose.\n"}, "tilefit/plan/a.h:1", "no #pragma once"),
    ({"docs/a.md": "\nBoth Must Match.\n"}, "docs/a.md:2", "'Must Match'"),
    ({"README.md": "keep in sync\n"}, "README.md:1", "'keep in sync'"),
    ({"tilefit/plan/a.cpp": SPDX + 'abort("fatal error");\n'}, "a.cpp:2", "'fatal error'"),
    ({"tilefit/plan/a.cpp": SPDX + "// idk why\n"}, "a.cpp:2", "'idk'"),
    ({"docs/a.md": "see /work/x\n"}, "docs/a.md:1", "a path of one machine"),
    ({"docs/a.md": "`/root/x`\n"}, "docs/a.md:1", "a path of one machine"),
    ({"Makefile": "\tget https://pypi.org/simple\n"}, "Makefile:1", "a registry host"),
]


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr


class CheckTree(unittest.TestCase):
    def test_clean_tree_has_no_problem(self):
        code, text = check(CLEAN)
        self.assertEqual(code, 0, text)
        self.assertEqual(len(text.splitlines()), 1, text)

    def test_each_fault_is_named_once(self):
        for fault, where, what in FAULTS:
            with self.subTest(what=what, where=where):
                code, text = check(CLEAN | fault)
                problems = text.splitlines()[:-1]
                self.assertEqual(code, 1, text)
                self.assertEqual(len(problems), 1, text)
                self.assertIn(where + ": ", problems[0])
                self.assertIn(what, problems[0])
                self.assertRegex(problems[0], r"^[^:]+:\d+: .+ - .+$")


if __name__ == "__main__":
    unittest.main()
