"""Check that bad input files (prose, pipes, folders) give one-line errors, and that warnings name ignored content."""

import json
import os
import struct
import zlib
from pathlib import Path

import pytest
from conftest import ROOT

import tulle
from tulle.cli import main

FABRIC = "clique:degree=5,p=3"
PROSE = (
    "tulle is one tool for low-diameter networks: it builds, routes\nand simulates them, and says what it cannot do.\n"
)
READERS = {
    "study": ["run", "{}"],
    "routing": ["route", FABRIC, "@{}"],
    "faults": ["simulate", FABRIC, "--faults", "@{}"],
    "hpcc": ["simulate", FABRIC, "--traffic", "hpcc:file={}"],
    "htsim": ["simulate", FABRIC, "--traffic", "htsim:file={}"],
    "goal": ["exchange", FABRIC, "--traffic", "goal:file={}"],
    "csv": ["fabric", "file:edges={}"],
    "edges": ["fabric", "file:edges={}"],
    "graphml": ["fabric", "file:edges={}"],
    "nodes.csv": ["fabric", "file:edges=net.csv,nodes={}"],
}
EXTENSIONS = {"csv": ".csv", "edges": ".edges", "graphml": ".graphml", "nodes.csv": ".nodes.csv", "study": ".toml"}


class Command:
    """A runner of `tulle` commands in the test's process and a temporary folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.capsys, self.folder = capsys, folder

    def __call__(self, arguments: list[str]) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        printed = self.capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, printed.out, printed.err

    def refused(self, arguments: list[str]) -> str:
        """Run a command that must fail; return its one-line error without the prefix `tulle: `."""
        code, out, error = self(arguments)
        assert (code, out, error.count("\n")) == (2, "", 1), error
        return error.removeprefix("tulle: ").rstrip("\n")


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.csv").write_text("a,b\n0,1\n")
    return Command(capsys, tmp_path)


@pytest.mark.parametrize("reader", READERS)
def test_prose_and_what_is_no_file(command: Command, reader: str) -> None:
    name = f"x{EXTENSIONS.get(reader, '')}"
    path, arguments = command.folder / name, [argument.format(name) for argument in READERS[reader]]
    assert command.refused(arguments).startswith(f"{name}: No such file or directory")
    os.mkfifo(path)
    assert command.refused(arguments) == f"{name}: a pipe; legal: a file"
    path.unlink()
    path.mkdir()
    assert command.refused(arguments) == f"{name}: a folder; legal: a file"
    path.rmdir()
    for text in (PROSE.encode(), (ROOT / "README.md").read_bytes(), b"\xff\xfe\x00prose", b"", b"\n", b"\0" * 99):
        path.write_bytes(text)
        if command(arguments)[0] != 0:
            assert command.refused(arguments).startswith((f"{name}:", "file: edges=")), text
        else:
            # Only the reader of fault lists accepts an empty file.
            assert (reader, text.strip()) == ("faults", b"")


def saved(path: Path) -> tuple[bytes, dict[str, object], bytes]:
    """Save a routing; return three parts of the file: the bytes before the header's length, the header, the columns."""
    tulle.route(tulle.Fabric("clique:degree=4"), "minimal").save(path)
    content = path.read_bytes()
    (length,) = struct.unpack("<I", content[12:16])
    return content[:12], json.loads(content[16 : 16 + length]), content[16 + length : -4]


@pytest.mark.parametrize(
    "change",
    [
        {"columns": []},
        {"columns": [{"name": "sets", "width": 8, "count": 1 << 62}]},
        {"form": "paths"},
        {"form": "prose"},
        {"switches": 1 << 63},
        {"switches": 4},
        {"spec": "two\nlines\x1b"},
        {"fabric": None},
        {"extra": 1},
    ],
)
def test_a_routing_header_that_fits_by_chance(command: Command, change: dict[str, object]) -> None:
    beginning, header, columns = saved(command.folder / "x")
    text = json.dumps({**header, **change}).encode()
    content = beginning + struct.pack("<I", len(text)) + text + columns
    (command.folder / "x").write_bytes(content + struct.pack("<I", zlib.crc32(content)))
    arguments = ["route", "clique:degree=4", "@x"]
    assert command.refused(arguments).startswith("x: ")


def test_lengths_of_a_routing_that_fit_by_chance(command: Command) -> None:
    for content in (b"\x89tulleR\n", b"\x89tulleR\n" + b"\1\0\0\0" + b"\xff" * 8, b"\x89tulleR\n and prose\n"):
        (command.folder / "x").write_bytes(content)
        assert command.refused(["route", "clique:degree=4", "@x"]).startswith("x: ")


def test_what_is_ignored_is_named(command: Command) -> None:
    (command.folder / "x.csv").write_text("a,b,capacity,weight\n0,1,9,3\n1,2,9,3\n")
    code, _, error = command(["fabric", "file:edges=x.csv,p=1"])
    assert (code, error) == (0, "tulle: x.csv: columns 'capacity', 'weight' are ignored\n")
    assert command(["route", "file:edges=x.csv,p=1", "minimal"])[2] == error
    assert tulle.Fabric("file:edges=x.csv,p=1").warnings == ("x.csv: columns 'capacity', 'weight' are ignored",)
    assert tulle.Fabric("clique:degree=3").warnings == ()


def test_what_was_written_has_its_endpoints_or_says_where(command: Command) -> None:
    assert command(["fabric", "slimfly:q=3", "--write", "sf.csv"])[0] == 0
    code, out, error = command(["fabric", "file:edges=sf.csv", "--json"])
    assert (code, error) == (0, "tulle: sf.csv: the endpoints are in sf.nodes.csv; nodes= reads them\n")
    assert json.loads(out)["endpoints"] == 0
    code, out, error = command(["fabric", "file:edges=sf.csv,nodes=sf.nodes.csv", "--json"])
    assert (code, error) == (0, "")
    assert json.loads(out)["endpoints"] == tulle.Fabric("slimfly:q=3").num_endpoints
