# make demo    the quickstart study, from a bare clone
# make test    the tests of cargo and pytest; its parts are test-rust and test-python
# make test-deploy   checks bundles with OpenSM, ibsim and the Linux kernel, some minutes; installs these tools if it runs as root.
#                    test-deploy-large does the same for a Slim Fly with q=11
# make lint    clippy, rustfmt, ruff, mypy, documentation; its parts are lint-rust, lint-python and lint-docs
# make studies runs the short studies of papers and compares them with their kept results; studies-all runs all, an hour
# make bench   runs the benchmarks
# make reproducible   builds the wheel twice, in two folders, and compares the bytes
# make mutants checks that tests notice changes of critical code, for a sample of changes (CONTRIBUTING.md); hours of one core
# make trials  repeats the tests of damaged files, kills, Ctrl-C and random cases thousands of times; ten minutes plus builds
# make docs    builds the documentation into site/
# make wheel   builds the wheel for distribution into target/wheels, for Linux with glibc 2.28 or later
# Each target first creates .venv and installs tulle in it. Stamp files in .venv avoid repeated installations.

PYTHON ?= python3
CARGO ?= cargo
BIN := .venv/bin
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) $(shell find python -name '*.py' -o -name '*.pyi') \
	Cargo.toml Cargo.lock pyproject.toml LICENSE THIRD-PARTY-LICENSES.txt README.md

# Each of these studies takes at most half a minute of processor time. The test suite checks other short studies.
STUDIES := fatpaths/figure-4 flattened-clos/table-2 flattened-clos/figure-3 spread/against-algorithm-1 spread/throughput diameter-two/saturation \
	diameter-two/diversity diameter-two/diversity-most \
	jellyfish/figure-12 jellyfish/table-5 jellyfish/table-6 flattened-clos/table-4 flattened-clos/figure-5 \
	flattened-clos/figure-7 flattened-clos/figure-8 flattened-clos/figure-10 flattened-clos/another-topology flattened-clos/deadlock-time deployment/racks deployment/table-2 \
	deployment/table-4 deployment/opensm deployment/linux-kernel diameter-two/figure-3 diameter-two/figure-4 fatpaths/figure-10 \
	fatpaths/table-sizes

.DELETE_ON_ERROR:
.PHONY: demo test test-rust test-python test-deploy test-deploy-large lint lint-rust lint-python lint-docs studies studies-all bench reproducible mutants trials docs wheel clean check

demo: .venv/tulle.stamp
	$(BIN)/tulle run studies/quickstart.toml

test: test-rust test-python

# The crate tulle-python has no Rust tests. pytest tests it in the wheel.
test-rust: | check
	$(CARGO) test --workspace --exclude tulle-python --locked --quiet

test-python: .venv/tulle.stamp
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --ignore tests/deploy

# Debian packages with the tools of operators, which the tests of bundles and netlists use. If they are missing and cannot be installed,
# these tests are skipped.
OPERATORS := opensm ibsim-utils libumad2sim0 infiniband-diags ibutils libopensm-dev libibumad-dev \
	iproute2 iperf3 mptcpize nftables frr openvswitch-switch libyang2-tools
test-deploy: operators
	$(BIN)/python -m pytest -rs tests/deploy

test-deploy-large: operators
	TULLE_LARGE=1 $(BIN)/python -m pytest -rs tests/deploy -k large

.PHONY: operators
operators: .venv/tulle.stamp
	@dpkg --status $(OPERATORS) > /dev/null 2>&1 || { test "$$(id --user)" = 0 && apt-get update --quiet=2 \
		&& apt-get install --quiet=2 --yes --no-install-recommends $(OPERATORS) > /dev/null; } \
		|| echo "test-deploy: $(OPERATORS) are missing and cannot be installed: tests are skipped"

# Registries declare their modules in macros, and cargo fmt does not format modules in macros, so rustfmt checks all files. Clippy comes
# last, because it waits for the build of the tests, which can run at the same time.
lint: lint-python lint-docs lint-rust
	$(BIN)/python tools/crates.py check
	$(BIN)/python tools/options.py check
	$(BIN)/python tools/anonymous.py .venv/wheel

lint-rust: | check
	$(CARGO) fmt --all --check
	rustfmt --edition 2024 --check $(shell find crates -name '*.rs')
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

lint-python: .venv/tulle.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/typed_specs.py check
	$(BIN)/stubtest tulle._tulle --ignore-disjoint-bases --mypy-config-file pyproject.toml

lint-docs: .venv/tulle.stamp
	$(BIN)/python tools/exhibits.py check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# With --jobs, make runs several studies at a time.
