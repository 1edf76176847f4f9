"""Check lists of cables, names and messages as an operator uses them."""

import json
from pathlib import Path

import pytest
from conftest import Cli

import tulle as package
from tulle.cabling.live.iblinkinfo import TOOL as IBLINKINFO
from tulle.cabling.live.ibnetdiscover import SAMPLE
from tulle.cabling.live.table import TOOL as TABLE
from tulle.cabling.networks import read_network

NETWORKS = Path(__file__).parent / "networks"
LEAVES = "a,b,source_port,target_port,rate\nLeaf 1,s;1:M/U1,1,1,100Gbps\nLeaf 2,s;1:M/U1,1,2,100Gbps\n"
NODES = "node,switch,port\nh1,Leaf 1,2\nh2,Leaf 2,2\n"


@pytest.fixture
def spec(tmp_path: Path) -> str:
    (tmp_path / "net.csv").write_text(LEAVES)
    (tmp_path / "net.nodes.csv").write_text(NODES)
    return "file:edges=net.csv,nodes=net.nodes.csv"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,b,rate\nl1,s1,100Gbps\nl2,s1,100\n", "3:7: rate '100' has no unit; did you mean 100Gbps or 100Mbps?"),
        ("a,b,length\nl1,s1,5\nl2,s1,5m\n", "3:7: length '5m' has a unit, but '5' above has none"),
    ],
)
def test_one_value_without_a_unit_is_an_error(tulle: Cli, tmp_path: Path, rows: str, message: str) -> None:
    (tmp_path / "r.csv").write_text(rows)
    result = tulle("fabric", "file:edges=r.csv")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"tulle: r.csv:{message}")


def test_names_of_failed_parts(tulle: Cli, spec: str) -> None:
    for fail, left in (
        ("s;1:M/U1", 2),
        ("names:s;1:M/U1", 2),
        ("Leaf 1,s;1:M/U1", 1),
        ("switches=s;1:M/U1", 2),
        ("Leaf 1+Leaf 2", 1),
    ):
        assert json.loads(tulle("fabric", spec, "--fail", fail, "--json").stdout)["switches"] == left, fail
    assert "no switch 'Leaf 3'; did you mean Leaf 1" in tulle("fabric", spec, "--fail", "Leaf 1,Leaf 3").stderr
    shown = " ".join(tulle("fabric", "--help").stdout.split())
    assert "for example spine1+spine2+leaf1/3; names:X for any name X" in shown


def test_outputs_with_other_names_say_so(tulle: Cli, spec: str) -> None:
    said = "3 devices have other names in this {} than in the network: "
    said += "'Leaf 1' is '{}', 'Leaf 2' is '{}', 's;1:M/U1' is '{}'\n"
    result = tulle("cabling", "plan", spec, "-o", "plan")
    assert said.format("plan", "Leaf-1", "Leaf-2", "s-1:M/U1") in result.stderr
    result = tulle("deploy", "linux", spec, "minimal", "-o", "bundle")
    assert said.format("bundle", "leaf-1", "leaf-2", "s-1-m-u1") in result.stderr
    result = tulle("export", "slurm", spec, "-o", "slurm")
    assert "devices have other names in these files than in the network: 'Leaf 1' is 'Leaf-1'" in result.stderr
    for command in (["cabling", "plan"], ["export", "slurm"]):
        assert "other names" not in tulle(*command, "slimfly:q=3", "-o", f"{command[0]}-own").stderr


def test_a_plans_table_is_the_same_network(tulle: Cli, tmp_path: Path, spec: str) -> None:
    assert tulle("cabling", "plan", spec, "-o", "plan").returncode == 0
    result = tulle("fabric", "file:edges=plan/cables.csv", "--write", "again.json")
    assert result.stderr == (
        "tulle: plan/cables.csv: a plan's table of cables: 2 cables of the step 'endpoints' lead to endpoints\n"
    )
    fabric = package.Fabric(f"file:edges={tmp_path / 'again.json'}")
    assert (fabric.num_switches, fabric.num_cables, fabric.endpoint_names) == (3, 2, ("h1", "h2"))
    assert fabric.properties["ports"] == [("1", "1"), ("1", "2")]
    assert fabric.link_rate.tolist() == [10**11] * 4
    # The same columns with other headings and separators.
    text = (tmp_path / "plan" / "cables.csv").read_text()
    table = text.replace(",", ";").replace("from_port", "From Port", 1).replace("to_port", "To Port", 1)
    assert TABLE.wrote is not None
    assert TABLE.wrote(table.encode())
    (tmp_path / "installed.csv").write_text(table)
    assert "all as planned" in tulle("cabling", "verify", "plan", "--live", "installed.csv").stdout
    (tmp_path / "installed.csv").write_text("From;To\nLeaf-1;s-1:M/U1\n")
    wrong = tulle("cabling", "verify", "plan", "--live", "installed.csv")
    assert "column from_port is missing in 'from, to'; legal: from, from_port, to, to_port" in wrong.stderr
    (tmp_path / "installed.csv").write_text("a,source_port,b,target_port\nLeaf-1,1,s-1:M/U1,1\nLeaf-2,1,s-1:M/U1,2\n")
    only = tulle("cabling", "verify", "plan", "--live", "installed.csv", "--switches-only")
    assert "all as planned" in only.stdout


