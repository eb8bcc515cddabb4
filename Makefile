# `make demo` and `make test` need Python ≥ 3.11, git and make; they set up everything else in .venv.

PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
# Compiled files are kept, so that no process compiles the package anew.
export PYTHONDONTWRITEBYTECODE :=
# Python 3.11 does not start from a folder whose name is not ASCII under LC_ALL=C.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif
# What JAX has compiled is kept too, for the other processes of the tests.
export JAX_COMPILATION_CACHE_DIR := $(CURDIR)/$(VENV)/jax
export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS := 0
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# The figures of the demo; all figures of the gallery where it is empty.
DEMO_FIGURES ?= words projection induction attention recall landscape
# The scenarios of the lectures; all that come with hopattn where it is empty.
DEMO_SCENARIOS ?= $(foreach lecture,ling3804 cs371n kim at6 note,$(wildcard scenarios/$(lecture)/*.toml))
BENCH_ARGS ?= --write benchmarks/RESULTS.md
FUZZ_SECONDS ?= 60
# The seed of the cases; a fresh one where it is empty.
FUZZ_SEED ?=
# Some of the checks before a release by their names; all where it is empty.
CHECKS ?=

# The scenarios whose recall strips stand on pages.
STRIPS = bank aaba apple one-head hopfield-beside-attention

.PHONY: demo test test-all lint types bench schema figures docs site certificate faults fuzz release-checks clean

demo: $(VENV)/.run
	@$(BIN)/hopattn figures $(DEMO_FIGURES) --out demo-figures/ & figures=$$!; checked=0; \
		$(BIN)/hopattn check $(DEMO_SCENARIOS) || checked=$$?; wait $$figures && exit $$checked
	@echo 'make demo DEMO_FIGURES= DEMO_SCENARIOS= draws all figures of the gallery, and checks all scenarios'

test: $(VENV)/.test
	$(PYTEST) $(PYTEST_ARGS)

test-all: $(VENV)/.test
	$(PYTEST) -m '' --hypothesis-profile=full $(PYTEST_ARGS)

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.lint
	$(BIN)/mypy --num-workers auto

bench: $(VENV)/.fast
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

schema: $(VENV)/.run
	$(BIN)/hopattn schema > scenarios/scenario.schema.json

figures: $(VENV)/.run
	$(BIN)/hopattn figures --out figures/ --as svg,gif
	$(BIN)/hopattn heads two-layers --out figures/census.svg >/dev/null
	for name in $(STRIPS); do $(BIN)/hopattn run $$name --figure strip --out figures/ >/dev/null || exit 1; done

docs: schema
	$(BIN)/python -m tools.signatures > docs/reference/api.txt
	$(BIN)/python docs/refresh.py

site: $(VENV)/.docs
	$(BIN)/python -m docs.builder

certificate: $(VENV)/.run
	$(BIN)/python -m docs.certify

faults: $(VENV)/.test
	$(BIN)/python -m tools.disturbances 100

fuzz: $(VENV)/.test
	$(BIN)/python -m tools.fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_SEED:%=--seed %)

release-checks: $(VENV)/.test
	$(BIN)/python -m tools.release_checks $(CHECKS)

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis

# A stamp is touched only when all before it has worked, so that an interrupted set-up is done again.
# Each says first what it is about to do: on a fresh machine the downloads may take minutes.
SAY := @echo >&2
INSTALL := @sh .ci/install $(VENV)
# The loops of numba are compiled once, while other packages are downloaded.
COMPILE := $(BIN)/python -c 'from hopattn.foundation.kernels import *; [compiled_loops(name, LEAST_WORK[name]) for name in LEAST_WORK]'

$(VENV)/.made:
	$(SAY) 'making a Python environment in $(VENV) …'
	@PYTHON="$(PYTHON)" sh .ci/make-venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made pyproject.toml
	$(SAY) 'downloading NumPy, SciPy, matplotlib and the other packages that hopattn needs into $(VENV) (once; up to a minute) …'
	$(INSTALL) --editable .
	@touch $@

# numba is only for speed: where there is no wheel of it, hopattn runs on NumPy alone.
$(VENV)/.fast: $(VENV)/.run
	$(SAY) 'downloading numba into $(VENV), for large work, if there is a wheel of it (once) …'
	$(INSTALL) --only-binary numba --only-binary llvmlite --editable '.[fast]' \
		2>/dev/null || echo >&2 'no numba for this Python: hopattn runs on NumPy alone'
	@touch $@

$(VENV)/.test: $(VENV)/.fast
	$(SAY) 'downloading what the tests need into $(VENV) (once) …'
	@$(COMPILE) & sh .ci/install $(VENV) --editable '.[test]'; installed=$$?; wait; exit $$installed
	@touch $@

$(VENV)/.lint: $(VENV)/.run
	$(SAY) 'downloading ruff, mypy and import-linter into $(VENV) (once) …'
	$(INSTALL) --editable '.[lint]'
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	$(SAY) 'downloading Sphinx and its theme into $(VENV) (once) …'
	$(INSTALL) --editable '.[docs]'
	@touch $@
