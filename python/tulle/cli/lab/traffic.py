"""``tulle lab traffic``: measure connections between hosts, and compare them with the packet simulator's forecast."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.quantities import seconds as to_seconds
from tulle.cli.lab.fail import slow_share
from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.options import destination
from tulle.cli.terminal.output import Column, Json, Seed, print_json, print_line, print_table

if TYPE_CHECKING:
    from tulle.lab.lab import Lab
    from tulle.lab.traffic import Event, Measured, Stream

Pairs = Annotated[
    list[str],
    typer.Argument(
        metavar="FROM:TO...", help="Pairs of hosts, by names in the bundle; all pairs send at the same time."
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="KIND",
        help="Transport: tcp, mptcp, flowlets or hash; may be repeated to measure one after the other; "
        "default: tcp and mptcp.",
    ),
]
Flows = Annotated[int, typer.Option("--flows", metavar="N", help="Connections of each pair.")]
Seconds = Annotated[str, typer.Option("--seconds", metavar="TIME", help="Duration, for example 5s.")]
Dead = Annotated[
    str | None,
    typer.Option(
        "--fail",
        metavar="CABLE",
        help="Fail this cable during the measurement: a cable as in tulle lab fail, or layer:N for the first cable of "
        "the first pair's path in layer N.",
    ),
]
Silent = Annotated[
    bool, typer.Option("--silent", help="With --fail: keep the link up but drop all its packets (a black hole).")
]
Slow = Annotated[
    str | None,
    typer.Option(
        "--rate", metavar="SHARE", help="With --fail: keep the link up at this share of its rate, for example 25%."
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="TIME", help="With --fail: the time of the failure; default: a third of the duration."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the rows as CSV."),
]

_LONGEST = 600.0
_MOST_FLOWS = 128


def traffic(
    bundle: BundlePath,
    pairs: Pairs,
    by: Kinds = None,
    flows: Flows = 1,
    seconds: Seconds = "5s",
    fail: Dead = None,
    silent: Silent = False,
    rate: Slow = None,
    at: At = None,
    seed: Seed = 0,
    output: Output = None,
    json: Json = False,
) -> None:
    """Measures throughput between hosts with iperf3; shows the packet simulator's forecast and the ratio to TCP."""
    from tulle.errors import InputError
    from tulle.lab.forecast import forecast, linked
    from tulle.lab.lab import find
    from tulle.lab.traffic import KINDS, measure

    wanted = by or ["tcp", "mptcp"]
    for text in wanted:
        if text not in KINDS:
            raise InputError(f"--by {text} is unknown; legal: {', '.join(KINDS)}")
    kinds = [kind for kind in KINDS if kind in wanted]
    if not 1 <= flows <= _MOST_FLOWS:
        raise InputError(f"--flows {flows} is out of range; legal: 1 to {_MOST_FLOWS}")
    duration = to_seconds("--seconds", seconds)
    if not 2 <= duration <= _LONGEST:
        raise InputError(f"--seconds {seconds} is out of range; legal: 2s to {_LONGEST:.0f}s")
    if fail is None and (silent or rate is not None or at is not None):
        raise InputError("--silent, --rate and --at need --fail; legal: with --fail")
    if silent and rate is not None:
        raise InputError("--silent and --rate are both given; legal: one of them")
    share = None if rate is None else slow_share(rate)
    lab = find(bundle)
    streams = [_stream(lab, text, flows) for text in pairs]
    events = [] if fail is None else _events(lab, streams, fail, silent, share, duration, at)
    gap_ms = lab.bundle.header.options["gap_ms"]
    routing = linked(lab.place, lab.bundle.plan, lab.rate)
    ends = [(one.source.endpoint, one.destination.endpoint, one.flows) for one in streams]
    rows = []
    for kind in kinds:
        options: dict[str, Any] = {"seconds": duration, "events": events}
        found = measure(lab.sandbox, lab.place, lab.bundle.plan, streams, kind, **options)
        forecasts: list[float | None] = [None] * len(streams)
        # The packet simulator supports failures of links, but not changes of their rates.
        if share is None:
            forecasts = list(forecast(routing, ends, kind, rate=lab.rate, gap_ms=gap_ms, seed=seed, **options))
        rows += [_row(one, forecast_mbps, duration) for one, forecast_mbps in zip(found, forecasts, strict=True)]
    _against_tcp(rows)
    if output is not None:
        _write(rows, output)
    if json:
        print_json(
            {
                "bundle": str(bundle),
                "rate_mbps": lab.rate / 1e6,
                "failed": [_event_fields(one) for one in events],
                "traffic": rows,
            }
        )
        return
    for one in events:
        if not one.heal:
            print_line(f"after {one.at:g} s: {one.cable.name} {one.kind}")
    shown = ["from", "to", "by", "flows", "mbps", "forecast_mbps", "of_tcp", "forecast_of_tcp", "last_2_s_mbps"]
    names = [Column(name.replace("_", " "), kind="name" if name in ("from", "to", "by") else None) for name in shown]
    print_table(names, [[row[name] for name in shown] for row in rows], output="-o")


