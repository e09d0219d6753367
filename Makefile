# `make run` installs and runs the main job, `make test` installs and passes the tests, `make test-processors` some of
# them as other processors would, `make test-ranges` others with other Pythons and dependencies, `make docs` makes the
# site in out/site. All work in .venv but `make test-ranges`, which makes environments of its own. Python compiles what
# is imported; pip would compile every file of every package, for half the time of an installation.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.PHONY: run test test-processors test-ranges check format docs

run: $(VENV)/.base
	$(BIN)/tarsus run hexapod

test: $(VENV)/.test
	$(BIN)/python -m pytest --confcutdir tests -n auto --dist worksteal

test-processors: $(VENV)/.test
	.ci/processors $(BIN)/python -m pytest --confcutdir tests -n auto --dist worksteal

test-ranges: $(VENV)/.test
	.ci/ranges

check: $(VENV)/.test
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q docs out/site

format: $(VENV)/.test
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/.test: $(VENV)/.base
	$(PIP) -e '.[test]'
	touch $@

$(VENV)/.docs: $(VENV)/.base
	$(PIP) -e '.[docs]'
	touch $@
