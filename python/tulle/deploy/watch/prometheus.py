"""Write the state of a watched network as a text file for the textfile collector of Prometheus' node_exporter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.writing.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tulle.deploy.watch.state import Event, Observation

__all__ = ["metrics", "write_metrics"]

Samples = "Iterable[tuple[Mapping[str, str], float]]"


def write_metrics(
    path: Path, bundle: str, event: Event, kinds: Iterable[str], last: tuple[float, Observation] | None
) -> None:
    """Replace the file atomically.

    Raises
    ------
    tulle.FileError
        If the file cannot be written.
    """
    text = metrics(bundle, event, kinds, last)
    with replacing(path) as file:
        file.write(text.encode())


def metrics(bundle: str, event: Event, kinds: Iterable[str], last: tuple[float, Observation] | None) -> str:
    """Return the metrics in Prometheus' text format.

    Parameters
    ----------
    bundle
        The value of the label `bundle`.
    event
        The last check.
    kinds
        All kinds of differences, so that a kind without differences has the value 0.
    last
        The time and the result of the last check that could read the network; None if there was none. Differences
        stay at this result while the live command fails.
    """
    lines: list[str] = []

    def add(name: str, kind: str, help: str, *samples: tuple[Mapping[str, str], float]) -> None:
        full = f"tulle_watch_{name}"
        lines.append(f"# HELP {full} {help}")
        lines.append(f"# TYPE {full} {kind}")
        for labels, value in samples:
            shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in {"bundle": bundle, **labels}.items())
            lines.append(f"{full}{{{shown}}} {_number(value)}")

    counts = event.counts
    add("up", "gauge", "1 if the last check could read the network, otherwise 0.", ({}, event.observation is not None))
    add("checks_total", "counter", "Checks since the watch started.", ({}, counts.checks))
    add("failed_checks_total", "counter", "Checks that could not read the network.", ({}, counts.failed_checks))
    add(
        "failed_commands_total",
        "counter",
        "Live commands that failed, or whose output could not be read.",
        ({}, counts.failed_commands),
    )
    add("last_check_timestamp_seconds", "gauge", "Time of the last check.", ({}, event.time))
    add("check_duration_seconds", "gauge", "Duration of the last check.", ({}, event.seconds))
    for name, counter, word in (("appeared", counts.appeared, "appeared"), ("ended", counts.ended, "ended")):
        samples = [({"kind": kind}, float(counter[kind])) for kind in kinds]
        add(f"differences_{name}_total", "counter", f"Differences that {word} since the watch started.", *samples)
    if last is not None:
        when, found = last
        has = dict.fromkeys(kinds, 0)
        for finding in found.findings:
            has[finding.kind] = has.get(finding.kind, 0) + 1
        add("last_read_timestamp_seconds", "gauge", "Time of the last check that read the network.", ({}, when))
        add("as_planned", "gauge", "1 if the network was as planned, otherwise 0.", ({}, not found.findings))
        add("differences", "gauge", "Differences from the bundle.", *(({"kind": kind}, n) for kind, n in has.items()))
        add("parts_planned", "gauge", "Planned parts.", *(({"part": part.what}, part.of) for part in found.parts))
        add(
            "parts_as_planned",
            "gauge",
            "Parts that are as planned.",
            *(({"part": part.what}, part.good) for part in found.parts),
        )
        add(
            "removed_hosts",
            "gauge",
            "Hosts that repairs have removed from the bundle; no path leads to them.",
            ({}, len(found.removed_hosts)),
        )
        add(
            "repair_proposed",
            "gauge",
            "1 if a repair is proposed, otherwise 0.",
            ({}, bool(found.proposal.command)),
        )
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}"
