# make demo          builds tulle from a fresh checkout and runs `tulle demo`
# make test          runs test-rust (cargo) and test-python (pytest), which is all except test-deploy
# make test-deploy   tests bundles with OpenSM, ibsim and other tools, which it installs if run as root; takes minutes
# make test-deploy-large   tests larger networks and more failures; takes about half an hour
# make lint          runs lint-rust (clippy, rustfmt), lint-python (ruff, mypy) and lint-docs (documentation)
# make studies       runs the papers' studies that take seconds, and compares them with the stored results
# make studies-all   the same for all studies with stored results at size small; takes an hour
# make bench         runs benchmarks
# make reproducible  builds the wheel in two folders and checks that both files are equal
# make mutants       runs tests against a sample of mutated code (CONTRIBUTING.md); takes hours of one core
# make trials        runs thousands of random cases, damaged files, kills and Ctrl-C; takes ten minutes after the builds
# make docs          builds the documentation in site/
# make docs-check    opens every page of site/ in headless Chromium: no error on the console, no page wider than a phone's screen
# make playground    builds the playground's program for browsers, target/playground/tulle.wasm
# make wheel         builds the wheel for release in target/wheels, for Linux with glibc 2.28 or later
# make sdist         builds the source distribution in target/sdist
# Most targets first build .venv, with tulle installed. Stamp files in .venv avoid repeated builds.

PYTHON ?= python3
CARGO ?= cargo
# The command that checks code with clippy. .ci/run sets another.
CLIPPY ?= $(CARGO) clippy --workspace --all-targets --locked -- -D warnings
BIN := .venv/bin
# uv installs packages without compiled modules, so Python must store them: otherwise every process compiles all modules that it imports,
# and the tests take twice the processor time. An empty value is the default of Python.
export PYTHONDONTWRITEBYTECODE :=
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) \
	$(shell find python -name '*.py' -o -name '*.pyi' -o -path '*/report_html/page/*') $(shell find studies -type f) \
	Cargo.toml Cargo.lock pyproject.toml LICENSE THIRD-PARTY-LICENSES.txt README.md

# Each of these studies takes at most 15 seconds of processor time. The test suite checks other short studies.
# studies-all checks all studies with stored results at size small.
STUDIES := fatpaths/figure-4 fatpaths/table-sizes \
	diameter-two/diversity diameter-two/diversity-most diameter-two/figure-4 \
	flattened-clos/table-2 flattened-clos/figure-3 flattened-clos/figure-8 flattened-clos/figure-10 flattened-clos/another-topology \
	flattened-clos/deadlock-time jellyfish/table-5 jellyfish/table-6 spread/against-algorithm-1 spread/throughput

.DELETE_ON_ERROR:
.PHONY: demo test test-rust test-python test-deploy test-deploy-labs test-deploy-tools test-deploy-large lint lint-rust lint-python lint-docs studies studies-all bench reproducible mutants trials docs docs-check playground wheel sdist clean check

demo: .venv/tulle.stamp
	$(BIN)/tulle demo

test: test-rust test-python

# The Python binding has no Rust tests: pytest tests it in the installed wheel.
test-rust: | check
	$(CARGO) test --workspace --exclude tulle-python --locked --quiet --no-fail-fast

test-python: .venv/tulle.stamp
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --ignore tests/deploy

# These tests load tulle's bundles and netlists with operators' tools and into the Linux kernel. They need the following Debian packages;
# if packages are missing and cannot be installed, tests are skipped.
OPERATORS := opensm ibsim-utils libumad2sim0 infiniband-diags ibutils libopensm-dev libibumad-dev \
	iproute2 iperf3 mptcpize nftables frr openvswitch-switch libyang2-tools slurmctld slurm-client
# These files build labs. They run one after another, because a test checks that no process of a lab is left on the machine. All other
# files run at the same time, because labs and subnet managers mostly wait.
LABS := $(addprefix tests/deploy/test_,lab.py lab_forecast.py port_names.py route_import.py tutorial.py watch.py)
test-deploy: operators .venv/tulle.stamp
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-deploy-labs test-deploy-tools

# Tests run make to build OpenSM's plug-in. This make must not use the job server of the outer make, so MAKEFLAGS is empty.
test-deploy-labs:
	MAKEFLAGS= $(BIN)/python -m pytest -rs $(LABS)

test-deploy-tools:
	MAKEFLAGS= $(BIN)/python -m pytest -rs tests/deploy $(addprefix --ignore ,$(LABS))

test-deploy-large: operators .venv/tulle.stamp
	TULLE_LARGE=1 $(BIN)/python -m pytest -rs tests -m large

.PHONY: operators
operators:
	@dpkg --status $(OPERATORS) > /dev/null 2>&1 || { test "$$(id --user)" = 0 && apt-get update --quiet=2 \
		&& apt-get install --quiet=2 --yes --no-install-recommends $(OPERATORS) > /dev/null; } \
		|| echo "test-deploy: $(OPERATORS) are missing and cannot be installed: tests are skipped"

# rustfmt checks all files, because cargo fmt does not find modules that registries declare in macros.
lint: lint-python lint-docs lint-rust
	$(BIN)/python tools/crates.py check
	$(BIN)/python tools/options.py check
	$(BIN)/python tools/anonymous.py .venv/wheel
	$(BIN)/python tools/release.py check

lint-rust: | check
	$(CARGO) fmt --all --check
	rustfmt --edition 2024 --check $(shell find crates -name '*.rs')
	$(CLIPPY)

