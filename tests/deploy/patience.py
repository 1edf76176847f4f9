"""Time limits of the tests with operators' tools."""

PATIENCE = 300
"""Seconds that a test waits for a condition. The wait ends when the condition holds, so most waits are short."""

LIFETIME = 3600.0
"""Lifetime of a lab in seconds. Tests remove their labs. On a busy machine, the tests of one file take many minutes."""
