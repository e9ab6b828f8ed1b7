#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""installed_test.py BUILD CMAKE: what `cmake --install` puts down is enough for others.

Installs into a fresh folder, builds examples/library against it with find_package and, by hand,
with pkg-config, runs all of it and compares what it prints.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "library"
CXX = ("102400 bytes, +1024\nfix: --c-type void\n101376 bytes launch: yes\n"
       "most in flight: 128x32x64\n")
C = ("102400 bytes, +1024: over_limit\n"
     "100353 + 1024 bytes launch: more shared memory than a block may have\n")


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **more)
    text = done.stdout.decode()
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}: {command}\n{text}")
    return text


def expect(condition, *words):
    if not condition:
        raise SystemExit(" ".join(str(w) for w in words))


def main():
    build, cmake = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        prefix, user = root / "prefix", root / "user"
        run(cmake, "--install", build, "--prefix", prefix)
        run(cmake, "-S", EXAMPLE, "-B", user, f"-DCMAKE_PREFIX_PATH={prefix}")
        run(cmake, "--build", user)
        expect(run(user / "hello") == CXX, "hello:", run(user / "hello"))
        c = run(user / "hello_c")
        expect(c.startswith(C) and "exit 2: unknown GPU 'rtx 509'" in c, "hello_c:", c)
        pkgconfig = next(prefix.rglob("pkgconfig"))
        env = {**os.environ, "PKG_CONFIG_PATH": str(pkgconfig)}
        library = pkgconfig.parent
        for package, compiler, source in (("tilefit", "c++ -std=c++20", "hello.cpp"),
                                          ("tilefit-c", "cc -std=c11", "hello.c")):
            flags = run("pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs",
                        package, env=env).split()
            program = root / package
            run(*compiler.split(), EXAMPLE / source, "-o", program, *flags)
            text = run(program, env={**os.environ, "LD_LIBRARY_PATH": str(library)})
            expect(text.startswith(C if package.endswith("-c") else CXX), package, text)
        symbols = run("nm", "-D", "--defined-only", library / "libtilefit.so").splitlines()
        names = sorted(s.split()[-1] for s in symbols)
        expect(names == ["tilefit_plan", "tilefit_version", "tilefit_will_launch"], names)
        expect("102400" in subprocess.run([prefix / "bin" / "tilefit", "plan", "--gpu", "sm_120",
                                           "--tile", "128x256x128", "--epilogue", "finalize"],
                                          stdout=subprocess.PIPE, check=False).stdout.decode(),
               "the installed program")
    print("installed: program, find_package, pkg-config, C library")


if __name__ == "__main__":
    main()
