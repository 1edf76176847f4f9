"""Write the folder of a cabling plan, for technicians and for other tools."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.text import csv_number
from tulle._internal.writing.atomic import staging
from tulle._internal.writing.folders import NEW, commit, recover
from tulle._internal.writing.lock import reserved
from tulle.cabling.checksums import SUMS, recorded, sums_text
from tulle.cabling.diagrams import diagrams
from tulle.cabling.exports import export, export_formats
from tulle.cabling.exports.table import cables, labels, port_maps, table
from tulle.cabling.instructions import instructions
from tulle.cabling.plan_file import plan_text
from tulle.cabling.plan_names import changed_names
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from tulle.cabling.plan import Plan
    from tulle.design.bill import Bill
    from tulle.design.prices import Prices

__all__ = ["write_plan"]

_FILES = {
    "plan.json": "the plan itself, which `tulle cabling verify` reads",
    "cables.csv": "a row per cable, in the order of wiring",
    "labels.csv": "two labels per cable, one for each plug",
    "diagrams/": "drawings of the cables in each rack and between two racks, with port names, but without endpoints",
    "exports/": "the plan for other tools: {}",
    SUMS: "checksums, by which tulle finds files that you have changed; `sha256sum -c SHA256SUMS` prints them, too",
}
_OWN = {
    "port-maps.csv": "the ports that each optical switch or patch panel connects; the cables do not depend on the seed",
    "bill.csv": "the bill of materials",
}


def write_plan(
    plan: Plan, directory: str | PathLike[str], bill: Bill | None = None, prices: Prices | None = None
) -> tuple[list[Path], list[str]]:
    """Write the folder of a plan. Return its files, and notes on changed names and on files that cannot be made.

    Files of an earlier plan are replaced, even if they were changed. ``plan.json`` is written last, because it shows
    that the folder is complete.
    With `prices`, ``cables.csv`` names the item of the bill to use for each cable.

    Raises
    ------
    tulle.FileError
        If the folder cannot be written, or another command is writing it.
    """
    known = [(device.known_as, device.name) for device in plan.devices if device.known_as]
    place, notes = Path(directory), changed_names(known, "this plan")
    texts = {"cables.csv": cables(plan, prices), "labels.csv": labels(plan)}
    if plan.joins:
        texts["port-maps.csv"] = port_maps(plan)
    tools = []
    for format in export_formats():
        if not format.readers:
            continue
        try:
            texts |= {f"exports/{name}": text for name, text in export(plan, format.name).items()}
            tools.append(format.readers)
        except InputError as error:
            notes.append(f"no file of {format.name}: {error}")
    drawn, left_out = diagrams(plan)
    texts |= {f"diagrams/{name}": text for name, text in drawn.items()}
    if left_out is not None:
        notes.append(left_out)
    if bill is not None:
        rows = [
            (row.item, row.size, *map(csv_number, (row.count, row.unit_cost, row.cost, row.unit_watts)))
            for row in bill.rows
        ]
        texts["bill.csv"] = table(f"item,size,count,unit_cost_{bill.currency},cost_{bill.currency},unit_watts", rows)
    folders = {name: what for name, what in (_FILES | _OWN).items() if _is_there(name, texts)}
    folders["exports/"] = folders["exports/"].format(", ".join(tools))
    texts["README.md"] = instructions(plan, folders)
    texts["plan.json"] = plan_text(plan)
    texts[SUMS] = sums_text(texts)
    return _write(place, texts), notes


def _is_there(name: str, texts: dict[str, str]) -> bool:
    return name in ("plan.json", SUMS) or any(path.startswith(name) for path in texts)


@contextmanager
def _staged(place: Path) -> Iterator[Path]:
    recover(place)
    with staging(place) as folder:
        yield folder


def _write(place: Path, texts: dict[str, str]) -> list[Path]:
    with reserved(place), _staged(place) as folder:
        for name, text in texts.items():
            file = folder / NEW / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        known = recorded(place)
        earlier = {*_OWN}
        exported = {suffix for format in export_formats() for suffix in format.suffixes}
        for inside, suffixes in (("diagrams", {".svg"}), ("exports", exported)):
            if (place / inside).is_dir():
                found = (place / inside).iterdir()
                earlier |= {f"{inside}/{left.name}" for left in found if left.suffix in suffixes}
        # Files of an earlier plan are removed, because technicians would use them with the new plan.
        gone = {name for name in earlier if name not in texts and (not known or name in known)}
        # The last entry is plan.json. It is missing while other files change, which marks the folder as incomplete.
        commit(folder, place, [*(name for name in texts if name != "plan.json"), "plan.json"], gone)
    return [place / name for name in texts]
