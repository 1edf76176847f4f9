# These prerequisites set the order in which .ci/run makes its targets, three at a time. .ci/run names the longest targets first; the short ones
# fill the time until the longest has ended.

# The tests compare the playground with the command line.
test-python: | $(PLAYGROUND)

# While the Rust tests run, they and the Python tests keep two processors busy. The labs of test-deploy depend on time, so a third group of
# tests must not slow them down. Cargo would let lint-rust wait until it has built the tests.
test-deploy lint-python lint-docs lint-rust demo $(CHECKS): | test-rust

# Cargo, and the tests that run make, must not use the job server of this make.
unexport MAKEFLAGS MFLAGS
