"""Write the pages of the component reference: one page for each kind of plug-in, with a section for each plug-in."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import tulle
from reference.markdown import plain, sentence, table
from tulle.registry import KINDS
from tulle.typed_specs import MODULES, make, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tulle.declarations import Entry

FOLDER = "reference/components"


class Kind(NamedTuple):
    """The page of one kind of plug-in."""

    title: str
    used: str
    """Text about the commands and functions that take specs of this kind, in Markdown. Links are relative to the folder
    of the pages."""


PAGES: Mapping[str, Kind] = {
    "fabrics": Kind("Fabrics", "Every command and function that needs a network takes a spec of this kind."),
    "routings": Kind(
        "Routings",
        "`tulle route`, `tulle.route` and the simulators take these specs; see "
        "[routing](../../explanation/routing.md).",
    ),
    "deadlocks": Kind(
        "Deadlock schemes",
        "`tulle route --deadlock` and `tulle deploy` take these specs; see "
        "[deadlock freedom](../../explanation/routing.md#deadlock-freedom).",
    ),
    "traffics": Kind(
        "Traffic patterns",
        "`tulle.traffic`, the simulators and `tulle throughput` take these specs; see "
        "[traffic](../../explanation/traffic.md).",
    ),
    "transports": Kind("Transports", "The option `transport` of the [packet simulator](../../explanation/packet.md)."),
    "selectors": Kind(
        "Selectors",
        "The option `selector` of the [packet simulator](../../explanation/packet.md). "
        "[Selectors compared](../../explanation/selectors.md) has measurements.",
    ),
    "queues": Kind("Queues", "The option `queue` of the [packet simulator](../../explanation/packet.md)."),
    "nics": Kind("Links of endpoints", "The option `nic` of the [packet simulator](../../explanation/packet.md)."),
    "faults": Kind("Faults", "The option `faults` of the [packet simulator](../../explanation/packet.md#faults)."),
    "metrics": Kind(
        "Metrics",
        "`tulle analyze` and the measurement `analyze` of studies take these specs; see "
        "[analysis](../../explanation/analysis.md).",
    ),
    "routers": Kind(
        "Routers of the flit simulator",
        "The option `router` of the [flit simulator](../../explanation/flit.md#routers).",
    ),
    "flit-selectors": Kind(
        "Selectors of the flit simulator", "The option `selector` of the [flit simulator](../../explanation/flit.md)."
    ),
    "policies": Kind(
        "Policies for virtual channels", "The option `policy` of the [flit simulator](../../explanation/flit.md)."
    ),
    "flit-traffics": Kind(
        "Traffic of the flit simulator alone",
        "The [flit simulator](../../explanation/flit.md) takes these specs and all [traffic patterns](traffics.md).",
    ),
    "measurements": Kind(
        "Measurements",
        'A [study](../../explanation/studies.md) names its measurement, for example `measurement = "simulate"`. The '
        "measurement's parameters are keys of the study's tables.",
    ),
    "executors": Kind(
        "Executors of studies",
        "`tulle run --executor` takes these specs; see [distributed runs](../../explanation/cluster.md).",
    ),
    "targets": Kind(
        "Targets of deployment",
        "`tulle deploy NAME` writes a bundle for the target NAME. The target's parameters are options of this command. "
        "The examples omit fabric, routing and folder.",
    ),
    "imports": Kind(
        "Import formats",
        "`tulle import NAME` reads files in the format NAME. The format's parameters are options of this command.",
    ),
    "live-tools": Kind("Live tools", "`tulle cabling verify --live` reads the output of these tools."),
    "exports": Kind("Exports of cabling plans", "`tulle cabling plan` writes files in these formats."),
    "schedulers": Kind(
        "Schedulers",
        "`tulle export NAME` describes a network to these schedulers; see "
        "[the guide](../../guides/describe-to-schedulers.md). The parameters are options of this command. The examples "
        "omit fabric, routing and folder.",
    ),
}


@cache
def pages() -> dict[str, str]:
    """Return the text of every page by its path in the documentation's folder."""
    return {f"{FOLDER}/index.md": _index(), **{f"{FOLDER}/{kind}.md": page(kind) for kind in KINDS}}


def page(kind: str) -> str:
    """Return the page of a kind of plug-in."""
    title, used = PAGES[kind]
    entries = tulle.registered(kind)
    overview = table(
        ["name", "what it is"],
        ([f"[`{entry['name']}`](#{entry['name']})", plain(sentence(entry["summary"]))] for entry in entries),
    )
    command = f"`tulle list {kind}` prints this list, and `tulle list {kind} {entries[0]['name']}` one entry."
    return "\n\n".join([f"# {title}", used, command, overview, *(_section(kind, entry) for entry in entries)]) + "\n"


def names(kind: str) -> str:
    """Return a table of the names of a kind of plug-in."""
    return table(
        ["name", "what it is"],
        ([f"`{entry['name']}`", plain(sentence(entry["summary"]))] for entry in tulle.registered(kind)),
    )


def options(simulator: str) -> str:
    """Return the table of a simulator's options."""
    return _parameters(tulle._tulle.simulator_options(simulator))


def _index() -> str:
    rows = []
    for kind in KINDS:
        title, entries = PAGES[kind].title, tulle.registered(kind)
        listed = ", ".join(f"[`{entry['name']}`]({kind}.md#{entry['name']})" for entry in entries)
        rows.append([f"[{title}]({kind}.md)", listed])
    return "\n\n".join(
        [
            "# Components",
            "A component is anything that a spec can name: a fabric, a routing, a traffic pattern, a transport and so "
            "on. A spec has the form `name:key=value,key=value`, for example `slimfly:q=19`. Python also takes "
            "[typed specs](../typed-specs.md). These pages are generated from the declarations of the components; "
            "`tulle list KIND NAME` prints the same content.",
            table(["kind", "components"], rows),
        ]
    )


def _section(kind: str, entry: Entry) -> str:
    name = entry["name"]
    examples = ", ".join(f"`{example}`" for example in entry["examples"])
    parts = [
        f"## {name} {{ #{name} }}",
        sentence(entry["summary"])[:1].upper() + sentence(entry["summary"])[1:],
        _parameters(entry["parameters"]) if entry["parameters"] else "",
        _typed(kind, entry),
        f"**Source:** {sentence(entry['paper'])}",
        f"**Limitations:** {sentence(entry['limitations'])}",
        f"**Examples:** {examples}",
    ]
    return "\n\n".join(part for part in parts if part)


def _typed(kind: str, entry: Entry) -> str:
    """Return the typed spec of an example, with an anchor by which other pages refer to the class."""
    if kind not in MODULES:
        return ""
    of = make(f"tulle.{MODULES[kind]}", kind, entry)
    return (
        f"[](){{ #{of.__module__}.{of.__name__} }}**In Python:** `{of.__module__}.{typed(of, entry['examples'][0])!r}`"
    )


# Parameters of these kinds are lists, whose default is the empty list.
_LISTS = ("specs", "texts", "counts")
_NO_DEFAULT = ("must be given", "none")


def _parameters(parameters: Iterable[Mapping[str, Any]]) -> str:
    return table(
        ["parameter", "what it is", "legal", "default"],
        (
            [
                f"`{parameter['name']}`",
                parameter["help"],
                parameter["legal"],
                parameter["default"] or _NO_DEFAULT[parameter["kind"]["type"] in _LISTS],
            ]
            for parameter in parameters
        ),
    )
