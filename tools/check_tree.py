#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no compiler does: include direction, file and function budgets, words, SPDX lines.

check_tree.py [FOLDER]: prints one line a problem, `path:line: what - fix`, and exits 1 if any.
"""
import pathlib
import re
import statistics
import subprocess
import sys

# What a room may include besides itself. model and plan stay within the standard library.
ROOMS = {
    "model": set(),
    "plan": {"model"},
    "read": {"model", "plan"},
    "doctor": {"model", "plan", "read"},
    "kernels": {"model", "plan"},
    "bench": {"model"},
    "tune": {"model", "plan", "bench"},
    "report": {"model"},
    "cli": {"model", "plan", "read", "doctor", "kernels", "bench", "tune", "report"},
}
STD_ONLY = {"model", "plan"}

CODE = {".h", ".cpp", ".cuh", ".cu"}
COMMENTED = CODE | {".py", ".sh", ".cmake"}
FILE_LINES = 400
KERNEL_FILE_LINES = 300
FUNCTION_LINES = 60
MEDIAN_LINES = 150
# Data tables: a row a line, no logic. They may be as long as their subject.
TABLES = set()

# Promises that no compiler keeps, messages for the author, and machines nobody else has.
WORDS = [
    (r"must match", "two places hold one truth", "compute one from the other"),
    (r"keep in sync", "two places hold one truth", "compute one from the other"),
    (r"fatal error", "says nothing to a reader", "say what failed, where, and what to do"),
    (r"\bidk\b", "a comment that does not know", "find out, or say what is unknown"),
    (r"(?<![\w.$}/*])/(?:work|root|home/\w+)/", "a path of one machine", "use a relative path"),
    (r"\b(?:pypi\.org|pythonhosted\.org|(?:deb|security|snapshot)\.debian\.org|crates\.io|"
     r"registry\.npmjs\.org|proxy\.golang\.org)\b", "a registry host", "name the package"),
]
# These quote the words; recorded text in tests is as its program printed it.
QUOTES_WORDS = re.compile(r"tools/check_tree\.py|CONTRIBUTING\.md|tests/tools/check_tree_test\.py"
                          r"|tests/.*/(?:corpus|cases|data)/.*|LICENSE")

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
NOT_A_FUNCTION = re.compile(
    r"^\s*(?:template\s*<[^{}]*>\s*)?(?:(?:inline|static|constexpr|typedef|export)\s+)*"
    r"(?:namespace|struct|class|enum|union|extern|concept)\b")
STATEMENT = re.compile(r"^\s*(?:if|for|while|switch|do|else|try|catch)\b")


def tracked(root):
    """Files git knows or would take; without git, every file outside build trees."""
    try:
        done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root,
                              capture_output=True, check=True)
        names = done.stdout.decode().split("\0")
    except (FileNotFoundError, subprocess.CalledProcessError):
        names = [str(p.relative_to(root)) for p in root.rglob("*")
                 if not re.match(r"\.git$|build(-|$)", p.relative_to(root).parts[0])]
    return sorted(n for n in set(names) if n and (root / n).is_file())


def blank(text):
    """The text with comments and literals blanked out, line for line."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                         r"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def functions(text):
    """Yields (first line, last line, name) of each function body outside other functions."""
    code = re.sub(r"(?m)^[ \t]*#.*(?:\\\n.*)*", "", blank(text))
    head, line, head_line = "", 1, 1
    stack, parens = [], 0  # stack: (is a function, name, first line), one per open brace
    for char in code:
        if char == "\n":
            line += 1
        parens += {"(": 1, ")": -1}.get(char, 0)
        inside = any(is_function for is_function, _, _ in stack)
        if char == "{":
            name = re.search(r"([\w:~]+|operator\s*\S+?)\s*\(", head)
            is_function = bool(not inside and parens == 0 and name and "=" not in head.split("(")[0]
                               and not NOT_A_FUNCTION.match(head) and not STATEMENT.match(head))
            stack.append((is_function, name.group(1) if name else "", head_line))
            head = ""
        elif char == "}" and stack:
            is_function, name, first = stack.pop()
            if is_function:
                yield first, line, name
            head = ""
        elif char == ";" and parens == 0:
            head = ""
        elif not inside:
            if not head.strip():
                head_line = line
            head += char


