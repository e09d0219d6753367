# `make run` installs and runs the main job, `make test` installs and passes the core of the tests, `make test-all` all of
# them but studies, some also as other processors would, and none a second time after `make test` if AFTER=test is given;
# `make test-thorough` runs studies and every case of contracts for an hour, `make fuzz` searches for SECONDS, `make
# test-ranges` tests with other Pythons and dependencies, `make docs` makes the site in out/site. All work in .venv but
# `make test-ranges`, which makes environments of its own. Python compiles what is imported; pip would compile every file
# of every package, for half the time of an installation. What it compiles is kept, whatever the environment says: a
# process that compiles numba, mujoco and torch again needs 4 to 7 seconds more, and tests start hundreds.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
PYTEST := $(BIN)/python -m pytest --confcutdir tests -n auto --dist worksteal
SECONDS ?= 600

unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all test-thorough test-processors test-ranges fuzz check format docs

run: $(VENV)/.base
	$(BIN)/tarsus run hexapod
	@echo "More: source $(BIN)/activate, then tarsus"

test: $(VENV)/.test
	$(PYTEST) -m "not extra"

test-all: $(VENV)/.test
	$(PYTEST) $(if $(filter test,$(AFTER)),-m "extra and not thorough")
	.ci/processors $(PYTEST)

test-thorough: $(VENV)/.test
	$(PYTEST) -m thorough

test-processors: $(VENV)/.test
	.ci/processors $(PYTEST)

fuzz: $(VENV)/.test
	TARSUS_FUZZ_SECONDS=$(SECONDS) $(PYTEST) tests/fuzz

test-ranges: $(VENV)/.test
	.ci/ranges

check: $(VENV)/.test
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

docs: $(VENV)/.docs
	@echo "Sphinx makes the site in out/site: minutes, and silent unless something is wrong"
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
