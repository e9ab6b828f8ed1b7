#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job of `make run`.
set -eu
cd "$(dirname "$0")/.."
build/tilefit --version
