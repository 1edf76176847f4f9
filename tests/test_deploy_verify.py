"""Check `tulle deploy verify` with files: a difference gives an instruction, and a bad file gives a one-line error."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tulle import Fabric

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


@pytest.fixture
def bundle(tmp_path: Path, tulle: Cli) -> Path:
    arguments = ["hyperx:shape=3x3,p=2", "balanced:layers=2", "--lmc", "1", "-o", str(tmp_path / "bundle")]
    done = tulle("deploy", "infiniband", *arguments)
    assert done.returncode == 0, done.stderr
    (tmp_path / "lfts").write_text((tmp_path / "bundle" / "lfts").read_text())
    (tmp_path / "sl2vl").write_text((tmp_path / "bundle" / "sl2vl").read_text())
    Fabric(f"file:edges={tmp_path / 'bundle' / 'fabric.json'}").write(tmp_path / "live.ibnet")
    return tmp_path / "bundle"


def edit(path: Path, pattern: str, by: str) -> None:
    text, count = re.subn(pattern, by, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1
    path.write_text(text)


def differences(tulle: Cli, bundle: Path, *arguments: str) -> list[tuple[str, str]]:
    done = tulle("deploy", "verify", str(bundle), *arguments, "--json")
    fields: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (not fields["agrees"])
    return [(row["kind"], row["instruction"]) for row in fields["differences"]]


def test_all_as_planned(tulle: Cli, bundle: Path) -> None:
    files = ("--lfts", "lfts", "--sl2vl", "sl2vl", "--live", "live.ibnet")
    assert differences(tulle, bundle, *files) == []
    done = tulle("deploy", "verify", str(bundle), *files)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all as planned")


def test_each_difference_is_an_instruction(tmp_path: Path, tulle: Cli, bundle: Path) -> None:
    # A switch forwards packets for the LID of one of its hosts to another of its hosts.
    text = (tmp_path / "lfts").read_text()
    host = re.search(r"^(0x\w{4}) 005", text, re.MULTILINE)
    assert host is not None
    edit(tmp_path / "lfts", f"^{host[1]} 005", f"{host[1]} 006")
    (table, *others) = differences(tulle, bundle, "--lfts", "lfts")
    assert table[0] == "table"
    assert "1 LID is not forwarded as planned" in table[1]
    assert "to port 6 instead of to port 5: send SIGHUP to OpenSM" in table[1]
    assert {kind for kind, _ in others} == {"wrong-end"}
    edit(tmp_path / "sl2vl", r"^(slvl 0x\w+ 1 2) \d+", r"\1 7")
    ((kind, message),) = differences(tulle, bundle, "--sl2vl", "sl2vl")
    assert kind == "lane"
    assert "from port 1 to port 2 SL 0 on VL 7 instead of VL 0" in message
    edit(tmp_path / "live.ibnet", r"(base port 0 lid) 1\b", r"\1 77")
    ((kind, message),) = differences(tulle, bundle, "--live", "live.ibnet")
    assert kind == "lid"
    assert "has LID 77, expected 1: put guid2lid into OpenSM's cache folder" in message
    (tmp_path / "perf").write_text("# Port counters: Lid 1 port 2 (CapMask: 0x1300)\nLinkDownedCounter:...3\n")
    ((kind, message),) = differences(tulle, bundle, "--counters", "perf")
    assert kind == "errors"
    assert "has errors, 3 LinkDownedCounter: seat or replace its cable" in message


def test_a_table_that_leads_around_and_lanes_in_a_circle(tmp_path: Path, tulle: Cli, bundle: Path) -> None:
    """Check that `verify` reports a loop if two switches send packets for a LID to each other.

    The switches discard packets that turn back, so their lanes cannot wait for each other in a cycle. If the switches
    do not discard these packets, `verify` also reports a credit loop.
    """
    text = (tmp_path / "lfts").read_text()
    parts = text.split("Unicast")
    lid = re.findall(r"^(0x\w{4}) \d{3} # Channel", parts[3], re.MULTILINE)[-1]
    for at in (1, 2):
        parts[at] = re.sub(rf"^{lid} \d{{3}}", f"{lid} 001", parts[at], flags=re.MULTILINE)
    (tmp_path / "lfts").write_text("Unicast".join(parts))
    assert {kind for kind, _ in differences(tulle, bundle, "--lfts", "lfts")} == {"table", "loop"}
    rows = re.sub(
        r"^(slvl 0x\w+ \d+ \d+) 15( 15)+$", r"\1" + 16 * " 0", (tmp_path / "sl2vl").read_text(), flags=re.MULTILINE
    )
    (tmp_path / "turning").write_text(rows)
    found = differences(tulle, bundle, "--lfts", "lfts", "--sl2vl", "turning")
    assert {kind for kind, _ in found} == {"table", "loop", "lane", "credit-loop"}
    assert any("lanes of links can deadlock" in message for _, message in found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to compare; legal: one or more of --lfts"),
        (("--live", "other.ibnet"), "has no GUID of the bundle"),
        (("--lfts", "other.lfts"), "no switch of the bundle is in the forwarding tables"),
        (("--lfts", "cut"), "cut off in switch"),
        (("--live", "twice.ibnet"), "is listed twice"),
        (("--lfts", "missing"), "missing: No such file"),
        (("--paths", "other.paths"), "no LID of the bundle is in the path records"),
    ],
)
def test_what_does_not_fit_is_one_line(
    tmp_path: Path, tulle: Cli, bundle: Path, arguments: tuple[str, ...], message: str
) -> None:
    live = (tmp_path / "live.ibnet").read_text()
    (tmp_path / "other.ibnet").write_text(live.replace("5f0000", "6f0000"))
    (tmp_path / "twice.ibnet").write_text(live + live)
    lfts = (tmp_path / "lfts").read_text()
    (tmp_path / "other.lfts").write_text(lfts.replace("0x5f0000", "0x6f0000"))
    (tmp_path / "cut").write_text(lfts[: len(lfts) - 9])
    record = "PathRecord dump:\n\t\tdlid....................9000\n\t\tslid....................9001\n"
    record += "\t\tsl......................0x1\n"
    (tmp_path / "other.paths").write_text(record)
    done = tulle("deploy", "verify", str(bundle), *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_a_bundle_that_is_not_whole(tulle: Cli, bundle: Path) -> None:
    with (bundle / "lfts").open("a") as file:
        file.write("\n")
    done = tulle("deploy", "verify", str(bundle), "--lfts", str(bundle / "lfts"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    (bundle / "current" / "bundle.json").unlink()
    done = tulle("deploy", "verify", str(bundle), "--lfts", str(bundle / "lfts"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "has no bundle.json" in done.stderr
