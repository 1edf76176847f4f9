"""Check the features of routing schemes, which tulle derives from their paths."""

import json

import pytest
from conftest import Cli

import tulle as library
from tulle.routing.features import CRITERIA, PROBES, features


def test_minimal_paths_and_spanning_trees() -> None:
    minimal, balanced, updown, edst = features(["minimal", "balanced", "updown", "edst"])
    assert (minimal.sp, minimal.sps, minimal.np, minimal.sm, minimal.alb) == ("yes", "yes", "no", "no", "switch")
    assert (balanced.mp, balanced.alb, balanced.at) == ("no", "none", len(PROBES))
    # `balanced` has one path per pair of switches. On a torus, its paths need more than one virtual channel.
    assert (balanced.sps, balanced.one_vc) == ("no", "some")
    assert updown.at == 2
    assert "torus" in updown.refused
    assert (updown.one_vc, updown.vcs) == ("yes", (1, 1))
    # `edst` routes along spanning trees that share no cable. So its paths are disjoint but long, and one virtual
    # channel is enough. For some pairs, no path is a shortest path.
    assert (edst.sp, edst.np, edst.dp, edst.one_vc, edst.tables) == ("some", "yes", "yes", "yes", True)


def test_layers_and_path_sets(tulle: Cli) -> None:
    spread, paths = features(["spread", "virtual-updown"])
    assert (spread.sm, spread.mp, spread.dp, spread.alb, spread.tables) == ("yes", "yes", "yes", "sender", True)
    assert spread.at == len(PROBES)
    assert (paths.tables, paths.one_vc, paths.at) == (False, "yes", 1)
    assert len(spread.cells()) == len(CRITERIA)
    with pytest.raises(library.InputError, match="unknown routing 'spred'; did you mean spread"):
        features(["spred"])
    found = json.loads(tulle("features", "virtual-updown", "--json").stdout)
    assert found["features"][0]["scheme"] == "virtual-updown"
    assert "1 of 8, only flattenedclos" in tulle("features", "virtual-updown").stdout
