"""``tulle deploy verify``: compare the state of a network with the bundle from which it was set up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tulle._internal.text import counted, listed, tulle_command
from tulle.cli.options import destination
from tulle.cli.terminal.output import Json, note, print_json, print_some, print_table
from tulle.errors import FileError, InputError

if TYPE_CHECKING:
    from tulle.deploy.verdict import Verdict

BundlePath = Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder that tulle deploy wrote.")]
Lfts = Annotated[
    Path | None,
    typer.Option(
        "--lfts", metavar="FILE", help="InfiniBand: forwarding tables, the output of dump_fts or opensm-lfts.dump."
    ),
]
Sl2vl = Annotated[
    list[Path] | None,
    typer.Option(
        "--sl2vl",
        metavar="FILE",
        help="InfiniBand: SL-to-VL tables, opensm-sl2vl.dump or the output of 'smpquery sl2vl'; may be repeated.",
    ),
]
Paths = Annotated[
    list[Path] | None,
    typer.Option(
        "--paths",
        metavar="FILE",
        help="InfiniBand: path records, the output of 'saquery --path-record'; may be repeated.",
    ),
]
Live = Annotated[
    Path | None,
    typer.Option("--live", metavar="FILE", help="InfiniBand: nodes and cables, the output of ibnetdiscover."),
]
CounterFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--counters",
        metavar="FILE",
        help="InfiniBand: counters, the output of perfquery or 'ibqueryerrors --counters'; may be repeated.",
    ),
]
Ibdmchk = Annotated[
    Path | None,
    typer.Option(
        "--ibdmchk",
        metavar="DIR",
        callback=destination.folder,
        help="InfiniBand: also run ibdmchk, which looks for credit loops; its files go into this folder.",
    ),
]
Fib = Annotated[
    list[Path] | None,
    typer.Option(
        "--fib",
        metavar="PATH",
        help="Ethernet: the output of 'ip -json route show table all' or 'ip route', in one file per switch, named "
        "after the switch, or a folder of such files; may be repeated.",
    ),
]
Frr = Annotated[
    list[Path] | None,
    typer.Option(
        "--frr", metavar="PATH", help="Ethernet: the output of vtysh -c 'show ip route json', in files as for --fib."
    ),
]
Ovs = Annotated[
    list[Path] | None,
    typer.Option(
        "--ovs",
        metavar="PATH",
        help="Ethernet: the output of ovs-ofctl dump-flows and dump-groups, in files as for --fib.",
    ),
]


def verify(
    bundle: BundlePath,
    lfts: Lfts = None,
    sl2vl: Sl2vl = None,
    paths: Paths = None,
    live: Live = None,
    counters: CounterFiles = None,
    ibdmchk: Ibdmchk = None,
    fib: Fib = None,
    frr: Frr = None,
    ovs: Ovs = None,
    json: Json = False,
) -> None:
    """Prints the differences between a network and its bundle as instructions: the first 20, or all with --json.

    Exit code 0 if there are no differences, 1 otherwise.
    """
    from tulle.deploy.ethernet.bundle import is_ethernet_bundle

    check_bundle(bundle)
    infiniband = {"lfts": lfts, "sl2vl": sl2vl, "paths": paths, "live": live, "counters": counters}
    ethernet = {"fib": fib, "frr": frr, "ovs": ovs}
    on_ethernet = is_ethernet_bundle(bundle)
    legal, other = (ethernet, infiniband) if on_ethernet else (infiniband, ethernet)
    names = [f"--{name}" for name in legal]
    one_of = f"legal: one or more of {', '.join(names[:-1])} and {names[-1]}"
    for name, value in {**other, **({"ibdmchk": ibdmchk} if on_ethernet else {})}.items():
        if value:
            network = "Ethernet" if on_ethernet else "InfiniBand"
            cables = tulle_command("cabling", "verify", bundle, "--live", live) if name == "live" else ""
            more = f"; to compare cables, run `{cables}`" if cables else ""
            raise InputError(f"--{name} is not for {network} bundles; {one_of}{more}")
    if not any(legal.values()):
        raise InputError(f"nothing to compare; {one_of}")
    if on_ethernet:
        from tulle.deploy.ethernet.verify import verify as compare_ethernet

        verdict = compare_ethernet(bundle, fib=fib or (), frr=frr or (), ovs=ovs or ())
    else:
        from tulle.deploy.infiniband.verify import verify as compare

        verdict = compare(
            bundle,
            lfts=lfts,
            sl2vl=sl2vl or (),
            paths=paths or (),
            live=live,
            counters=counters or (),
            ibdmchk=ibdmchk,
        )
    if json:
        print_json(verdict.fields())
    else:
        _print(verdict)
    if not verdict.agrees:
        raise typer.Exit(1)


def check_bundle(bundle: Path) -> None:
    """Check that the folder of a bundle exists. This gives a clearer error than reading its files.

    Raises
    ------
    tulle.FileError
        If the folder does not exist.
    """
    if not bundle.is_dir():
        problem = "a file" if bundle.exists() else "no such folder"
        raise FileError(f"{bundle}: {problem}; legal: a folder that `tulle deploy` wrote")


def _print(verdict: Verdict) -> None:

    for line in verdict.notes:
        note(line)
    print_table(("what", "as planned", "of"), [[check.what, check.good, check.of] for check in verdict.checks])
    print()
    lines = [f"{difference.kind}: {difference.instruction}" for difference in verdict.differences]
    print_some(lines)
    if gone := verdict.removed_hosts:
        hosts = f"{counted(len(gone), 'host')} that a repair removed: {listed(gone)}"
        print(f"{'as planned, but' if verdict.agrees else 'the bundle is'} without {hosts}")
    elif verdict.agrees:
        print("all as planned")
