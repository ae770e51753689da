# A fresh machine needs python3 (3.11 or later), git and make; everything else is installed by these targets.
PYTHON ?= python3
# Test processes: two more than two cores, since some wait for other processes or for timers.
WORKERS ?= 4
export PYTHON
# Where Python may not keep what it compiled, each test process compiles all tests: 3 to 5 CPU seconds each.
unexport PYTHONDONTWRITEBYTECODE

python := .venv/bin/python
phase := scripts/phase
at_once := scripts/side_by_side

.DEFAULT_GOAL := help
.PHONY: help setup setup-test everything simulator rust-test docs-rust venv venv-all demo test test-long test-fast lint types golden-update bench clean lock docs

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what running needs: system packages, .venv, the packet simulator (Rust; its first build takes a minute)
	@scripts/check_python
	@$(phase) "system packages" scripts/install_system_packages run simulator
	@$(at_once) "virtual environment" scripts/setup_venv "packet simulator" scripts/build_simulator

setup-test: # everything at once, so that one message names all that is missing
	@scripts/check_python
	@$(phase) "system packages" scripts/install_system_packages run simulator spark test
	@$(at_once) "virtual environment" "scripts/setup_venv all" "packet simulator" scripts/build_simulator

everything: setup-test ## install what Spark, Airflow and the tests need too

simulator: setup # what compiles it is part of setup

venv:
	@scripts/setup_venv

venv-all:
	@scripts/setup_venv all

demo: setup ## run the main job once, from flow files to router configuration
	@$(python) -m console.demo

rust-test: ## the simulator's Rust: its formatting, clippy, its own tests
	@$(phase) "Rust lint" scripts/lint_simulator
	@$(phase) "Rust tests" scripts/test_simulator

docs-rust: ## documentation of the simulator's Rust, into simulator/target/doc
	@$(phase) "Rust documentation" scripts/document_simulator

# The tests of a file share servers, and some files more (tests/support/distribution.py). In the order of collection the
# longest begin first.
pytest := $(python) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# What test processes that begin together would each make, or wait for while one of them makes it, is made before: the
# modules of tests compiled, the simulated runs of the demonstration, and the loader of compose files in Go's cache.
collect := $(python) -m pytest --collect-only -qq --no-header

test: setup-test lint ## lint, types and all tests but the campaigns
	@$(at_once) "types" "$(MAKE) --no-print-directory types" "Rust" "$(MAKE) --no-print-directory rust-test" \
	  "modules of tests" "set -o pipefail; $(collect) | tail -n 20" \
	  "demonstration's runs" "$(python) -m tests.support.shared_runs" "loader of compose files" "$(python) -m tests.support.compose"
	@$(phase) "tests" $(pytest)

test-long: setup-test ## campaigns, and property tests with thousands of random examples (HNTES_SEED=... repeats a run)
	@$(phase) "browser" scripts/install_system_packages browser
	$(pytest) --long --timeout 14400

test-fast: setup ## the tests that take little time, on SQLite only
	$(python) -m pytest -n $(WORKERS) -m "not slow" --database sqlite

lint: venv ## ruff: rules and formatting
	@$(phase) "lint" $(python) -m ruff check .
	@$(phase) "format" $(python) -m ruff format --check .

types: venv-all ## mypy, strict; the compiled module against its stub
	@$(phase) "packet simulator" scripts/build_simulator
	@$(phase) "types" $(python) -m mypy
	@$(phase) "stub" $(python) -m mypy.stubtest --mypy-config-file pyproject.toml simulator._core etl.nfcapd._native

docs: ## build the documentation site and the crates' documentation into build/site
	@$(phase) "documentation" scripts/build_docs

golden-update: setup ## write the golden files anew; read the diff before you commit it
	$(python) -m pytest tests/golden --golden-update

bench: setup ## measure speed (never part of the tests)
	$(python) -m benchmarks

clean: ## remove what was built: .venv and caches, never var/
	rm -rf .venv .venv-docs build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

lock: ## resolve requirements.lock anew (needs uv; UPGRADE=1 takes the newest versions)
	@scripts/lock
