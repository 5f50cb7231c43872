# Two commands do all their own set-up: `make grade` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_TO_TEST := $(VENV)/.ready-to-test
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: grade test lint types docs clean

grade: $(READY)
	$(BIN)/grade submit solutions/ -v
	$(BIN)/grade submit exercises/ -o results-exercises.json

test: $(READY_TO_TEST) lint types
	$(BIN)/python -m pytest

lint: $(READY_TO_TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY_TO_TEST)
	$(BIN)/mypy

docs: $(READY_TO_TEST)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# The virtual environment, made anew when what it is made from changes.
$(READY): pyproject.toml constraints.txt
	@echo "Installing torch and the grader into $(VENV): some minutes, once."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $(READY)

$(READY_TO_TEST): $(READY)
	@echo "Installing what the tests and the docs need: some minutes, once."
	$(PIP) -e ".[test,docs]"
	touch $(READY_TO_TEST)

clean:
	rm -rf $(VENV) docs/_build results.json results-exercises.json
