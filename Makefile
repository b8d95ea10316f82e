# A thin face over CMake's presets. `make help` lists the targets.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: help setup build run test lint format fuzz bench conformance package install clean

help:
	@echo "make run          build and start the agent on what this machine has"
	@echo "make test         build and run every test, also under sanitizers"
	@echo "make build        the release binary at build/warpsight"
	@echo "make setup        install the Debian packages all of this needs"
	@echo "make lint         clang-format and clang-tidy, no changes made"
	@echo "make format       apply clang-format"
	@echo "make fuzz         fuzz every parser (FUZZ_SECONDS=60 each)"
	@echo "make bench        benchmarks; docs/benchmarks.md says how to read them"
	@echo "make conformance  checks against real peers that Debian does not package"
	@echo "make package      a Debian package in build/"
	@echo "make install      into PREFIX=$(PREFIX), honouring DESTDIR"

setup:
	@scripts/setup build test lint

build:
	@scripts/setup build
	@cmake --preset release --log-level=WARNING
	@cmake --build build/release -j $(JOBS)

run: build
	@scripts/run $(ARGS)

test:
	@scripts/setup build test
	@tests/run

lint:
	@scripts/setup build test lint
	@scripts/lint

format:
	@scripts/setup lint
	@git ls-files '*.cc' '*.h' | xargs clang-format-19 -i

fuzz:
	@scripts/setup build test
	@tests/fuzz/run $${FUZZ_SECONDS:-60}

bench:
	@scripts/setup build bench
	@bench/run

conformance:
	@scripts/setup build test
	@tests/conformance/run

package: build
	@scripts/package

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
