# Two commands do all their own set-up: `make grade` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: grade test lint types clean

grade: $(READY)
	$(BIN)/grade submit solutions/ -v
	$(BIN)/grade submit exercises/ -o results-exercises.json

test: $(READY) lint types
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The virtual environment, made anew when what it is made from changes.
$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	touch $(READY)

clean:
	rm -rf $(VENV) results.json results-exercises.json
