"""``tulle studies``: list the studies that tulle includes, and copy them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tulle.cli.terminal.output import Column, Json, print_json, print_line, print_table

Start = Annotated[
    str, typer.Argument(metavar="[NAME]", help="Only names that start with this text, for example fatpaths.")
]
Copy = Annotated[
    Path | None,
    typer.Option(
        "--copy",
        metavar="DIR",
        help="Copy all studies, with their input files and recorded results, to this new folder.",
    ),
]


def studies(name: Start = "", copy: Copy = None, json: Json = False) -> None:
    """Lists the studies that tulle includes, by the names that tulle run takes; copies them to edit or record them."""
    from tulle._internal.reading import read_toml
    from tulle._internal.text import did_you_mean
    from tulle.errors import InputError
    from tulle.study.engine.shipped import FOLDER, copy_to, namesakes, shipped

    found = [study for study in shipped() if study.startswith(name)]
    if not found:
        if same := namesakes(name):
            raise InputError(f"no study starts with '{name}'; did you mean {' or '.join(same)}?")
        raise InputError(f"no study starts with '{name}'; {did_you_mean(name, sorted({*_first(shipped())}))}")
    if copy is not None:
        copy_to(copy)
    rows = [{"name": study, "title": read_toml(FOLDER / f"{study}.toml").get("title", "")} for study in found]
    if json:
        print_json({"studies": rows, "copied": None if copy is None else str(copy)})
    elif copy is not None:
        print_line(f"copied {len(shipped())} studies to {copy}")
    else:
        columns = [Column("name", rank=0, kind="name"), Column("title", rank=1, kind="prose")]
        print_table(columns, [[*row.values()] for row in rows])


def _first(names: list[str]) -> list[str]:
    """Return the first parts of names, for example ``fatpaths`` of ``fatpaths/figure-2``."""
    return [name.partition("/")[0] for name in names]
