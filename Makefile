# A fresh machine needs python3 (3.11 or later), git and make; everything else is installed by these targets.
PYTHON ?= python3
# Test processes: two more than two cores, since some wait for other processes or for timers.
WORKERS ?= 4
export PYTHON
# Where Python may not keep what it compiled, each test process compiles all tests: 3 to 5 CPU seconds each.
unexport PYTHONDONTWRITEBYTECODE

python := .venv/bin/python
# The longest test files begin first; the tests of a file share servers.
pytest := $(python) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup everything venv venv-all native demo test checks prepared test-long test-fast lint types stubs rust docs \
  golden-update bench wheel release clean lock

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what running needs: system packages, .venv, the compiled module (Rust; its first build takes a minute)
	@scripts/install_system_packages run simulator
	@scripts/setup_venv

everything: ## install what Spark, Airflow and the tests need too
	@scripts/install_system_packages run simulator spark test
	@scripts/setup_venv all

venv: ## .venv with the core's dependencies, without the compiled module: enough for the tests of a pure package
	@scripts/setup_venv core dependencies

demo: setup ## run the main job once, from flow files to router configuration
	@$(python) -m hntes.cli.demo

test: everything ## lint, types, documentation and all tests but the campaigns
	@$(MAKE) --no-print-directory -j3 --output-sync=target checks
	$(pytest)

checks: lint types stubs rust docs prepared
# What test processes that begin together would each make, or wait for while one of them makes it: the modules of tests
# compiled, the simulated runs of the demonstration, and the loader of compose files in Go's cache.
prepared:
	@$(python) -m pytest --collect-only -qq --no-header | tail -n 3
	@$(python) -m tests.support.shared_runs
	@$(python) -m tests.support.compose

test-long: everything ## campaigns, and property tests with thousands of random examples (HNTES_SEED=... repeats a run)
	@scripts/install_system_packages browser
	$(pytest) --long --timeout 14400

test-fast: setup ## the tests that take little time, on SQLite only
	$(python) -m pytest -n $(WORKERS) -m "not slow" --database sqlite

lint: ## ruff: rules and formatting; the imports between packages
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .

types: ## mypy, strict; what is imported of Spark and Airflow is checked where they are installed
	@$(python) -m mypy

stubs: # the compiled module against its stub
	@$(python) -m mypy.stubtest --mypy-config-file pyproject.toml hntes._native

rust: ## rustfmt, clippy and the crates' tests
	@scripts/with_rust scripts/lint_rust
	@scripts/with_rust cargo test --quiet
	@scripts/with_rust cargo test --quiet -p hntes-sim-packet --no-default-features --test gate

docs: ## build the documentation site and the crates' documentation into build/site; a warning is an error
	@scripts/build_docs

golden-update: setup ## write the golden files; read the diff before you commit it
	$(python) -m pytest tests/golden --golden-update

bench: setup ## measure speed (never part of the tests)
	$(python) -m benchmarks

wheel: setup ## build the wheel of this machine's platform into dist/
	@rm -rf build/lib* build/bdist*
	@scripts/with_rust $(python) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

release: everything ## build wheel, source distribution, bill of materials and checksums of a committed version into dist/
	@scripts/build_release

clean: ## remove what was built: .venv and caches, never var/
	rm -rf .venv .venv-docs build dist target src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

lock: ## resolve the requirements again (needs uv; UPGRADE=1 takes the newest versions)
	@scripts/lock
