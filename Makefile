# Every target sets up what it needs in .venv; the second time that costs nothing.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

.PHONY: demo test test-slow lint bench docs clean

demo: .venv/.base
	$(BIN)/tacana demo

test: .venv/.dev
	$(PYTEST) -q -n 2 --dist worksteal

test-slow: .venv/.dev
	$(PYTEST) -q -m slow

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Single-threaded, so that ratios mean what they say.  `make bench EXTRAS=bench` also installs the other libraries.
bench: .venv/.dev $(if $(EXTRAS),.venv/.extra-$(EXTRAS))
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python -m tests.bench

# The reference of all public modules, from their docstrings, as pages in site/.  They are listed one by one: pdoc leaves
# out what is beneath a package that names its public names.  Files with a leading underscore and kernels are private.
PUBLIC = $(shell find autodiff hypergraph pgm nlp -name '*.py' -not -path '*/kernels/*' -not -name '_[a-z]*.py' \
  -not -name '__main__.py' | sed 's|/__init__.py$$||; s|\.py$$||; s|/|.|g' | LC_ALL=C sort)

docs: .venv/.extra-docs
	$(BIN)/pdoc -d numpy -o site $(PUBLIC)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tacana needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>&1`. Try: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.base: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q -e .
	@touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@ .venv/.base

.venv/.extra-%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q -e '.[$*]'
	@touch $@

clean:
	rm -rf .venv build dist *.egg-info
