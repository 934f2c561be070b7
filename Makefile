# The two commands to know are `make play` and `make test`; both set up all they need in .venv.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup dev play test browser lint format bench docs clean

help:
	@echo "make play    open the page and play             make test    run every check"
	@echo "make setup   install into .venv                 make dev     install test and docs tools too"
	@echo "make lint    style and types                    make format  rewrite to house style"
	@echo "make bench   measure the speed                  make docs    build the documentation"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ginrummy needs Python 3.11 or later; say which with: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.setup: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test,docs,tune,train,envs,rl,openspiel,rlcard,eaai,postgres,cluster]'
	@touch $@ .venv/.setup

setup: .venv/.setup

dev: .venv/.dev

play: setup
	@$(BIN)/ginrummy serve

test: dev browser
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory docs
	@echo "compiling kernels …" && $(BIN)/python tests/compile_kernels.py
	$(BIN)/pytest -n 2 --dist worksteal

browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	       && echo "installing chromium for the tests of the page …" && apt-get update -qq >/dev/null \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1; } \
	  || echo "no chromium found and none installed: the tests in a browser will be skipped (apt install chromium)"

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/ginrummy bench

docs: dev
	$(BIN)/zensical build --clean --strict

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache
