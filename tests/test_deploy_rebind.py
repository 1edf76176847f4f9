"""Check that the output names a replaced switch or adapter, and that ``--bind`` writes its GUID to the bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.cli.command import run
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.rebind import find_replaced
from tulle.deploy.read.subnet import read_subnet
from tulle.deploy.targets import target
from tulle.deploy.versions.history import versions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SWITCH, ADAPTER = "0x00aa00000000beef", "0x00bb00000000cafe"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    routing = tulle.route("slimfly:q=3,p=1", "almost-minimal:layers=2")
    target("infiniband").bundle(routing, tmp_path / "b", deadlock="dfsssp")
    return tmp_path / "b"


def live(bundle: Path, path: Path, change: Callable[[str], str]) -> Path:
    """Write the planned subnet in the format of ibnetdiscover, with `change` applied to the text."""
    read_bundle(bundle).fabric.write(path, "ibnetdiscover")
    path.write_text(change(path.read_text()))
    return path


def test_replaced_nodes_are_bound(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_bundle(bundle)
    switch, adapter = before.switch_addresses[4][0], before.endpoint_addresses[7][0]
    host, port = before.fabric.endpoint_names[7], before.endpoint_addresses[7][1]

    def replaced(text: str) -> str:
        for old, new in ((switch, SWITCH), (adapter, ADAPTER), (port, "0x00bb00000000cafd")):
            text = text.replace(f"{old:016x}", new[2:]).replace(f"{old:x}", f"{int(new, 16):x}")
        return text

    file = live(bundle, tmp_path / "live", replaced)
    found = find_replaced(before, read_subnet(file))
    name = before.fabric.labels[4]
    assert [(one.name, one.new[0]) for one in found] == [(name, int(SWITCH, 16)), (host, int(ADAPTER, 16))]
    assert run(["deploy", "repair", str(bundle), "--live", str(file), "--dry-run"]) == 0
    said = capsys.readouterr().err
    assert f"--bind '{name}={SWITCH}'" in said
    assert f"--bind {host}={ADAPTER}" in said
    assert "is at port" not in said, "hosts of a replaced switch have not moved"
    assert run(["deploy", "verify", str(bundle), "--live", str(file)]) == 1
    said = capsys.readouterr().out
    assert f"run `tulle deploy repair {bundle} --live {file} --bind '{name}={SWITCH}' -o {bundle}`" in said
    assert "cable-extra" not in said, "the cables of a replacing switch are in the right ports"
    watch = ["deploy", "watch", str(bundle), "--live-command", f"cat {file}"]
    assert run(watch) == 1
    assert f"--bind '{name}={SWITCH}' --bind {host}={ADAPTER}" in capsys.readouterr().out
    command = ["deploy", "repair", str(bundle), "--live", str(file), "-o", str(bundle)]
    assert run([*command, "--bind", f"{name}={SWITCH}", "--bind", f"{host}={ADAPTER}"]) == 0
    assert "guid2lid into OpenSM's cache folder (/var/cache/opensm)\n2. restart OpenSM" in capsys.readouterr().out
    after = read_bundle(bundle)
    assert after.switch_addresses[4][:3] == (int(SWITCH, 16), int(SWITCH, 16), before.switch_addresses[4][2])
    assert after.endpoint_addresses[7][:3] == (int(ADAPTER, 16), 0x00BB00000000CAFD, before.endpoint_addresses[7][2])
    for name in ("guid2lid", "lfts", "sl2vl", "node_names"):
        text = (bundle / name).read_text()
        assert f"{switch:016x}" not in text
        assert SWITCH[2:] in text
    capsys.readouterr()
    # The new bundle fits the subnet: nothing has failed.
    assert run([*command[:-2], "--dry-run"]) == 0
    assert "no failures: the bundle stays unchanged" in capsys.readouterr().out
    assert run(["deploy", "rollback", str(bundle), "--drained"]) == 0
    assert read_bundle(bundle).switch_addresses == before.switch_addresses


@pytest.mark.parametrize("text", ["(0,1,1)=0x1", "nobody=0x00aa00000000beef", "(0,1,1)", "=0x5"])
def test_other_bindings_are_refused(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    before = read_bundle(bundle)
    guid = f"{before.switch_addresses[4][0]:016x}"
    file = live(bundle, tmp_path / "live", lambda shown: shown.replace(guid, SWITCH[2:]))
    command = ["deploy", "repair", str(bundle), "--live", str(file), "-o", str(tmp_path / "new")]
    assert run([*command, "--bind", text]) == 2
    assert f"legal: {before.fabric.labels[4]}={SWITCH}" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_versions_say_why_they_were_made(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_bundle(bundle)
    name, guid = before.fabric.labels[4], f"{before.switch_addresses[4][0]:016x}"
    file = live(bundle, tmp_path / "live", lambda shown: shown.replace(guid, SWITCH[2:]))
    repair = ["deploy", "repair", str(bundle), "--live", str(file), "-o", str(bundle)]
    assert run([*repair, "--drained"]) == 0
    assert run(["deploy", "rollback", str(bundle), "--drained"]) == 0
    assert run([*repair, "--bind", f"{name}={SWITCH}"]) == 0
    assert [version.why for version in versions(bundle)] == [
        "",
        f"repair without switch {name}",
        f"repair --bind {name}={SWITCH}",
    ]
    # A cable that works again after a repair is not to be unplugged.
    cut = tmp_path / "cut"
    read_bundle(bundle).fabric.without(links=before.fabric.cables[:1]).write(cut, "ibnetdiscover")
    whole = live(bundle, tmp_path / "whole", str)
    assert run(["deploy", "repair", str(bundle), "--live", str(cut), "-o", str(bundle), "--drained"]) == 0
    capsys.readouterr()
    assert run(["deploy", "verify", str(bundle), "--live", str(whole)]) == 1
    assert f"`tulle deploy rollback {bundle} --to 0003 --drained`" in capsys.readouterr().out