CHECKS := $(STUDIES:%=studies/%.check)
studies: $(CHECKS)

.PHONY: $(CHECKS)
$(CHECKS): %.check: %.toml .venv/tulle.stamp
	$(BIN)/tulle run $< --check --no-rows

# Runs all studies with kept results of size small. Some studies have results of size paper only.
studies-all: .venv/tulle.stamp
	@failed=; for kept in $$(grep -l '"small"' studies/*/*.json); do study=$${kept%.json}.toml; \
		$(BIN)/tulle run $$study --check --no-rows || failed="$$failed $$study"; done; \
		test -z "$$failed" || { echo "studies-all: not as kept:$$failed" >&2; exit 1; }

bench: .venv/tulle.stamp
	$(CARGO) bench --workspace --locked

reproducible: .venv/tools.stamp
	tools/reproducible

# SHARD=k/n selects every n-th mutant, starting with mutant k. MUTANTS names the crates. .cargo/mutants.toml lists the files and the changes
# that are left out. If tests do not notice a mutant, make ends with an error; target/mutants/CRATE/mutants.out/missed.txt lists these mutants.
MUTANTS ?= deadlock packet flit deploy layout analysis traffic
SHARD ?= 0/12
TESTS_deadlock := --lib --test deadlock
TESTS_packet := --lib --test closed_form --test conservation --test deadlock --test errors --test losses --test matrix --test pfc --test reordering --test selectors
TESTS_deploy := --lib --test ethernet --test written
TESTS_layout := --lib --test families
TESTS_analysis := --lib --test bounds --test connectivity --test demands --test path_flow --test stress --test weights
TESTS_traffic := --lib --test collectives --test patterns
TESTS_flit := --lib --test arbiters --test conservation --test deadlock --test throughput --test traffics --test wide --test zero_load
MUTATE := target/tools/bin/cargo-mutants

mutants: $(MUTANTS:%=mutants-%)

mutants-%: $(MUTATE)
	@mkdir -p target/mutants/$*
	CARGO_TARGET_DIR=$(CURDIR)/target/mutants/build nice $(MUTATE) mutants --package tulle-$* --shard $(SHARD) --jobs 1 \
		--output target/mutants/$* $(MUTATE_WITH) $(TESTS_$*:%=--cargo-arg=%)

# `make test` runs the same tests with smaller counts. SEED is the seed of the packet simulator's cases; the cases of the flit simulator are new
# in every run.
SEED ?= 1

trials: .venv/tulle.stamp
	TULLE_FUZZ=3000 $(BIN)/python -m pytest tests/test_mutated_files.py tests/test_price_lists.py tests/test_cabling.py -k "mutated or damaged or random_faults"
	TULLE_DAMAGES=2000 TULLE_KILLS=50 TULLE_INTERRUPTS=50 $(BIN)/python -m pytest tests/test_store.py tests/test_interrupts.py
	$(CARGO) run --release --locked -p tulle-packet --features conservation --example soak -- 10000 $(SEED)
	PROPTEST_CASES=6000 $(CARGO) test --release --locked -p tulle-flit --features conservation --test conservation

$(MUTATE):
	$(CARGO) install cargo-mutants --version 25.3.1 --locked --quiet --root target/tools

docs: .venv/tulle.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# zig links the wheel for glibc 2.28, independent of the glibc of this machine.
wheel: .venv/release.stamp
	rm -rf target/wheels
	PATH="$(CURDIR)/$(BIN):$$PATH" tools/wheel target/wheels release --zig --compatibility manylinux_2_28
	$(BIN)/python tools/anonymous.py target/wheels

.venv/release.stamp: requirements-release.txt .venv/tools.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-release.txt
	@touch $@

clean:
	rm -rf .venv site target/wheels

# Prints one line with the missing tools. Nothing is installed outside .venv.
check:
	@command -v $(PYTHON) >/dev/null || { echo "make: needs Python 3.10 or later as '$(PYTHON)' (or PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "make: needs Python 3.10 or later; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "make: needs Python's venv and pip (Debian, Ubuntu: package python3-venv)" >&2; exit 1; }
	@command -v $(CARGO) >/dev/null || { echo "make: needs Rust 1.88 or later; '$(CARGO)' is not there" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "make: needs a C linker as 'cc' (Debian, Ubuntu: package gcc)" >&2; exit 1; }

.venv/tools.stamp: requirements-dev.txt | check
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

.venv/tulle.stamp: .venv/tools.stamp $(SOURCES)
	@rm -rf .venv/wheel
	tools/wheel .venv/wheel quick
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .venv/wheel/*.whl
	$(BIN)/python -m pip check --disable-pip-version-check
	@touch $@
