#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvcc for the kernels: the system's if there is one, else PyPI's packages of it in .venv, where
# cmake/cuda.cmake looks. All of one release: parts of different ones do not compile together.
set -eu
cd "$(dirname "$0")/.."
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then exit 0; fi
ls .venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc >/dev/null 2>&1 && exit 0
python3 -m venv .venv || {
  echo "error: no python3 venv" >&2; echo "  fix: apt-get install python3-venv" >&2; exit 2; }
.venv/bin/pip install -q 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-nvvm==13.0.*' \
  'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cccl==13.0.*'
