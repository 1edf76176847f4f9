# make demo    the quickstart study, from nothing
# make test    cargo and pytest: test-rust and test-python are its parts
# make test-deploy   bundles before OpenSM and ibsim, which it installs as root; minutes. test-deploy-large: q=11
# make lint    clippy, rustfmt, ruff, mypy, documentation; lint-rust, lint-python, lint-docs are its parts
# make studies the studies of papers that take seconds, checked against what is kept beside them; studies-all: all, an hour
# make bench   benchmarks
# make reproducible   the wheel twice, in two places: the same bytes
# make mutants tests against a sample of mutants of what must not be wrong: CONTRIBUTING.md; hours of one core
# make trials  damages, kills, Ctrl-C and random cases by the thousand; ten minutes and its builds
# make docs    the documentation, into site/
# make wheel   the wheel to hand out, for Linux with glibc 2.28 or later, into target/wheels
# Each target first makes .venv with tulle in it; stamps in .venv keep repeats quick.

PYTHON ?= python3
CARGO ?= cargo
BIN := .venv/bin
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) $(shell find python -name '*.py' -o -name '*.pyi') \
	Cargo.toml Cargo.lock pyproject.toml LICENSE THIRD-PARTY-LICENSES.txt README.md

# At most half a minute of processor time each. The test suite checks the others that are quick, studies-all checks every study.
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

# The binding has no tests of its own: pytest tests it in the wheel.
test-rust: | check
	$(CARGO) test --workspace --exclude tulle-python --locked --quiet

test-python: .venv/tulle.stamp
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --ignore tests/deploy

# Bundles and netlists of ours before the tools that operators have, and in the kernel: of these Debian packages, as far as one may
# install them. The large ones take minutes more.
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

# Registries declare their modules in macros, which cargo fmt does not look into: hence rustfmt. Clippy comes last, as it waits for a
# build of the tests that runs beside.
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

# Several at a time with --jobs.
CHECKS := $(STUDIES:%=studies/%.check)
studies: $(CHECKS)

.PHONY: $(CHECKS)
$(CHECKS): %.check: %.toml .venv/tulle.stamp
	$(BIN)/tulle run $< --check --no-rows

# All with something kept at size small; some have but the paper's size.
studies-all: .venv/tulle.stamp
	@failed=; for kept in $$(grep -l '"small"' studies/*/*.json); do study=$${kept%.json}.toml; \
		$(BIN)/tulle run $$study --check --no-rows || failed="$$failed $$study"; done; \
		test -z "$$failed" || { echo "studies-all: not as kept:$$failed" >&2; exit 1; }

bench: .venv/tulle.stamp
	$(CARGO) bench --workspace --locked

reproducible: .venv/tools.stamp
	tools/reproducible

# SHARD=k/n takes every n-th mutant from the k-th on, always the same; MUTANTS names the crates. .cargo/mutants.toml has the
# files and what is left out. Survivors are in target/mutants/CRATE/mutants.out/missed.txt, and make ends with an error.
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

# The counts of `make test` are small ones of these; SEED is that of the packet simulator's cases, those of flits are new each time.
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

# Linked by zig against glibc 2.28, whatever this machine has.
wheel: .venv/release.stamp
	rm -rf target/wheels
	PATH="$(CURDIR)/$(BIN):$$PATH" tools/wheel target/wheels release --zig --compatibility manylinux_2_28
	$(BIN)/python tools/anonymous.py target/wheels

.venv/release.stamp: requirements-release.txt .venv/tools.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-release.txt
	@touch $@

clean:
	rm -rf .venv site target/wheels

# One line says what is missing; nothing is installed outside .venv.
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