lint-python: .venv/tulle.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/typed_specs.py check
	$(BIN)/stubtest tulle._tulle --ignore-disjoint-bases --mypy-config-file pyproject.toml

# The draft has all pages and links. `make docs` also writes the plots of papers and the networks of a report, which takes longer.
lint-docs: .venv/tulle.stamp
	$(BIN)/python tools/exhibits.py check
	TULLE_DRAFT=1 NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir target/draft/site

# With --jobs, several studies run at the same time.
CHECKS := $(STUDIES:%=studies/%.check)
studies: $(CHECKS)

.PHONY: $(CHECKS)
$(CHECKS): %.check: %.toml .venv/tulle.stamp
	$(BIN)/tulle run $< --check --no-rows

# Checks all studies with stored results at size small. Some studies have stored results only at the paper's size.
studies-all: .venv/tulle.stamp
	@failed=; for kept in $$(grep -l '"small"' studies/*/*.json); do study=$${kept%.json}.toml; \
		$(BIN)/tulle run $$study --check --no-rows || failed="$$failed $$study"; done; \
		test -z "$$failed" || { echo "studies-all: the check failed for:$$failed" >&2; exit 1; }

bench: .venv/tulle.stamp
	$(CARGO) bench --workspace --locked

reproducible: .venv/tools.stamp
	tools/reproducible

# SHARD=k/n selects every n-th mutant, starting with the k-th; the selection is always the same. MUTANTS lists the crates.
# .cargo/mutants.toml lists the mutated files and the exceptions. If mutants survive the tests, make ends with an error, and
# target/mutants/CRATE/mutants.out/missed.txt lists them.
MUTANTS ?= deadlock packet flit deploy layout analysis traffic
SHARD ?= 0/12
MUTATE := target/tools/bin/cargo-mutants

mutants: $(MUTANTS:%=mutants-%)

mutants-%: $(MUTATE)
	@mkdir -p target/mutants/$*
	CARGO_TARGET_DIR=$(CURDIR)/target/mutants/build nice $(MUTATE) mutants --package tulle-$* --shard $(SHARD) --jobs 1 \
		--output target/mutants/$* $(MUTATE_WITH) --cargo-arg=--tests

# `make test` runs the same trials with smaller counts. SEED selects the packet simulator's cases; the flit simulator's cases are new in
# every run.
SEED ?= 1

trials: .venv/tulle.stamp
	TULLE_FUZZ=3000 $(BIN)/python -m pytest tests/test_mutated_files.py tests/test_price_lists.py tests/test_cabling.py -k "mutated or damaged or random_faults"
	TULLE_DAMAGES=2000 TULLE_KILLS=50 TULLE_INTERRUPTS=50 $(BIN)/python -m pytest tests/test_store.py tests/test_interrupts.py
	$(CARGO) run --release --locked -p tulle-packet --features conservation --example soak -- 10000 $(SEED)
	PROPTEST_CASES=6000 $(CARGO) test --release --locked -p tulle-flit --features conservation --test all conservation::
	PROPTEST_CASES=6000 $(CARGO) test --release --locked -p tulle-topologies --test all fuzz::

$(MUTATE):
	$(CARGO) install cargo-mutants --version 25.3.1 --locked --quiet --root target/tools

playground:
	tools/playground

docs: .venv/tulle.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-check: docs
	$(BIN)/python tools/site_pages.py site

# Options of maturin for the platform. zig links the wheel against glibc 2.28, whatever version this machine has. On macOS use
# PLATFORM="--target universal2-apple-darwin".
PLATFORM ?= --zig --compatibility manylinux_2_28
wheel: .venv/release.stamp
	rm -rf target/wheels
	PATH="$(CURDIR)/$(BIN):$$PATH" tools/wheel target/wheels release $(PLATFORM)
	$(BIN)/python tools/repack.py target/wheels/*.whl
	$(BIN)/python tools/anonymous.py target/wheels
	@test "$$(cat target/wheels/*.whl | wc -c)" -lt 6000000 || { echo "make wheel: the wheel has 6 MB or more" >&2; exit 1; }

# All files get the same modification time, so that the same sources give the same bytes.
sdist: .venv/tools.stamp
	rm -rf target/sdist
	SOURCE_DATE_EPOCH=315532800 $(BIN)/maturin sdist --out target/sdist

.venv/release.stamp: requirements-release.txt .venv/tools.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-release.txt
	@touch $@

clean:
	rm -rf .venv site target/wheels target/sdist

# Prints one line for a missing program. Nothing is installed outside .venv.
check:
	@command -v $(PYTHON) >/dev/null || { echo "make: needs Python 3.10 or later as '$(PYTHON)' (or PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "make: needs Python 3.10 or later; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "make: needs Python's venv and pip (Debian, Ubuntu: package python3-venv)" >&2; exit 1; }
	@command -v $(CARGO) >/dev/null || { echo "make: needs Rust 1.88 or later; '$(CARGO)' is not found" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "make: needs a C linker as 'cc' (Debian, Ubuntu: package gcc)" >&2; exit 1; }

# uv installs in half a minute what takes pip two minutes. It does not read pip's settings, so pip is used if uv cannot reach its index.
.venv/tools.stamp: requirements-dev.txt | check
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$(grep '^uv==' requirements-dev.txt)
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements-dev.txt \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

.venv/tulle.stamp: .venv/tools.stamp $(SOURCES)
	@rm -rf .venv/wheel
	tools/wheel .venv/wheel quick
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .venv/wheel/*.whl
	$(BIN)/python -m pip check --disable-pip-version-check
	@touch $@
