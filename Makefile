# Two commands for a newcomer: `make demo` and `make test`. Each sets up .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test clients tutorials docs dist lint attack clean

.venv/base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "qiskit-arcmaes needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; say which to use with make PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Setting up .venv (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	@touch $@

.venv/dev: .venv/base
	@echo "Installing the development tools (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

.venv/docs: .venv/base
	@echo "Installing what the documentation needs (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

demo: .venv/base
	$(BIN)/python bench/demo.py

test: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest

clients: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest tests/clients tests/docs/test_pages.py -k "clients or devices or parallel"

tutorials: .venv/dev
	$(BIN)/python tools/run_tutorials.py

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

dist: .venv/dev
	$(BIN)/python tools/check_dist.py

attack: .venv/dev
	$(BIN)/python -m tools.attack --minutes $(or $(MINUTES),2) --part $(or $(PART),0)

clean:
	rm -rf .venv build dist out docs/_build docs/tutorials *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
