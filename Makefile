# `make run` installs and runs the main job, `make test` installs and passes the tests. Both work in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: run test check format

run: $(VENV)/.base
	$(BIN)/tarsus run hexapod

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto

check: $(VENV)/.test
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

format: $(VENV)/.test
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/.test: $(VENV)/.base
	$(PIP) -e '.[test]'
	touch $@
