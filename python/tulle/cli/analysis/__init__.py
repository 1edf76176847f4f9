"""Commands that measure a fabric or a routing without simulating it."""
