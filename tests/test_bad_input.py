"""Check that bad input gives exit code 2 and a one-line error with the offending value or its position."""

from pathlib import Path

import pytest
from conftest import Cli

FABRIC = "clique:degree=5,p=3"
DATA = Path(__file__).parent.parent / "crates" / "tulle-traffic" / "tests" / "data"
LOOP = """Nodes 2
Connections 2
Triggers 2
0->1 id 1 trigger 1 size 20 send_done_trigger 2
1->0 id 2 trigger 2 size 20 send_done_trigger 1
trigger id 1 oneshot
trigger id 2 oneshot
"""


def refused(tulle: Cli, *arguments: str) -> str:
    """Run a command that must fail; return its one-line error without the prefix `tulle: `."""
    printed = tulle(*arguments)
    assert (printed.returncode, printed.stdout, printed.stderr.count("\n")) == (2, "", 1), printed.stderr
    assert printed.stderr.startswith("tulle: ")
    return printed.stderr.removeprefix("tulle: ").rstrip("\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rate", "0"], "rate=0 is not a rate; legal: 1Mbps to 100Tbps"),
        (["--rate", "0Gbps"], "rate=0Gbps is not a rate; legal: 1Mbps to 100Tbps"),
        (["--rate", "100"], "rate=100 has no unit; did you mean 100Gbps or 100Mbps?"),
        (["--link-latency", "1"], "link_latency=1 has no unit; did you mean 1us or 1ns?"),
        (["--mtu", "9000"], "mtu=9000 has no unit; did you mean 9000B or 9000KB?"),
        (["--traffic", "permutation:bytes=5"], "permutation: bytes=5 has no unit; did you mean 5B or 5KB?"),
        (["--mtu", "64B"], "mtu=64B is out of range; legal: 65B to 65535B"),
        (["--link-latency", "-1us"], "link_latency=-1us is not a duration; legal: a number and a unit, for example"),
        (["--queue", "pfc:xoff=50KB,xon=60KB"], "pfc: xon=60KB is above xoff=50KB; legal: 0 to 50KB"),
        (["--transport", "dcqcn:window=0"], "dcqcn: window=0 is out of range; legal: 1 to 1048576"),
        (["--traffic", "permutation:bytes=0"], "permutation: bytes=0 is not a size; legal: 1 byte or more"),
        (["--selector", "letflow", "--routing", "ksp:k=2"], "selector=letflow picks ports in switches, but"),
        (["--faults", "down:links=99"], "faults: links=99 is more than the fabric has; legal: 0 to 15"),
    ],
)
def test_result_values(tulle: Cli, arguments: list[str], message: str) -> None:
    assert refused(tulle, "simulate", FABRIC, *arguments).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vcs", "0"], "input-queued: vcs=0 is out of range; legal: 1 to 16"),
        (["--vcs", "1"], "policy 'hops:spare=shared' needs 2 virtual channels, "),
        (["--load", "1.5"], "load=1.5 is out of range; legal: 0 to 1, "),
        (["--load", "0.1:0.9"], "load=0.1:0.9 has no step; legal: 0 to 1, "),
        (
            ["--policy", "free"],
            "routing 'minimal' with selector 'minimal' and policy 'free' on slimfly:q=3,p=2 can deadlock: ",
        ),
        (["--policy", "plan:dfsssp", "--vcs", "1"], "policy 'plan:dfsssp' uses 2 virtual channels, but a port has 1; "),
        (["--selector", "dimension-order"], "no dimension leads from switch (0,0,0) toward (0,1,0) on slimfly"),
        (["--router", "virtual-cut-through", "--packet", "50"], "packet=50 is more than the 32 flits of a buffer, "),
        (
            ["--router", "virtual-cut-through", "--link-latency", "0"],
            "link_latency=0 is too short for virtual cut-through; ",
        ),
        (["--class-latency", "long=60"], "class_latency=long is not a channel class of slimfly:q=3,p=2; legal: "),
        (
            ["--class-latency", "long"],
            "class_latency=long is not a latency; legal: CLASS=CYCLES, for example global=50",
        ),
        (["--warmup-tolerance", "0"], "warmup_tolerance=0 is out of range; legal: above 0 and at most 1"),
        (["--traffic", "hot-spot:share=2"], "hot-spot: share=2 is out of range; legal: above 0 and at most 1"),
    ],
)
def test_values_of_flits(tulle: Cli, arguments: list[str], message: str) -> None:
    assert refused(tulle, "flit", "slimfly:q=3,p=2", *arguments).startswith(message)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("hpcc", "", ":1: the file is empty; legal: the number of flows first"),
        ("hpcc", "2\n0 1 3 100 5000 0\n1 0 3 100 zz 0\n", ":3: bytes 'zz' is not a whole number; legal: 0 to "),
        ("hpcc", "1\n0 1 3 100 5000 nan\n", ":2: start 'nan' is not a time in seconds; legal: 0 to "),
        ("hpcc", "2\n0 1 3 100 5000 0\n", ":1: the file announces 2 flows; legal: 1, the number found in the file"),
        # In the first file, a flow's destination is its source; in the second, the destination is not an endpoint.
        ("hpcc", "1\n4 4 3 100 50 0\n", ":2: a node sends to itself; legal: two nodes"),
        ("hpcc", "1\n0 18 3 100 50 0\n", ":2: node 18 is out of range; legal: 0 to 17"),
        ("htsim", "", ":1: the number of nodes is missing; legal: Nodes N first"),
        ("htsim", "Nodes 2\nConnections 1\n0->x start 0 size 9\n", ":3: node 'x' is not a whole number; legal: 0 to 1"),
        ("htsim", "Nodes 2\nConnections 1\n0->0 start 0 size 9\n", ":3: node 0 sends to itself; legal: two nodes"),
        (
            "htsim",
            "Nodes 2\nConnections 3\n0->1 start 0 size 9\n",
            ":2: Connections 3; legal: 1, the number found in the file",
        ),
        ("htsim", LOOP, ":4: this line waits for itself through triggers; legal: triggers without a cycle"),
        (
            "goal",
            (DATA / "circle.goal").read_text(),
            ":3: this send of rank 0 requires itself through other operations; legal: ",
        ),
        ("hpcc", "1\n0 1 3 100 5000 0\n1 0 3 100 5000 0\n", ":1: the file announces 1 flows; legal: 2, the number"),
        ("goal", "num_ranks 2\n", ":1: no rank follows; legal: rank R {, R from 0 to 1"),
        ("goal", "num_ranks 2\nrank 0 {\nsend 5b to 0\n}\n", ":3: "),
    ],
)
def test_files(tulle: Cli, tmp_path: Path, kind: str, content: str, message: str) -> None:
    path = tmp_path / "broken"
    path.write_text(content)
    assert refused(tulle, "simulate", FABRIC, "--traffic", f"{kind}:file={path}").startswith(f"{path}{message}")


