"""Files and folders that commands write, for tests of programs that read them."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tulle.cli.command import run

STUDY = """
name = "tiny"
title = "A title with </script><script>alert(1)</script> in it"
measurement = "analyze"
seeds = [1, 2]

[common]
metric = "distances"

[[case]]
name = "Slim Fly"
fabric = "slimfly:q=3"

[[case]]
name = "clique"
fabric = "clique:degree=4,p=2"
"""


def printed(*arguments: str) -> str:
    """Return what a command prints."""
    with redirect_stdout(io.StringIO()) as text:
        assert run(arguments) == 0
    return text.getvalue()


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a result of each kind, as the commands write it."""
    folder = tmp_path_factory.mktemp("results")
    commands = {
        "compare": ("compare", "slimfly:q=3", "hyperx:shape=4x4,p=2", "--routing", "minimal", "--seeds", "1"),
        "design": ("design", "--endpoints", "100", "--radix", "12", "--family", "slimfly,fattree", "--no-certify"),
        "layout": ("layout", "slimfly:q=3", "--prices", "fatpaths-100gbe", "--host-watts", "500"),
        "resilience": (
            *("resilience", "slimfly:q=3", "--routing", "random:layers=3,rho=0.7", "--shares", "0%,10%"),
            *("--kinds", "links", "--seeds", "1", "--pairs", "20"),
        ),
    }
    found = {}
    for name, command in commands.items():
        found[name] = folder / f"{name}.json"
        found[name].write_text(printed(*command, "--json"))
    (folder / "study.toml").write_text(STUDY)
    found["run"] = Path(
        json.loads(printed("run", str(folder / "study.toml"), "-o", str(folder), "--json"))["directory"]
    )
    for target, routing in (("linux", "random:layers=2,rho=0.7"), ("infiniband", "minimal")):
        found[target] = folder / target
        printed("deploy", target, "slimfly:q=3", routing, "-o", str(found[target]))
    return found
