# Two commands do all their own set-up: `make grade` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: grade test lint types docs clean

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

docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# The virtual environment, made anew when what it is made from changes.
$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test,docs]"
	touch $(READY)

clean:
	rm -rf $(VENV) docs/_build results.json results-exercises.json
