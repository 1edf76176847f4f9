"""The examples in docstrings."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "tulle",
        "tulle.fabric",
        "tulle.routing",
        "tulle.workload",
        "tulle.packet",
        "tulle.analysis",
        "tulle.analysis.diversity",
        "tulle.tuning.choose",
    ],
)
def test_examples(module: str) -> None:
    results = doctest.testmod(import_module(module))
    assert results.failed == 0
    assert results.attempted > 0
