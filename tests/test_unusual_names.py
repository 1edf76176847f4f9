"""Check that every legal name of a switch can be used wherever a name is given."""

from __future__ import annotations

import json
import string
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tulle as library

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

# "--" separates the ends of a cable. Names that contain it can be ambiguous, so they are tested separately.
LETTERS = string.ascii_letters + string.digits + "=+#%:,\"'/ ._()[]{}<>|&;!?*~^$@\\é中"
NAMES = st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=3, max_size=6, unique=True)


def ring(names: list[str]) -> library.Fabric:
    edges = [(at, (at + 1) % len(names)) for at in range(len(names))]
    return library.Fabric.from_edges(edges, 1, labels=names)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@given(NAMES)
@settings(max_examples=60, deadline=None)
def test_every_name_means_its_switch(names: list[str]) -> None:
    fabric = ring(names)
    routing = library.route(fabric, "minimal")
    load = library.traffic(fabric, "permutation:bytes=1KB", seed=1)
    for at, name in enumerate(names):
        assert fabric.switch(name) == at
        left = fabric.without(switches=[at])
        assert fabric.without(switches=[name]) == left
        assert fabric.without(switches=f"names:{name}").labels == left.labels
        cable = fabric.cable_names[at]
        assert fabric.cable_names[int((fabric.cables == fabric.cable(cable)).argmax())] == cable
        assert fabric.without(links=f"names:{cable}").num_cables == len(names) - 1
        assert fabric.without(links=[cable]).num_cables == len(names) - 1
    name, fault = names[0], f"down:switches={quoted(f'names:{names[0]}')},at=1us,until=2us"
    before = library.simulate(fabric, routing, load, faults="down:switches=ids:0,at=1us,until=2us")
    assert library.simulate(fabric, routing, load, faults=fault).flows == before.flows
    link = [
        library.simulate(fabric, routing, load, sample="1us", sample_links=[one]).link_samples
        for one in (f"{name}--{names[1]}", str(fabric.channel(0, 1)))
    ]
    assert link[0] == link[1]


@pytest.mark.parametrize(
    "name", ["=X", "#1", "=a=b", "x%", "a+b", "to:1", "a--b", "'q'", "中", "-x", "5%", "ids:1", "a,b"]
)
def test_names_on_the_command_line(tmp_path: Path, tulle: Cli, name: str) -> None:
    rows = [(name, "c"), ("c", "d"), ("d", name)]
    text = "".join(f"{quoted(one)},{quoted(other)}\n" for one, other in [("from", "to"), *rows])
    (tmp_path / "edges.csv").write_text(text, encoding="utf-8")
    spec = "file:edges=edges.csv,p=1"
    assert "switches             2\n" in tulle("fabric", spec, "--fail", f"names:{name}").stdout
    inside = quoted(f"names:{name}")
    assert "switches             2\n" in tulle("fabric", spec, "--fail", f"switches={inside}").stdout
    assert "cables               2\n" in tulle("fabric", spec, "--fail", f"links={quoted(f'names:{name}--c')}").stdout
    path = tulle("path", spec, "minimal", "--", name, "c")
    assert path.returncode == 0, path.stderr
    assert f"{name} " in path.stdout


@pytest.mark.parametrize(("text", "left"), [("=X", 2), ("switches==X", 2), ("switches=c+=X", 1), ("=X+c", 1)])
def test_unusual_names_need_no_prefix(tmp_path: Path, tulle: Cli, text: str, left: int) -> None:
    (tmp_path / "edges.csv").write_text("from,to\n=X,c\nc,d\nd,=X\n", encoding="utf-8")
    assert f"switches             {left}\n" in tulle("fabric", "file:edges=edges.csv", "--fail", text).stdout


DASHES = "a,b\na--b,c\nc,交换机一\na--b,交换机一\n"


def test_names_with_two_dashes_mean_switches_and_cables(tmp_path: Path, tulle: Cli) -> None:
    (tmp_path / "net.csv").write_text(DASHES, encoding="utf-8")
    fabric = library.Fabric(f"file:edges={tmp_path}/net.csv")
    assert fabric.labels == ("a--b", "c", "交换机一")
    assert [fabric.cable(name) for name in ("a--b--c", "c--a--b", "a--b--交换机一", "c/0")] == [0, 0, 1, 0]
    for part, cables in (("a--b", 1), ("a--b--c", 2), ("a--b--交换机一", 2)):
        done = tulle("fabric", "file:edges=net.csv", "--fail", part, "--json")
        assert (done.returncode, json.loads(done.stdout)["cables"]) == (0, cables), done.stderr


def test_a_note_says_if_two_cables_have_the_same_name_because_of_dashes(tmp_path: Path, tulle: Cli) -> None:
    (tmp_path / "net.csv").write_text(f"{DASHES}a,b--c\nb--c,c\n", encoding="utf-8")
    done = tulle("fabric", "file:edges=net.csv")
    assert (done.returncode, done.stderr) == (
        0,
        "tulle: net.csv: two cables are called a--b--c: between a and b--c, and between a--b and c; only their ports "
        "distinguish them\n",
    )
