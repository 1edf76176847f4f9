"""Check that every command that needs endpoints says how a fabric without endpoints gets some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tulle as library

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

RING = "file:edges=ring.edges"
HINT = ", for example with p=2 in the spec (2 endpoints on every switch) or nodes=FILE (a list of endpoints)\n"


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", RING, "-r", "minimal"),
        ("exchange", RING, "-r", "minimal"),
        ("flit", RING, "-r", "minimal"),
        ("stress", RING, "minimal", "permutation"),
        ("throughput", RING, "all-to-all"),
        ("throughput", RING, "minimal", "permutation"),
        ("resilience", RING),
        ("compare", RING, RING),
        ("tune", RING, "--for", "permutation"),
        ("analyze", RING, "density"),
        ("analyze", RING, "collisions"),
        ("deploy", "infiniband", RING, "minimal", "-o", "bundle"),
        ("deploy", "frr", RING, "minimal", "-o", "bundle"),
        ("deploy", "srv6", RING, "minimal", "-o", "bundle"),
        ("export", "slurm", RING, "-o", "slurm"),
    ],
    ids=lambda command: "-".join(word.strip("-") for word in command[:3] if word != RING),
)
def test_a_command_says_how_to_attach_endpoints(command: tuple[str, ...], tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "ring.edges").write_text("a b\nb c\nc d\nd a\n")
    printed = tulle(*command)
    assert (printed.returncode, printed.stdout) == (2, ""), printed.stderr
    assert printed.stderr.endswith(HINT), printed.stderr


def test_rows_without_endpoints_have_their_own_hint() -> None:
    fabric = library.Fabric.from_edges([(0, 1), (1, 2)])
    with pytest.raises(library.TulleError, match=r"for example with endpoint_switch=2 \(2 endpoints on every switch\)"):
        library.traffic(fabric, "permutation")
