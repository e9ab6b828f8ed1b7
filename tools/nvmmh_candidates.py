#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nvmmh_candidates.py [--gpu RTX_5090] [--precision OOT] [--count 8]: proposals of the public
package nvidia-matmul-heuristics as JSON, for `tilefit plan --candidates`.

Asks its CUTLASS 3 backend for problems with M of 16 to 8192 and the N and K below, and prints each
distinct configuration once. O is FP4, T bf16, S f32 (first letter: A and B).
"""
import argparse
import json
import os
import sys

SHAPES = [(4096, 4096), (4096, 7168), (7168, 4096), (14336, 4096), (4096, 14336), (2048, 2048)]
ROWS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", default="RTX_5090")
    parser.add_argument("--precision", default="OOT")
    parser.add_argument("--count", type=int, default=8)
    args = parser.parse_args()
    from nvMatmulHeuristics import nvMatmulHeuristics as nvmmh  # pip install nvidia-matmul-heuristics

    asked = nvmmh.NvMatmulHeuristicsInterface(nvmmh.NvMatmulHeuristicsTarget.CUTLASS3,
                                              precision=args.precision)
    gpu = asked.createHardwareDescriptor()
    asked.setHardwarePredefinedGpu(gpu, nvmmh.NvMatmulHeuristicsNvidiaGpu[args.gpu])
    layout = nvmmh.NvMatmulHeuristicsMatmulLayout.TN_ROW_MAJOR
    asked.loadInternalDiscoverySet(layout, gpu)
    found = {}
    for n, k in SHAPES:
        for m in ROWS:
            for answer in asked.get_with_mnk(m, n, k, layout, args.count, gpu):
                c = answer["kernel"]
                key = (c.cta_tile_m, c.cta_tile_n, c.cta_tile_k, c.stages)
                found.setdefault(key, {"cta_tile_m": key[0], "cta_tile_n": key[1],
                                       "cta_tile_k": key[2], "stages": key[3],
                                       "cluster_m": c.cluster_m, "cluster_n": c.cluster_n})
    print(json.dumps([found[key] for key in sorted(found)], indent=1))
    sys.stdout.flush()
    os._exit(0)  # the package's own clean-up at exit crashes (0.1.0.27)


if __name__ == "__main__":
    main()
