#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plan_cli.py [TILEFIT [ROWS]]: how long `tilefit plan` takes as a program.

One tile from start to exit, and a file of ROWS tiles (default 1000000, the same on every machine)
as JSON: time, peak memory, outcomes, and how many tiles are answered while a compiler answers one.
A compiler's time for one tile's sizeof: g++ 5.8 s, nvcc 38 s (docs/counting-bytes.md).
"""
import collections
import itertools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILERS = {"g++": 5.8, "nvcc": 38.0}  # seconds a tile
HEADER = "arch,dtypes,tile_m,tile_n,tile_k,epilogue,swap_ab,stage_request,cutlass\n"
# GPU, dtypes, builders, M, N, K: mostly tiles that the launchers build, some that they refuse.
NEWEST, BOTH = ("4.5.0",), ("4.5.0", "4.5.0", "4.2.1")
KERNELS = [
    ("sm_120", "nvfp4", BOTH, (64, 128, 256), (32, 64, 128, 192, 256), (64, 128, 256)),
    ("rtx pro 6000", "nvfp4", BOTH, (128, 256), (64, 96, 128, 256), (64, 128, 256, 512)),
    ("sm_121", "mxfp8", NEWEST, (128, 256), (32, 64, 128, 256), (128, 256)),
    ("rtx 5090", "mxfp4", NEWEST, (128, 256), (32, 128, 256), (128, 256)),
    ("h200", "fp8", NEWEST, (128, 256), (16, 32, 64, 112, 128, 256), (32, 64, 128)),
    ("sm_90", "bf16", NEWEST, (128, 256), (32, 64, 128, 256), (32, 64)),
    ("h200", "bf16xmxfp4", NEWEST, (64, 128, 256), (16, 64, 128, 256), (128, 256, 512)),
    ("b200", "nvfp4", NEWEST, (128,), (64, 128, 256), (256,)),
    ("sm_100", "mxfp8", NEWEST, (128,), (64, 128, 256), (128,)),
    ("b300", "nvfp4", NEWEST, (128,), (128, 256), (256,)),
]


def rows():
    """All combinations, over and over, in an order that mixes them."""
    every = [",".join(map(str, (gpu, dtype, *rest)))
             for gpu, dtype, builders, ms, ns, ks in KERNELS
             for rest in itertools.product(ms, ns, ks, ("none", "finalize"), (0, 1),
                                           ("auto", "auto", "3"), builders)]
    step = 7919  # prime, so that it visits every combination
    for i in itertools.count():
        yield every[i * step % len(every)] + "\n"


def peak_kib(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines()
                 if line.startswith("VmHWM")), 0)


def one_tile(program):
    times = []
    for _ in range(40):
        start = time.perf_counter()
        subprocess.run([program, "plan", "--gpu", "sm_120", "--tile", "128x256x128", "--epilogue",
                        "finalize"], stdout=subprocess.DEVNULL, check=False)
        times.append(1000 * (time.perf_counter() - start))
    print(f"one tile, start to exit: median {statistics.median(times):.1f} ms, "
          f"best {min(times):.1f} ms of {len(times)}")


def a_file(program, path, count):
    before = os.times()
    start = time.perf_counter()
    with subprocess.Popen([program, "plan", "--from", path, "--json"],
                          stdout=subprocess.DEVNULL) as process:
        peak = 0
        while process.poll() is None:
            peak = max(peak, peak_kib(process.pid))
            time.sleep(0.02)
    wall = time.perf_counter() - start
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"{count} tiles as JSON: {wall:.2f} s, {cpu:.2f} s of processor, peak {peak / 1024:.0f} MiB, "
          f"{count / wall:,.0f} tiles a second (load {os.getloadavg()[0]:.1f}, "
          f"{os.cpu_count()} processors)")
    for compiler, seconds in COMPILERS.items():
        print(f"while {compiler} answers one tile: {count / wall * seconds:,.0f} tiles")


def outcomes(program, sample):
    done = subprocess.run([program, "plan", "--from", "-", "--json"], input=sample.encode(),
                          capture_output=True, check=False)
    counts = collections.Counter(line.split('"outcome":"')[1].split('"')[0]
                                 for line in done.stdout.decode().splitlines())
    total = sum(counts.values())
    print("of them", ", ".join(f"{100 * n / total:.0f} % {name}" for name, n in counts.most_common()))


def main(args):
    program = pathlib.Path(args[0] if args else ROOT / "build" / "tilefit").resolve()
    count = int(args[1]) if len(args) > 1 else 1_000_000
    one_tile(program)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.csv"
        with open(path, "w", encoding="ascii") as file:
            file.write(HEADER)
            file.writelines(itertools.islice(rows(), count))
        a_file(program, path, count)
    outcomes(program, HEADER + "".join(itertools.islice(rows(), 20_000)))


if __name__ == "__main__":
    main(sys.argv[1:])
