# `make demo` runs the main job, `make test` the tests; both create the virtual environment they need.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test fast explore lint types docs bench clean

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.base: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) -e '.[train,report]'
	touch $@

$(VENV)/.dev: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) -e '.[dev]'
	touch $(VENV)/.base $@

demo: $(VENV)/.base  ## a study of majority: decided, trained for at most two minutes, written as a page
	$(BIN)/lengthwise study majority --minutes 2

test: $(VENV)/.dev  ## all tests
	scripts/install-chromium
	$(BIN)/python -m pytest -n 2

fast: $(VENV)/.dev  ## the quick tests
	$(BIN)/python -m pytest -n 2 -m 'not slow'

explore: $(VENV)/.dev  ## the tests with random cases, with cases that were not drawn before
	LENGTHWISE_HYPOTHESIS=explore $(BIN)/python -m pytest -n 2 -m hypothesis

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.dev  ## a table of speeds and ratios
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) site .mypy_cache .pytest_cache .ruff_cache
