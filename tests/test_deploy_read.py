"""Check that the parsers for the output of InfiniBand tools read complete outputs and reject damaged outputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tulle import Fabric, Routing, route
from tulle.deploy.read import read_counters, read_guid2lid, read_lfts, read_paths, read_sl2vl, read_subnet
from tulle.deploy.read.lines import lines_of
from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

FTS = """\
Unicast lids [0x0-0x353] of switch DR path slid 0; dlid 0; 0,1,7,7 guid 0x5f00000000013000 ((1,4,3)):
  Lid  Out   Destination
       Port     Info~
0x0001 006 : (Switch portguid 0x5f00000000010000: '(0,0,0)')
0x0034 001 : (Channel Adapter portguid 0x5f00000000800001: '0')
0x0035 002 : (path #2 out of 4: portguid 0x5f00000000800001)
3 valid lids dumped~
Unicast lids [0x0-0x353] of switch DR path slid 0; dlid 0; 0,1 guid 0x5f00000000010000 ('a b'):
0x0001 000 : (Switch portguid 0x5f00000000010000: '(0,0,0)')
1 valid lids dumped~
"""
OPENSM = """\
Unicast lids [0-53] of switch Lid 1 guid 0x5f00000000010000 ('(0,0,0)'):
0x0001 000 # Switch portguid 0x5f00000000010000: '(0,0,0)'
0x0034 011 # Channel Adapter portguid 0x5f0000000080c701: '199'
53 lids dumped
"""
COMPACT = "# a comment\nUnicast lids [0-2] of switch Lid 1 guid 0x1 ('x'):\n0x0001 000\n0x0002 254\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "dump"
    # InfiniBand tools print spaces at line ends; in the samples, `~` stands for such a space.
    path.write_text(text.replace("~", " "))
    return path


def test_tables_of_every_form(tmp_path: Path) -> None:
    read = read_lfts(write(tmp_path, FTS))
    assert read.guids.tolist() == [0x5F00000000010000, 0x5F00000000013000]
    assert read.names == ("a b", "(1,4,3)")
    assert read.ports.shape == (2, 0x36)
    assert [read.ports[1, lid] for lid in (0, 1, 0x34, 0x35)] == [255, 6, 1, 2]
    assert read.entries == 4
    assert read_lfts(write(tmp_path, OPENSM)).ports[0, 0x34] == 11
    assert read_lfts(write(tmp_path, COMPACT)).ports.tolist() == [[255, 0, 254]]


@pytest.mark.parametrize("count", [2, 3])
def test_port_255_is_a_lid_that_the_switch_does_not_forward(tmp_path: Path, count: int) -> None:
    text = FTS.replace("0x0035 002", "0x0035 255").replace("3 valid", f"{count} valid")
    read = read_lfts(write(tmp_path, text))
    assert read.ports.shape == (2, 0x35)
    assert read.entries == 3


@pytest.mark.parametrize("piece", [1, 7, 50, 1 << 20])
def test_pieces_are_whole_lines(tmp_path: Path, piece: int) -> None:
    path = write(tmp_path, FTS)
    result = [(lines.first + at, lines.text(at)) for lines in lines_of(path, piece) for at in range(len(lines.starts))]
    assert result == list(enumerate(FTS.replace("~", " ").splitlines(), 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FTS[:300], "4:.*cut off in switch|cut off in switch"),
        (FTS[: FTS.rindex("1 valid")], "cut off in switch a b"),
        (FTS.replace("3 valid", "4 valid"), "switch .* has 3 LIDs, but its last line counts 4"),
        (FTS.replace("3 valid lids dumped~\n", ""), "cut off"),
        (FTS.replace("013000", "010000"), "is listed twice"),
        (OPENSM.replace("0x0034", "0x0001"), "are listed twice"),
        (OPENSM.replace("0x0034 011", "0x0034 1"), "4?.*0xLID PORT"),
        (OPENSM.replace("0x0034 011", "0xc034 011"), "0xLID PORT"),
        (OPENSM.replace("0x0034 011", "0x0034 256"), "0xLID PORT"),
        ("0x0001 001\n", "a LID without its switch"),
        ("", "cut off before the first switch"),
        (OPENSM + "nonsense\n", "5: 'nonsense' is unknown"),
        (COMPACT[:-2], "0xLID PORT|cut off in switch"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as error:
        read_lfts(write(tmp_path, text))
    assert "\n" not in str(error.value)


DUMP = """\
Switch 0x5f00000000010000, base LID 1, "(0,0,0)"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
0   1   : 0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  15
1   11  : 1  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2~
#--------------------------------------------------------

Channel Adapter 0x5f0000000080c701, base LID 848, "199 HCA-1"
0   0   : 0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0~
"""
QUERY = """\
# SL2VL table: Lid 52
#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
ports: in  0, out 12: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
"""
BUNDLE = "slvl 0x5f00000000010000 3 14 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\npsl 0x5f00000000010000 0123\n"


def test_lanes_of_every_form(tmp_path: Path) -> None:
    read = read_sl2vl(write(tmp_path, DUMP))
    assert read.guids.tolist() == [0x5F00000000010000] * 2 + [0x5F0000000080C701]
    assert read.lids.tolist() == [1, 1, 848]
    assert list(zip(read.in_ports.tolist(), read.out_ports.tolist(), strict=True)) == [(0, 1), (1, 11), (0, 0)]
    assert read.lanes[0].tolist() == [0] * 15 + [15]
    assert read.lanes[1].tolist() == [1] + [2] * 15
    read = read_sl2vl(write(tmp_path, QUERY))
    assert (read.guids.tolist(), read.lids.tolist(), read.out_ports.tolist()) == ([0], [52], [12])
    assert read.lanes.tolist() == [list(range(16))]
    read = read_sl2vl(write(tmp_path, BUNDLE))
    assert (read.guids.tolist(), read.in_ports.tolist(), read.out_ports.tolist()) == ([0x5F00000000010000], [3], [14])
    assert read.lanes.tolist() == [list(range(16))]
    both = read_sl2vl([write(tmp_path, DUMP), tmp_path / "dump"])
    assert len(both.guids) == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DUMP.replace("base LID 1,", "LID 1,"), "is unknown"),
        (DUMP.replace("  15\n", "  16\n"), "4: .* 16 virtual lanes from 0 to 15"),
        (DUMP.replace("  15\n", "\n"), "4: .* 16 virtual lanes"),
        (DUMP.replace("0   1   :", "0   1000:"), "4: .*input port"),
        (DUMP[DUMP.index("0   1   :") :], "1: a row without its node"),
        (QUERY.replace("Lid 52", "DR path slid 0; dlid 0; 0,1"), "does not identify"),
        (BUNDLE.replace("0x5f", "0x5g", 1), "1: no GUID"),
        ("", "no SL-to-VL table"),
    ],
)
def test_lanes_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_sl2vl(write(tmp_path, text))


RECORD = """\
PathRecord dump:
\t\tservice_id..............0x0000000000000000
\t\tdgid....................fe80::5f00:0:80:901
\t\tdlid....................90
\t\tslid....................52
\t\tsl......................0x1
\t\tmtu.....................0x84
"""
QUERIED = """\
# Port extended counters: Lid 1 port 3 (CapMask: 0x1300 CapMask2: 0x0000000)
PortSelect:......................3
CounterSelect:...................0x0000
PortXmitPkts:....................2972
"""
ERRORS = """\
Data Counters for 0x5f0000000080c300 "195"
   GUID 0x5f0000000080c300 port 1: [PortXmitData == 1800 (7.031KB)] [PortXmitPkts == 25 (25.000)]
   GUID 0x5f0000000080c300 port ALL: [PortXmitData == 1800 (7.031KB)]
##          750 ports checked
"""


def test_records_and_counters(tmp_path: Path) -> None:
    read = read_paths(write(tmp_path, RECORD + RECORD.replace("52", "56")))
    columns = zip(read.sources.tolist(), read.destinations.tolist(), read.levels.tolist(), strict=True)
    assert list(columns) == [(52, 90, 1), (56, 90, 1)]
    for text, message in (("", "no path record"), (RECORD.replace("\t\tsl.", "\t\tsx."), "without sl")):
        with pytest.raises(FormatError, match=message):
            read_paths(write(tmp_path, text))
    (row,) = read_counters(write(tmp_path, QUERIED))
    assert (row.guid, row.lid, row.port, row.counts) == (0, 1, 3, {"PortXmitPkts": 2972})
    (row,) = read_counters(write(tmp_path, ERRORS))
    assert (row.guid, row.lid, row.port) == (0x5F0000000080C300, 0, 1)
    assert row.counts == {"PortXmitData": 1800, "PortXmitPkts": 25}
    for text, message in (("", "no counters"), (ERRORS + "x\n", "is not a line of perfquery")):
        with pytest.raises(FormatError, match=message):
            read_counters(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0x1 0x0004 0x0007\n\n0x1 0x0008 0x000b\n", "is listed twice"),
        ("0x1 0x0004 0x0007\n0x2 0x0007 0x0007\n", "LID 7 of port .* is listed twice"),
        ("0x1 0x0002 0x0005\n", "a multiple"),
        ("0x1 0x0004 0x0006\n", "2\\^LMC"),
        ("0x1 0xc000 0xc000\n", "LIDs 49152"),
        ("0x1 4 7\n", "is not a line of guid2lid"),
    ],
)
def test_lids_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    assert read_guid2lid(write(tmp_path, "0x1 0x0004 0x0007\n\n")) == {1: (4, 7)}
    with pytest.raises(FormatError, match=message):
        read_guid2lid(write(tmp_path, text))


def test_subnet_has_guids_and_lids(tmp_path: Path) -> None:
    (netlist,) = Fabric("slimfly:q=5").write(tmp_path / "net.ibnet")
    subnet = read_subnet(netlist)
    assert len(subnet.nodes) == 250
    assert len(subnet.links()) == 375
    node = subnet.nodes[0x5F00000000800000]
    assert (node.switch, node.port_guids, node.lids) == (False, {1: 0x5F00000000800001}, {1: (0, 0)})
    text = netlist.read_text()
    first = text[: text.index("\n\n") + 2]
    for broken, message in (
        (text + first, "is listed twice"),
        (text.replace("[2]", "[1]", 1), "is listed twice"),
        (text.replace("5f00000000800101", "5f00000000800001"), "port 0x5f00000000800001 is listed twice"),
        (text + "nonsense\n", "not a line of ibnetdiscover"),
        ("", "the file is empty;"),
        ("# none\n", "no switch;"),
    ):
        with pytest.raises(FormatError, match=message):
            read_subnet(write(tmp_path, broken))


@pytest.mark.parametrize("read", [read_lfts, read_sl2vl, read_paths, read_counters, read_guid2lid, read_subnet])
def test_what_is_no_file_is_one_line(tmp_path: Path, read: Callable[[Path], object]) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(FileError, match=re.escape(str(path))) as error:
            read(path)
        assert "\n" not in str(error.value)


def test_tables_are_imported_as_a_routing(tmp_path: Path, tulle: Cli) -> None:
    """Check the import of a subnet with LMC 1.

    In the first import, the two LIDs of every host use layer 0 and layer 1. In the second import, one of the two hosts
    of each switch uses the layers in the other order, so the imported routing has four layers.
    """
    (netlist,) = Fabric("hyperx:shape=3x3,p=2").write(tmp_path / "net.ibnet")
    text = re.sub(
        r'(Ca\t.*\n\[1\]\([0-9a-f]+\) \t"S-[0-9a-f]+"\[\d+\]\t\t# )lid 0 lmc 0', r"\1lid @ lmc 1", netlist.read_text()
    )
    lids = iter(range(20, 99, 2))
    text = re.sub("@", lambda _: str(next(lids)), text)
    own = iter(range(1, 10))
    text = re.sub("base port 0 lid 0", lambda _: f"base port 0 lid {next(own)}", text)
    netlist.write_text(text)
    fabric = Fabric(f"file:edges={netlist}")
    routing = route(fabric, "random:layers=2,rho=0.6")
    addresses = fabric.properties["switch_addresses"], fabric.properties["endpoint_addresses"]
    for alike in (True, False):
        dump = []
        for switch, (guid, *_) in enumerate(addresses[0]):
            dump.append(f"Unicast lids [0-60] of switch Lid {switch + 1} guid 0x{guid:016x} ('x'):")
            for other in range(9):
                hop = routing.next_hop[0, switch, other]
                dump.append(f"0x{other + 1:04x} {0 if hop < 0 else int(fabric.ports[hop]):03d}")
            for endpoint, address in enumerate(addresses[1]):
                for layer in range(2):
                    of = layer if alike or endpoint % 2 else 1 - layer
                    hop = routing.next_hop[of, switch, fabric.endpoint_switch[endpoint]]
                    port = int(fabric.endpoint_ports[endpoint] if hop < 0 else fabric.ports[hop])
                    dump.append(f"0x{address[2] + layer:04x} {port:03d}")
        (tmp_path / "lfts").write_text("\n".join(dump) + "\n")
        out = tmp_path / f"{alike}.json", tmp_path / f"{alike}.tulle"
        arguments = ["--lfts", str(tmp_path / "lfts"), "--routing", str(out[1])]
        assert tulle("import", "ibnetdiscover", str(netlist), "-o", str(out[0]), *arguments).returncode == 0
        found = Routing.load(out[1], Fabric(f"file:edges={out[0]}"))
        expected = routing.next_hop if alike else routing.next_hop[[1, 0, 0, 1]]
        assert np.array_equal(found.next_hop, expected)
    (tmp_path / "lfts").write_text("\n".join(line for line in dump if not line.startswith("0x0015")) + "\n")
    arguments = ["--lfts", str(tmp_path / "lfts"), "--routing", str(tmp_path / "x.tulle")]
    refused = tulle("import", "ibnetdiscover", str(netlist), "-o", str(tmp_path / "x.json"), *arguments)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "has no port for LID 21" in refused.stderr
    assert not (tmp_path / "x.json").exists()
