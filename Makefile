# Emberboard: every job a person or CI runs. Needs Python >= 3.11, git and make; the rest is installed into .venv.
.DEFAULT_GOAL := help
SHELL := /bin/bash

ifndef PYTHON
PYTHON := $(shell for p in python3.11 python3.12 python3.13 python3; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)
endif
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench

.PHONY: help setup play demo test soak check bench clean

help:  ## what can be done here
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Emberboard needs Python 3.11 or newer. Install it, or say where it is: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; exit 1; }
	@echo "Setting up $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "The venv module is missing: on Debian, apt install python3-venv."; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,virtual]' || { echo "The packages could not be installed: see the lines above; is there a network?"; exit 1; }
	@touch $@

$(BENCH_STAMP): $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

setup: $(STAMP)  ## install everything into .venv, nothing else

UI ?= browser
LAN ?=
play: $(STAMP)  ## open the table in the browser, or go on where the group stopped (UI=terminal, LAN=1)
	@$(BIN)/emberboard play --ui $(UI) $(if $(filter 1,$(LAN)),--lan)

SEED ?= 7
PLAYERS ?= 3
TABLE ?= 2x2
demo: $(STAMP)  ## a fight plays itself on virtual boards that run the firmware (SEED=, PLAYERS=, TABLE=, FAULTS=1, LEARN=1)
	@$(BIN)/emberboard demo --seed $(SEED) --players $(PLAYERS) --table $(TABLE) $(if $(filter 1,$(FAULTS)),--faults) $(if $(filter 1,$(LEARN)),--learn)

test: check  ## lint, types, layering, and the whole suite
	@mkdir -p build
	@tools/chromium.sh
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not soak"

soak: $(STAMP)  ## the full counts (long; EMBERBOARD_FIRMWARE_FIGHTS= of 100 through firmware, ..._AT_ONCE= side by side)
	@mkdir -p build
	$(BIN)/python -m pytest -n 2 -m "soak" -s

check: $(STAMP)  ## ruff, mypy strict, layering, determinism
	$(BIN)/ruff check host tests tools hardware
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/determinism.py host/emberboard/games

bench: $(BENCH_STAMP)  ## measure beside the peers; table on screen, build/bench.json
	@mkdir -p build
	$(BIN)/python -m tests.bench

clean:  ## remove what was built (saves are kept)
	rm -rf $(VENV) build

.PHONY: mutants
SAMPLE ?= 100
mutants: $(STAMP)  ## break the rules on purpose; the worked examples must notice (SAMPLE=, SEED=)
	$(BIN)/python -m tools.mutation --sample $(SAMPLE) --seed $(SEED)