def check_includes(path, lines):
    room = path.split("/")[1] if path.startswith("tilefit/") and path.count("/") > 1 else None
    if room is None:
        return
    if room not in ROOMS:
        yield 1, f"'{room}' is no room", "put it into a room, or add one to ROOMS here"
        return
    for number, text in enumerate(lines, 1):
        found = INCLUDE.match(text)
        if not found:
            continue
        quote, target = found.groups()
        parts = target.split("/")
        if quote == '"' and parts[0] != "tilefit":
            yield number, f'include "{target}" is relative', 'write "tilefit/<room>/<file>"'
        elif quote == '"' and len(parts) > 2 and parts[1] != room and parts[1] not in ROOMS[room]:
            yield (number, f"{room} includes {parts[1]}",
                   f"includes go down only: {room} may include "
                   f"{', '.join(sorted(ROOMS[room])) or 'nothing but itself'}")
        elif quote == "<" and room in STD_ONLY and re.search(r"[/.]", target):
            yield number, f"{room} includes <{target}>", "model and plan use the standard library"


def check_budgets(path, text, lines):
    if path.startswith("tests/") or path in TABLES:
        return
    limit = KERNEL_FILE_LINES if path.endswith((".cu", ".cuh")) else FILE_LINES
    if len(lines) > limit:
        yield limit + 1, f"file has {len(lines)} lines, at most {limit}", "split it by what it does"
    for first, last, name in functions(text):
        if last - first + 1 > FUNCTION_LINES:
            yield (first, f"{name} has {last - first + 1} lines, at most {FUNCTION_LINES}",
                   "give its parts names")


def check_words(path, lines):
    if QUOTES_WORDS.fullmatch(path):
        return
    for number, text in enumerate(lines, 1):
        for pattern, why, fix in WORDS:
            found = re.search(pattern, text, re.I)
            if found:
                yield number, f"'{found.group()}': {why}", fix


def check_head(path, lines):
    start = 1 if lines and lines[0].startswith("#!") else 0
    if not any("SPDX-License-Identifier: Apache-2.0" in text for text in lines[start:start + 1]):
        yield start + 1, "no SPDX line", "first line: SPDX-License-Identifier: Apache-2.0"
    if path.endswith((".h", ".cuh")) and "#pragma once" not in lines[:40]:
        yield 1, "no #pragma once", "purpose second, then #pragma once"


def check_file(root, path):
    raw = (root / path).read_bytes()
    if b"\0" in raw:
        return
    text = raw.decode("utf-8", "replace")
    lines = text.splitlines()
    suffix = pathlib.PurePath(path).suffix
    recorded = QUOTES_WORDS.fullmatch(path) and path.startswith("tests/")
    if (suffix in COMMENTED or path.endswith("CMakeLists.txt")) and not (
            recorded and not path.endswith("_test.py")):
        yield from check_head(path, lines)
    if suffix in CODE:
        yield from check_includes(path, lines)
        yield from check_budgets(path, text, lines)
    yield from check_words(path, lines)


def main(args):
    root = pathlib.Path(args[0] if args else pathlib.Path(__file__).parent.parent).resolve()
    paths = tracked(root)
    problems = 0
    for path in paths:
        for number, what, fix in check_file(root, path):
            print(f"{path}:{number}: {what} - {fix}")
            problems += 1
    sizes = [len((root / p).read_bytes().splitlines()) for p in paths
             if p.startswith("tilefit/") and pathlib.PurePath(p).suffix in CODE and p not in TABLES]
    median = statistics.median(sizes) if sizes else 0
    if median > MEDIAN_LINES:
        print(f"tilefit/:1: median file has {median:g} lines, at most {MEDIAN_LINES} - split the longest")
        problems += 1
    print(f"{len(paths)} files, {len(sizes)} of them code in rooms, median {median:g} lines; "
          f"{problems} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
