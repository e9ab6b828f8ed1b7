#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""robust_test.py TILEFIT: readers that leave, full disks, files that cannot be read or end badly.

Each ends with exit code 2, one `error:` line that says what went wrong, and no partial file; lines
of 100 MB are answered within 100 MiB of memory.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROWS = "arch,tile_m,tile_n,tile_k,epilogue\n" + "sm_120,128,256,128,finalize\n" * 20_000
MIB = 1 << 20
failed = []
checks = 0


def expect(what, condition, shown=""):
    global checks
    checks += 1
    if not condition:
        failed.append(f"{what}: {shown}")


def one_error(what, code, stderr, words):
    text = stderr.decode()
    expect(f"{what}: exit code", code == 2, code)
    expect(f"{what}: one error", text.count("error: ") == 1 and text.count("\n") <= 2, text)
    expect(f"{what}: says {words!r}", words in text, text)


def run(program, args, **more):
    """Returns (exit code, stdout, stderr)."""
    done = subprocess.run([program, *args], capture_output=True, check=False, timeout=120,
                          **{"stdin": subprocess.DEVNULL, **more})
    return done.returncode, done.stdout, done.stderr


def within_100_mib():
    """Memory beyond it cannot be had, and the program dies of it."""
    resource.setrlimit(resource.RLIMIT_DATA, (100 * MIB, 100 * MIB))


def readers_that_leave(program, folder):
    for flags in (["--json"], []):
        process = subprocess.Popen([program, "plan", "--from", folder / "rows.csv", *flags],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = process.stdout.read(100)
        process.stdout.close()
        err = process.stderr.read()
        one_error(f"| head -c 100 {flags}", process.wait(60), err, "closed it before the end")
        expect("the first bytes came", len(first) == 100, first)
    code, _, err = run(program, ["plan", "--from", folder / "rows.csv"],
                          preexec_fn=lambda: os.close(1))
    one_error("stdout closed from the start", code, err, "standard output")
    with open("/dev/full", "wb") as full:
        process = subprocess.run([program, "plan", "--from", folder / "rows.csv", "--json"],
                                 stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
    one_error("stdout on a full disk", process.returncode, process.stderr, "No space left")


def files_that_do_not_get_whole(program, folder):
    target = folder / "out"
    target.mkdir()
    args = ["plan", "--from", folder / "rows.csv", "--json", "-o", target / "out.json"]

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, 64 * 1024))

    code, _, err = run(program, args, preexec_fn=limited)
    one_error("a file size limit", code, err, "File too large")
    expect("a file size limit leaves nothing", not list(target.iterdir()), list(target.iterdir()))
    (target / "out.json").write_text("before")
    code, _, err = run(program, args, preexec_fn=limited)
    expect("the old file is kept", (target / "out.json").read_text() == "before")
    code, _, err = run(program, [*args[:-1], target / "missing" / "out.json"])
    one_error("-o into a missing folder", code, err, "No such file or directory")
    expect("only the old file is there", [p.name for p in target.iterdir()] == ["out.json"])
    code, _, err = run(program, [*args[:-1], folder / "rows.csv"])
    lines = (folder / "rows.csv").read_text().splitlines()
    expect("-o over its own input", code == 1 and len(lines) == 20_000, (code, err))
    (folder / "rows.csv").write_text(ROWS)


def files_that_cannot_be_read(program, folder):
    (folder / "empty.csv").write_text("")
    (folder / "locked.csv").write_text(ROWS)
    (folder / "locked.csv").chmod(0)
    for path, words in ((folder / "missing.csv", "No such file"), (folder, "is a folder"),
                        (folder / "empty.csv", "is empty"), ("/proc/self/mem", "failed")):
        code, out, err = run(program, ["plan", "--from", path])
        one_error(f"--from {path}", code, err, words)
        expect(f"--from {path} prints nothing", out == b"", out)
    if os.geteuid() != 0:  # root reads everything
        code, _, err = run(program, ["plan", "--from", folder / "locked.csv"])
        one_error("an unreadable file", code, err, "Permission denied")
    code, _, err = run(program, ["plan", "--from", "-"], stdin=None,
                          preexec_fn=lambda: os.close(0))
    one_error("stdin closed", code, err, "standard input")


def lines_of_any_length(program, folder):
    path = folder / "long.csv"
    good = "sm_120,128,128,128,none\n"
    with open(path, "w", encoding="ascii") as file:
        file.write("arch,tile_m,tile_n,tile_k,epilogue\n" + good)
        for _ in range(100):
            file.write("7" * MIB)
        file.write("\n" + good)
    code, out, err = run(program, ["plan", "--from", path], preexec_fn=within_100_mib)
    lines = out.decode().splitlines()
    expect("a line of 100 MB is one bad row", code == 2 and len(lines) == 5, (code, out[:300], err))
    expect("it says so", "row 2: error: a line longer than 1 MiB" in lines[2], lines)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(100):
            file.write("arch," * (MIB // 5))
    code, _, err = run(program, ["plan", "--from", path], preexec_fn=within_100_mib)
    one_error("a header of 100 MB", code, err, "longer than 1 MiB")
    path.write_bytes(os.urandom(MIB))
    code, _, err = run(program, ["plan", "--from", path])
    one_error("random bytes", code, err, "long.csv:1")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "rows.csv").write_text(ROWS)
        for part in (readers_that_leave, files_that_do_not_get_whole, files_that_cannot_be_read,
                     lines_of_any_length):
            part(program, folder)
    print("\n".join(failed), f"{checks} checks, {len(failed)} failed",
          sep="\n" if failed else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
