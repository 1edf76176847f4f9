"""Check the notes below the tables of `design`, `compare` and `layout`: legends, example prices, larger switches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tulle.cli.design.notes import legend

if TYPE_CHECKING:
    from conftest import Cli

SMALL = ("design", "--endpoints", "200", "--family", "slimfly", "--top", "1", "--no-certify")


def test_columns_have_a_legend(tulle: Cli) -> None:
    for command in (SMALL, ("design", "--radix", "16", "--family", "slimfly")):
        printed = tulle(*command)
        assert "Moore" in printed.stdout
        assert "tulle: all-to-all: fraction of the link rate" in printed.stderr
        assert "; Moore: number of switches divided by the Moore bound" in printed.stderr
    assert legend(("fabric", "links each")) == "links each: cables per endpoint, including its own"


@pytest.mark.parametrize(
    ("options", "note"),
    [
        # The list has switches of 32 ports and more, so a network for 16 ports is priced with 32-port switches.
        (("--radix", "16", "--prices", "example-400gbe"), "no smaller ones that fit: 32x400G (32 ports)"),
        (("--radix", "16", "--prices", "flattened-clos-400gbe"), "no smaller ones that fit: 32 ports"),
        (("--radix", "32", "--prices", "example-400gbe"), None),
        # This list has prices for every number of ports.
        (("--radix", "16", "--prices", "fatpaths-100gbe"), None),
        # No note if the user names the switch.
        (("--radix", "16", "--prices", "example-400gbe", "--switch", "64x400G"), None),
    ],
)
def test_larger_switches_are_named(tulle: Cli, options: tuple[str, ...], note: str | None) -> None:
    printed = tulle(*SMALL, *options)
    assert printed.returncode == 0, printed.stderr
    if note is None:
        assert "include switches" not in printed.stderr
    else:
        assert "1 of 1 costs include switches with more than 16 ports, because prices" in printed.stderr
        assert f"{note}\n" in printed.stderr


def test_example_prices_are_named(tulle: Cli) -> None:
    networks = ("clique:degree=3", "clique:degree=4")
    compared = ("compare", *networks, "--routing", "minimal", "--bytes", "4KiB", "--seeds", "1")
    for prices, count in (("example-400gbe", 1), ("fatpaths-100gbe", 0)):
        for command in (compared, SMALL, ("layout", networks[0])):
            printed = tulle(*command, "--prices", prices)
            lines = [line for line in printed.stderr.splitlines() if "are an example" in line]
            assert len(lines) == count, printed.stderr
            assert all("`tulle prices new`" in line for line in lines)


def test_the_number_of_shown_rows_is_not_called_pareto_optimal_with_top(tulle: Cli) -> None:
    shown = tulle("design", "--endpoints", "200", "--radix", "16", "--top", "1", "--no-certify").stderr
    assert re.search(r"ports, \d+ shown; ", shown)
    assert "Pareto-optimal rows shown" not in shown
    assert "cables: between switches, without those of endpoints" in shown
    shown = tulle("design", "--endpoints", "200", "--radix", "16", "--no-certify").stderr
    assert "the first 15 of " in shown
