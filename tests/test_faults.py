"""Test fabrics from which failed switches and cables are removed."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import tulle


def test_amounts() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    part = fabric.without(links=35, seed=1)
    assert part.num_cables == 140
    for links in ("20%", "35", "35.0", 35.0, np.int64(35)):
        assert np.array_equal(fabric.without(links=links, seed=1).channels, part.channels)
    assert fabric.without().num_cables == 175
    assert fabric.without(links="100%").num_cables == 0
    assert fabric.without(links=1).num_cables == 174
    assert fabric.without(links=1.0) == fabric.without(links=1)
    assert fabric.without(links=[]).num_cables == 175
    part = fabric.without(switches=2, seed=3)
    assert (part.num_switches, part.num_endpoints) == (48, 192)


def test_given_parts() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    cables = fabric.cables[[3, 7]]
    part = fabric.without(links=cables, switches=[10])
    origin = part.origin
    assert origin is not None
    assert 10 not in origin["switches"]
    assert not np.isin(cables, origin["channels"]).any()
    assert np.array_equal(origin["switches"][part.channels], fabric.channels[origin["channels"]])
    assert np.array_equal(origin["switches"][part.endpoint_switch], fabric.endpoint_switch[origin["endpoints"]])
    assert part.faults == [f"links=ids:{cables[0]}+{cables[1]},switches=ids:10"]
    assert "1 faults" in repr(part)
    assert fabric.origin is None


def test_pickles_and_reproduces() -> None:
    part = tulle.Fabric("slimfly:q=5").without(links="10%", seed=1).without(switches=1, seed=2)
    assert pickle.loads(pickle.dumps(part)) == part
    assert part != tulle.Fabric("slimfly:q=5").without(links="10%", seed=2).without(switches=1, seed=2)
    assert part == tulle.Fabric("slimfly:q=5").with_failures("links=10%", 1).with_failures("switches=1", 2)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (1.5, r"links=1.5 is not a whole number; did you mean 150%\?"),
        (0.05, r"links=0.05 is not a whole number; did you mean 5%\?"),
        (float("nan"), "links=nan"),
        ("101%", "links=101% is out of range"),
        (-1, "links=-1 is not an amount"),
        (176, "links=176 is more than the fabric has; legal: 0 to 175"),
        ([349], "ids:349 is a channel, the reverse direction of cable 335; legal: cables"),
        ([350], "ids:350 does not exist"),
        ("1,switches=2", "links=1,switches=2 is not an amount"),
        ('1"', "is not an amount"),
    ],
)
def test_refuses(links: object, message: str) -> None:
    with pytest.raises(tulle.SpecError, match=message):
        tulle.Fabric("slimfly:q=5").without(links=links)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([[0, 5], [0, 6]], r"no cable from '\(0,0,0\)' to '\(0,1,0\)'; legal neighbours: \(0,0,1\)"),
        (True, "links=True is not a number of failures"),
    ],
)
def test_refuses_what_cannot_be_ids(links: object, message: str) -> None:
    with pytest.raises(tulle.InputError, match=message):
        tulle.Fabric("slimfly:q=5").without(links=links)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["net.csv", "net.edges", "net.graphml"])
def test_files_round_trip(tmp_path: Path, name: str) -> None:
    fabric = tulle.Fabric("dragonfly:p=2")
    written = fabric.write(tmp_path / name)
    spec = f'file:edges="{written[0]}"' + (f',nodes="{written[1]}"' if len(written) > 1 else "")
    again = tulle.Fabric(spec)
    assert np.array_equal(again.channels, fabric.channels)
    assert np.array_equal(again.endpoint_switch, fabric.endpoint_switch)
    # A pickled fabric cannot be loaded after its network file has changed.
    stored = pickle.dumps(again)
    assert pickle.loads(stored) == again
    tulle.Fabric("clique:degree=3").write(tmp_path / name)
    with pytest.raises(tulle.InputError, match="no longer the fabric"):
        pickle.loads(stored)


def test_file_errors(tmp_path: Path) -> None:
    fabric = tulle.Fabric("clique:degree=3")
    with pytest.raises(tulle.FormatError, match=r"'\.dat' is not a known extension"):
        fabric.write(tmp_path / "x.dat")
    with pytest.raises(tulle.FileError, match="No such file") as caught:
        fabric.write(tmp_path / "absent" / "x.csv")
    assert isinstance(caught.value, OSError)
    with pytest.raises(tulle.FileError, match=r"absent\.csv"):
        tulle.Fabric(f"file:edges={tmp_path}/absent.csv")
    (tmp_path / "bad.csv").write_text("a,b\n0\n")
    with pytest.raises(tulle.FormatError, match=r"bad\.csv:2:1: ") as wrong:
        tulle.Fabric(f"file:edges={tmp_path}/bad.csv")
    assert isinstance(wrong.value, ValueError)
