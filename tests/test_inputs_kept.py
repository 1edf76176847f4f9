"""Check that no command replaces one of its input files, by any path."""

import shutil
from pathlib import Path

import pytest
from conftest import Cli

from tulle.cabling.live.ibnetdiscover import SAMPLE

LLDP = '{{"lldp": [{{"interface": [{}]}}]}}'
NEIGHBOUR = (
    '{{"name": "swp{0}", "chassis": [{{"name": [{{"value": "{1}"}}]}}], "port": [{{"id": [{{"type": "ifname", "value": '
    '"{2}"}}]}}]}}'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "live.txt").write_text(SAMPLE["now.txt"])
    (tmp_path / "net.csv").write_text("a,b,mine\nl1,s1,x\nl2,s1,y\n")
    (tmp_path / "net.nodes.csv").write_text("node,switch\nh1,l1\nh2,l2\n")
    (tmp_path / "table.nodes.csv").write_text("a,b\nl1,s1\nl2,s1\n")
    (tmp_path / "traffic.csv").write_text("source,destination,bytes\n0,1,10\n")
    (tmp_path / "there").symlink_to("net.csv")
    (tmp_path / "linked.csv").symlink_to("net.csv")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "routes").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", "ibnetdiscover", "live.txt", "-o", "live.txt"],
        ["import", "ibnetdiscover", "live.txt", "-o", "sub/../live.txt"],
        ["fabric", "file:edges=net.csv", "--write", "net.csv"],
        ["fabric", "file:edges=net.csv", "--write", "./net.csv"],
        ["fabric", "file:edges=net.csv", "--write", "linked.csv"],
        ["fabric", "file:edges=there,format=csv", "--write", "net.csv"],
        # The file of endpoints is an input, too, and an output beside a graph.
        ["fabric", "file:edges=net.csv,nodes=net.nodes.csv", "--write", "net.edges"],
        ["fabric", "file:edges=table.nodes.csv", "--write", "table.csv"],
        ["layout", "file:edges=net.csv,nodes=net.nodes.csv", "--cables", "net.nodes.csv"],
        ["layout", "file:edges=net.csv,nodes=net.nodes.csv", "--write", "net.csv"],
        ["simulate", "clique:degree=3,p=2", "--traffic", "file:messages=traffic.csv", "-o", "traffic.csv"],
        ["simulate", "clique:degree=3,p=2", "--traffic", "file:messages=traffic.csv", "--links", "traffic.csv"],
        ["analyze", "file:edges=net.csv,p=1", "distances", "-o", "net.csv"],
    ],
)
def test_inputs_are_never_replaced(tulle: Cli, folder: Path, arguments: list[str]) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = tulle(*arguments)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.stderr
    assert "this command reads this file, and --" in result.stderr
    assert "would replace it; legal: another file" in result.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_inputs_of_other_kinds_are_kept(tulle: Cli, folder: Path) -> None:
    assert tulle("route", "clique:degree=3,p=2", "minimal", "-o", "saved").returncode == 0
    result = tulle("route", "clique:degree=3,p=2", "@saved", "-o", "sub/../saved")
    assert (result.returncode, "would replace it" in result.stderr) == (2, True)
    assert tulle("prices", "new", "mine.toml", "--from", "example-400gbe").returncode == 0
    result = tulle("prices", "new", "mine.toml", "--from", "./mine.toml")
    assert (result.returncode, "would replace it" in result.stderr) == (2, True)
    # A bundle is read, so its files are kept.
    rate = ["--link", "all:rate=100Gbps"]
    assert tulle("deploy", "sonic", "clique:degree=3,p=2", "minimal", *rate, "-o", "bundle").returncode == 0
    before = (folder / "bundle" / "hosts.csv").read_bytes()
    result = tulle("lab", "traffic", "bundle", "0:1", "-o", "bundle/hosts.csv")
    assert result.returncode == 2
    assert "bundle: this command reads this folder, and --output would replace its file hosts.csv" in result.stderr
    assert (folder / "bundle" / "hosts.csv").read_bytes() == before


def test_outputs_may_be_replaced_again(tulle: Cli, folder: Path) -> None:
    (folder / "minimal").write_text("mine")
    for _ in range(2):
        assert tulle("route", "clique:degree=3,p=2", "minimal", "-o", "minimal").returncode == 0
        assert tulle("import", "ibnetdiscover", "live.txt", "-o", "net.json").returncode == 0
        assert tulle("fabric", "file:edges=net.csv", "--write", "other.csv").returncode == 0


def test_a_shell_pattern_does_not_replace_the_first_file(tulle: Cli, folder: Path) -> None:
    for name, rows in (
        ("leaf1.json", [(1, "spine1", "swp1"), (2, "node1", "eth0")]),
        ("leaf2.json", [(1, "spine1", "swp2"), (2, "node2", "eth0")]),
        ("spine1.json", [(1, "leaf1", "swp1"), (2, "leaf2", "swp1")]),
    ):
        (folder / name).write_text(LLDP.format(", ".join(NEIGHBOUR.format(*row) for row in rows)))
    before = (folder / "leaf1.json").read_bytes()
    # The shell expands `-o *.json` to these arguments.
    result = tulle("import", "lldp", "-o", "leaf1.json", "leaf2.json", "spine1.json")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1), result.stderr
    assert "leaf1.json: is a file with a network like the input files, and -o would replace it" in result.stderr
    assert (folder / "leaf1.json").read_bytes() == before
    files = ["leaf1.json", "leaf2.json", "spine1.json"]
    for _ in range(2):
        assert tulle("import", "lldp", *files, "-o", "fabric.json").returncode == 0
    shutil.copy(folder / "fabric.json", folder / "a.json")
    assert tulle("import", "lldp", *files, "-o", "a.json").returncode == 0