def _stream(lab: Lab, text: str, flows: int) -> Stream:
    from tulle.errors import InputError
    from tulle.lab.traffic import Stream, host

    source, colon, destination = text.partition(":")
    if not colon:
        one, other = lab.bundle.plan.hosts[0].name, lab.bundle.plan.hosts[-1].name
        raise InputError(f"{text} is not a pair of hosts; legal: FROM:TO, for example {one}:{other}")
    return Stream(host(lab.bundle.plan, source), host(lab.bundle.plan, destination), flows)


def _events(
    lab: Lab, streams: list[Stream], fail: str, silent: bool, share: float | None, seconds: float, at: str | None
) -> list[Event]:
    """Return the events that fail the cable, and restore it after the measurement."""
    from tulle.errors import InputError
    from tulle.lab.faults import cable, first_cable
    from tulle.lab.traffic import Event

    when = seconds / 3 if at is None else to_seconds("--at", at)
    if not 0 <= when < seconds:
        raise InputError(f"--at {when:g}s is out of range; legal: 0s to below {seconds:g}s, the end of the measurement")
    plan = lab.bundle.plan
    layer = fail.removeprefix("layer:")
    if layer != fail:
        if not layer.isdigit() or int(layer) >= plan.num_layers:
            raise InputError(f"--fail {fail}: no such layer; legal: layer:0 to layer:{plan.num_layers - 1}")
        chosen = first_cable(lab.place, plan, streams[0].source, streams[0].destination, int(layer))
    else:
        chosen = cable(lab.place, plan, fail)
    if share is not None:
        return [Event(when, chosen, "slow", share=share), Event(seconds, chosen, heal=True)]
    return [Event(when, chosen, "silent" if silent else "down"), Event(seconds, chosen, heal=True)]


def _event_fields(event: Event) -> dict[str, Any]:
    return {"at_s": event.at, "cable": event.cable.name, "kind": "repaired" if event.heal else event.kind}


def _row(found: Measured, forecast_mbps: float | None, seconds: float) -> dict[str, Any]:
    return {
        "from": found.stream.source.name,
        "to": found.stream.destination.name,
        "by": found.kind,
        "flows": found.stream.flows,
        "mbps": round(found.mean, 3),
        "forecast_mbps": None if forecast_mbps is None else round(forecast_mbps, 3),
        "of_tcp": None,
        "forecast_of_tcp": None,
        "last_2_s_mbps": round(found.between(seconds - 2, seconds), 3),
        "subflows_joined": found.subflows,
        "intervals": [[end, mbps] for end, mbps in zip(found.ends, found.mbps, strict=True)],
    }


def _write(rows: list[dict[str, Any]], output: Path) -> None:
    from tulle._internal.text import csv_row
    from tulle._internal.writing.atomic import replacing

    names = [name for name in rows[0] if name != "intervals"]
    lines = [csv_row(names), *(csv_row(["" if row[name] is None else row[name] for name in names]) for row in rows)]
    with replacing(output) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())


def _against_tcp(rows: list[dict[str, Any]]) -> None:
    """Add to each row the ratio to TCP between the same hosts, if TCP was measured."""
    tcp = {(row["from"], row["to"]): row for row in rows if row["by"] == "tcp"}
    for row in rows:
        beside = tcp.get((row["from"], row["to"]))
        if beside is not None:
            for name, ratio in (("mbps", "of_tcp"), ("forecast_mbps", "forecast_of_tcp")):
                row[ratio] = round(row[name] / beside[name], 3) if beside[name] else None
