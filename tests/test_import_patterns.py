"""Check messages of `tulle import` about patterns that match nothing, and about directed graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tulle import Fabric
from tulle.cabling import FORMATS, plan_cabling, read_live, read_network, verify_cabling
from tulle.cabling.networks import network_format
from tulle.design import place
from tulle.errors import FormatError

if TYPE_CHECKING:
    from conftest import Cli

DATA = Path(__file__).parent / "networks"
LLDP = sorted((DATA / "lldp-json").glob("*.json"))


@pytest.mark.parametrize("kind", FORMATS)
def test_a_matching_pattern_gives_no_warning(tmp_path: Path, kind: str) -> None:
    paths = []
    for name, text in network_format(kind).sample.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(text, encoding="utf-8")
    fabric = read_network(kind, paths).fabric
    names = [fabric.labels[0], fabric.properties["ports"][-1][0]]
    for name in names:
        try:
            imported = read_network(kind, paths, ignore=[name])
        except FormatError:
            continue
        assert not [line for line in imported.warnings if "matches --ignore" in line]


def test_verify_warns_about_patterns_too() -> None:
    fabric = read_network("lldp", LLDP).fabric
    plan = plan_cabling(place(fabric), "{}")
    live = read_live("lldp", LLDP)
    port = fabric.labels[0]
    result = verify_cabling(plan, live, tool="lldp", ignore=["nosuch*"]).notes
    assert "no device or port matches --ignore 'nosuch*'" in result
    assert not [line for line in verify_cabling(plan, live, tool="lldp", ignore=[port]).notes if "--ignore" in line]


def test_a_directed_graph_of_ptm_is_read(tmp_path: Path, tulle: Cli) -> None:
    path = tmp_path / "t.dot"
    path.write_text(
        'digraph G {\n"leaf1":"swp1" -> "spine1":"swp1";\n"leaf2":"swp1" -> "spine1":"swp2";\n'
        '"leaf2":"swp2" -> "srv1":"eth0";\n}\n'
    )
    result = tulle("import", "topo", "t.dot", "-o", "f.json")
    assert result.returncode == 0
    assert "t.dot: a directed graph is read as undirected: every edge is a cable\n" in result.stderr
    fabric = Fabric(f"file:edges={tmp_path / 'f.json'}")
    assert (fabric.labels, fabric.num_cables, fabric.endpoint_names) == (("leaf1", "leaf2", "spine1"), 2, ("srv1",))
    # If some cables are listed twice and other cables once, the error suggests an option, and this option exists.
    path.write_text(
        'digraph G {\n"a":"1" -> "s":"1";\n"s":"1" -> "a":"1";\n"b":"1" -> "s":"2";\n"c":"1" -> "s":"3";\n}\n'
    )
    result = tulle("import", "topo", "t.dot", "-o", "f.json")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    command = "tulle fabric file:edges=t.dot,directed=undirected,both={} --write FILE"
    assert f"{command.format('merge')} or {command.format('parallel')}\n" in result.stderr
    spec = "file:edges=t.dot,directed=undirected,both=merge"
    assert tulle("fabric", spec, "--write", "g.json").returncode == 0