@pytest.mark.parametrize("length", [9, 14, 70])
def test_truncated_goal(tulle: Cli, tmp_path: Path, length: int) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes((DATA / "pair.bin").read_bytes()[:length])
    assert refused(tulle, "simulate", FABRIC, "--traffic", f"goal:file={path}").startswith(f"{path}:byte ")


def test_switch_without_endpoints(tulle: Cli, tmp_path: Path) -> None:
    """Check that the destination of a flow in a file cannot be a switch without endpoints."""
    (tmp_path / "edges.csv").write_text("a,b\n0,1\n1,2\n")
    (tmp_path / "nodes.csv").write_text("node,switch\n0,0\n1,1\n")
    (tmp_path / "flows").write_text("1\n0 2 3 100 50 0\n")
    spec = f"file:edges={tmp_path / 'edges.csv'},nodes={tmp_path / 'nodes.csv'}"
    found = refused(tulle, "simulate", spec, "--traffic", f"hpcc:file={tmp_path / 'flows'}")
    assert found == f"{tmp_path / 'flows'}:2: node 2 is out of range; legal: 0 to 1"
    (tmp_path / "nodes.csv").write_text("node,switch\n0,0\n1,7\n")
    assert refused(tulle, "simulate", spec).startswith(
        f"{tmp_path / 'nodes.csv'}:3:3: node '1' is attached to unknown switch '7'"
    )
