"""Test the OpenSM plugin under sanitizers: it refuses bad files with one log line, and switches keep their tables."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
import test_infiniband as deployed
from subnet import PATH, Subnet, missing

from tulle.deploy.infiniband.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

# AddressSanitizer ignores errors in calls from these libraries of ibsim and OpenSM.
OTHERS = ("libumad2sim", "libibumad", "libosmvendor", "libosmcomp")


def _text(path: Path, pattern: str, by: str) -> None:
    text, count = re.subn(pattern, by, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, pattern
    path.write_text(text)


def _say_sizes(place: Path) -> None:
    """Write the current sizes of all files into ``bundle.json``."""
    message = json.loads((place / "bundle.json").read_text())
    for name, row in message["files"].items():
        row["bytes"] = (place / name).stat().st_size
    (place / "bundle.json").write_text(json.dumps(message, indent=2))


# For each broken bundle: the file to change, pattern, replacement, and a part of the expected log line.
BROKEN = {
    "a bundle that is being written": ("bundle.json", r"(?s)\A.*\Z", "", "bundle.json has no entry for guid2lid"),
    "a file cut short": ("sl2vl", r"\n\Z", "", "has \\d+ bytes, but bundle.json has \\d+"),
    "a switch twice": ("lfts", r"(Unicast lids.*\n)", r"\1\1", "comes twice"),
    "a LID twice": ("lfts", r"^(0x0002 \d{3})", r"\1\n\1", "a LID twice in one switch"),
    "an invalid LID": ("lfts", r"^0x0002 ", "0xc001 ", "no LID with its port"),
    "an invalid port": ("lfts", r"^(0x0002) \d{3}", r"\1 255", "no LID with its port"),
    "another LID": ("lfts", r"^0x0002 ", "0x0400 ", "guid2lid does not have"),
    "no table": ("lfts", r"^Unicast", "Multicast", "neither a switch nor a LID|a LID before any switch"),
    "a table without GUID": ("lfts", r" guid 0x\w+ ", " ", "a switch without its GUID"),
    "too few lanes": ("sl2vl", r"^(slvl 0x\w+ 1 2( \d+){15}) \d+", r"\1", "not 16 virtual lanes"),
    "too many lanes": ("sl2vl", r"^(slvl 0x\w+ 1 2( \d+){16})", r"\1 0", "more than 16"),
    "an invalid lane": ("sl2vl", r"^(slvl 0x\w+ 1 2) \d+", r"\1 16", "not 16 virtual lanes"),
    "a lane that ports do not have": ("sl2vl", r"^(slvl 0x\w+ 1 2) \d+", r"\1 14", "has 8 virtual lanes, and the plan"),
    "a row twice": ("sl2vl", r"^(slvl 0x\w+ 1 2 .*)", r"\1\n\1", "a row that comes twice"),
    "an unknown switch": ("sl2vl", r"^slvl 0x\w+ 1 2 ", "slvl 0x0000000000000099 1 2 ", "has no forwarding table"),
    "a row left out": ("sl2vl", r"^slvl 0x\w+ 1 2 .*\n", "", "has no virtual lane for service level"),
    "too few levels": ("sl2vl", r"^(psl 0x\w+ \w+)\w$", r"\1", "not one hexadecimal digit per LID"),
    "too many levels": ("sl2vl", r"^(psl 0x\w+ \w+)$", r"\g<1>0", "more service levels than LIDs"),
    "levels twice": ("sl2vl", r"^(psl .*)", r"\1\n\1", "service levels come twice"),
    "nonsense": ("sl2vl", r"^slvl", "slv", "neither slvl nor psl"),
    "a LID of two ports": (
        "guid2lid",
        r"\A((0x\w+) (\S+) \S+\n\n0x\w+) \S+ \S+",
        r"\1 \3 \3",
        "a LID that another port has",
    ),
    "LIDs that are no power of two": ("guid2lid", r"^(0x\w+ )0x\w+ 0x\w+", r"\g<1>0x0300 0x0302", "first and last LID"),
    "another host's LIDs": ("guid2lid", r"^0x\w+8000(\w\w) ", r"0x5f0000000080ff\1 ", "is not planned and has LID"),
    # Host 0 is at port 8 of the first switch. This entry sends packets for host 0 to an adjacent switch, which sends
    # them back.
    "a path that loops": ("lfts", r"^0x0034 008", "0x0034 001", "loops|deadlock|no virtual lane"),
}


def test_what_is_wrong_is_one_line_and_switches_keep_their_tables(tmp_path: Path, sanitized: Path) -> None:
    bundle = deployed.made(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=4", "colouring", 2)
    netlist = deployed.bare(bundle, tmp_path / "net.ibnet")
    good = {name: (bundle.place / name).read_text() for name in ("lfts", "sl2vl", "guid2lid", "bundle.json")}
    suppressions = tmp_path / "suppressions"
    suppressions.write_text("".join(f"interceptor_via_lib:{name}\n" for name in OTHERS))
    library = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout
    with Subnet(netlist, tmp_path / "run") as subnet:
        options = f"detect_leaks=0:suppressions={suppressions}"
        deployed.start(
            subnet, bundle.place, sanitized, preload=[library.strip()], environment={"ASAN_OPTIONS": options}
        )
        wrong = []
        for name, (file, pattern, by, message) in BROKEN.items():
            _text(bundle.place / file, pattern, by)
            if file != "bundle.json" and "cut short" not in name:
                _say_sizes(bundle.place)
            before = len(subnet.log)
            subnet.sweep(up=False)
            subnet.wait_log_from(before, "tulle_sl2vl: refused")
            lines = [line for line in subnet.log[before:].splitlines() if "tulle_sl2vl: refused" in line]
            if len(lines) != 1 or not re.search(f"refused: .*({message}).*; switches keep their tables", lines[0]):
                wrong.append((name, lines))
            for kept, text in good.items():
                (bundle.place / kept).write_text(text)
        assert wrong == []
        (tmp_path / "lfts").write_text(subnet.tool("dump_fts"))
        assert verify(bundle, lfts=tmp_path / "lfts").agrees
        subnet.sweep()
        assert "of 6800 SL-to-VL rows as planned" in subnet.log
        output = (tmp_path / "run" / "opensm.out").read_text()
        assert "AddressSanitizer" not in output
        assert "runtime error" not in output


@pytest.mark.parametrize(
    ("conf", "by", "message"),
    [
        (r"^lmc \d", "lmc 1", "has LIDs .* planned are"),
        (r"^qos TRUE", "qos FALSE", "set qos TRUE"),
        (r"^event_plugin_options .*", "event_plugin_options /nowhere", "/nowhere/bundle.json cannot be read"),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, plugin: Path, conf: str, by: str, message: str) -> None:
    bundle = deployed.made(tmp_path / "bundle", "hyperx:shape=3x3,p=2", "balanced:layers=2", "dfsssp", 2)
    netlist = deployed.bare(bundle, tmp_path / "net.ibnet")
    _text(bundle.place / "opensm.conf", conf, by)
    with Subnet(netlist, tmp_path / "run") as subnet:
        deployed.start(subnet, bundle.place, plugin, up=False)
        subnet.wait_log("tulle_sl2vl: refused")
        assert re.search(f"refused: .*{message}", subnet.log)
        assert "SUBNET UP" not in subnet.log


def test_plugin_is_for_one_version(tmp_path: Path, plugin: Path) -> None:
    """Check make's errors for missing or wrong OpenSM files, and OpenSM's error for a plugin of another version."""
    folder = tmp_path / "plugin"
    shutil.copytree(plugin, folder)
    (folder / "libtulle_sl2vl.so").unlink()
    other = tmp_path / "opensm"
    other.write_text("#!/bin/sh\necho -------\necho OpenSM 3.3.99\n")
    other.chmod(0o755)
    for arguments, message in (
        ([f"OPENSM={other}"], "headers of OpenSM .*, but .*/opensm is OpenSM 3.3.99"),
        (["OPENSM=/nowhere"], "no OpenSM at /nowhere: install opensm"),
        (["HEADERS=/nowhere"], "no headers of OpenSM in /nowhere: install libopensm-dev and libibumad-dev"),
    ):
        done = subprocess.run(["make", "-s", *arguments], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert re.search(message, done.stderr)
    source = folder / "tulle_sl2vl.c"
    source.write_text(source.read_text().replace("{ OSM_VERSION, create", '{ "OpenSM 3.3.1", create'))
    subprocess.run(["make", "-s"], cwd=folder, check=True, env={"PATH": PATH})
    bundle = deployed.made(tmp_path / "bundle", "hyperx:shape=3x3,p=2", "balanced:layers=2", "dfsssp", 1)
    netlist = deployed.bare(bundle, tmp_path / "net.ibnet")
    with Subnet(netlist, tmp_path / "run") as subnet:
        deployed.start(subnet, bundle.place, folder, up=False)
        subnet.wait_log("No routing engine able to successfully configure")
        assert "OpenSM version mismatch" in subnet.log
        assert "SUBNET UP" not in subnet.log