def test_netbox_tables_may_have_semicolons(tmp_path: Path) -> None:
    rows = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name\n"
    rows += "leaf1,dcim.interface,e1,spine1,dcim.interface,e1\nleaf2,dcim.interface,e1,spine1,dcim.interface,e2\n"
    for separator in ",;\t":
        (tmp_path / "cables.csv").write_text(rows.replace(",", separator))
        assert read_network("netbox", tmp_path / "cables.csv").fabric.num_cables == 2


def test_files_of_another_tool_are_named(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text(next(iter(IBLINKINFO.sample.values())))
    (tmp_path / "subnet.txt").write_text(SAMPLE["now.txt"])
    (tmp_path / "empty.txt").write_text("\n")
    for format, file, message in (
        (
            "ibnetdiscover",
            "links.txt",
            "the file is output of iblinkinfo, which only 'tulle cabling verify --live' reads; 'tulle import "
            "ibnetdiscover' imports the output of ibnetdiscover",
        ),
        ("lldp", "subnet.txt", "the file is output of ibnetdiscover, which 'tulle import ibnetdiscover' reads"),
        ("ibnetdiscover", "empty.txt", "empty.txt:1:1: the file is empty; legal: the output of ibnetdiscover"),
    ):
        result = tulle("import", format, file, "-o", "x.json")
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert result.stderr.endswith(f"{message}\n")


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        (
            "iblinkinfo.txt",
            "; the file is output of iblinkinfo, which only 'tulle cabling verify --live' reads; 'tulle",
        ),
        ("ib-group.txt", "; the file is output of ibnetdiscover, which 'tulle import ibnetdiscover' reads"),
        (
            "lldp-json/l1.json",
            "; the file is output of lldpctl -f json (one per switch), which 'tulle import lldp' reads",
        ),
        ("netbox-v3.3.csv", "; the file is an export of NetBox, which 'tulle import netbox' reads"),
        ("dual-homed.csv", "; the file is an export of NetBox, which 'tulle import netbox' reads"),
        ("lldp-plan.json", ""),
    ],
)
def test_files_of_other_tools_are_no_lists_of_cables(tulle: Cli, file: str, hint: str) -> None:
    result = tulle("fabric", f"file:edges={NETWORKS / file}")
    assert result.returncode == 2
    assert (hint in result.stderr) if hint else "; the file is" not in result.stderr


def test_help_on_a_command_of_a_group(tulle: Cli) -> None:
    assert tulle("help", "cabling", "plan").stdout == tulle("cabling", "plan", "--help").stdout
    assert "cabling has no command 'plna'; did you mean plan?" in tulle("help", "cabling", "plna").stderr


def test_hosts_in_a_path_and_a_diameter_of_zero(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("a,b\nl1,s1\nl2,s1\n")
    (tmp_path / "two.nodes.csv").write_text("node,switch\nh1 mlx5_0,l1\nh2:e0,l2\nh2:e1,l2\n")
    spec = "file:edges=net.csv,nodes=two.nodes.csv"
    assert "paths    1 (one per layer)" in tulle("path", spec, "minimal", "h1", "l2").stdout
    assert "'h2' has several ports; legal: h2:e0, h2:e1" in tulle("path", spec, "minimal", "h1", "h2").stderr
    (tmp_path / "one.nodes.csv").write_text("node,switch\nh1,l1\n")
    result = tulle("fabric", "file:edges=net.csv,nodes=one.nodes.csv")
    assert "the diameter is 0, because distances are measured between switches with endpoints" in result.stderr
