# SPDX-License-Identifier: Apache-2.0
# The front door. Only `make` is assumed; what is missing comes from Debian (tools/setup_debian.sh).
JOBS ?= $(shell nproc)
# NO_SETUP=1 installs nothing: for systems other than Debian, or without root.
SETUP := $(if $(NO_SETUP),@:,@tools/setup_debian.sh)

.DEFAULT_GOAL := help
.PHONY: help run build kernels test check bench package fuzz golden readme format clean

help:     ## what can be made
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 12

run:      ## install what is missing, build, explain the case
	$(SETUP) build
	@tools/configure.sh release build
	@tools/quietly.sh cmake --build build -j $(JOBS) --target tilefit
	@tools/main_job.sh

build:    ## the program, as build/tilefit
	$(SETUP) build
	@tools/configure.sh release build
	@cmake --build build -j $(JOBS) --target tilefit

kernels:  ## the SM90 kernels; without nvcc, its compiler comes from PyPI into .venv
	$(SETUP) build
	@tools/setup_nvcc.sh
	$(call CONFIGURE,release)
	@cmake --build build -j $(JOBS) --target tilefit_kernels

test:     ## the whole suite; corpora under ASan + UBSan
	$(SETUP) build test
	@tools/configure.sh ci build
	@cmake --build build -j $(JOBS)
	@ctest --test-dir build -j $(JOBS) --output-on-failure

check:    ## clang build with clang-tidy, tree check, formatter
	$(SETUP) build test check
	@tools/check_tree.py
	@tools/format.sh --check
	@tools/configure.sh clang build-clang
	@cmake --build build-clang -j $(JOBS)

bench:    ## benchmarks
	$(SETUP) build test
	@tools/configure.sh bench build
	@cmake --build build -j $(JOBS)
	@for b in build/bin/*_bench; do $$b; done

package:  ## Debian package and archive, in build/
	$(SETUP) build
	@tools/configure.sh release build
	@cmake --build build -j $(JOBS)
	@cd build && cpack

fuzz:     ## libFuzzer, SECONDS= for each target (default 60)
	$(SETUP) build test check
	@tools/configure.sh fuzz build-fuzz
	@cmake --build build-fuzz -j $(JOBS) --target fuzzers
	@tools/fuzz.sh build-fuzz/bin $(or $(SECONDS),60)

golden: build  ## rewrite tests/golden/*/expected (CASE= for one) from what is printed now
	@tests/golden/run.py --update build/tilefit tests/golden/$(or $(CASE),*)/

readme: build  ## rewrite the console blocks of README.md and docs/
	@tools/regen_readme.py

format:   ## clang-format in place
	$(SETUP) check
	@tools/format.sh

clean:    ## remove the build trees
	rm -rf build build-dev build-host build-asan build-clang build-fuzz
