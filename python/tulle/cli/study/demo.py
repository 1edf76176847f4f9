"""``tulle demo``: run a small study that tulle includes, and say what to try next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tulle.cli.study.run import Out, Threads, run
from tulle.cli.terminal.output import Json, print_line

Full = Annotated[
    bool,
    typer.Option(
        "--full",
        help="Run the study quickstart instead: six cases, about 1,130 endpoints, five seeds; takes minutes.",
    ),
]

# What to try next -> what it shows.
_NEXT = {
    "tulle demo --full": "more networks, 1,130 endpoints",
    "tulle design --endpoints 2k --radix 32": "networks for 2,000 endpoints",
    "tulle simulate slimfly:q=9 -r spread:layers=20": "a simulation of your own",
    "tulle studies": "the papers' tables, figures",
}


def demo(full: Full = False, threads: Threads = None, out: Out = Path("runs"), json: Json = False) -> None:
    """Compares a Slim Fly with a fat tree of similar cost under three traffic patterns, and draws a picture.

    The study takes less than a minute on two cores. Finished runs are stored, so the second call is instant.
    """
    from tulle.study.engine.shipped import FOLDER

    run(FOLDER / ("quickstart.toml" if full else "demo.toml"), threads=threads, out=out, json=json)
    if json:
        return
    width = max(map(len, _NEXT))
    print()
    print_line("try next:")
    for command, what in _NEXT.items():
        if not (full and command.endswith("--full")):
            print_line(f"  {command:<{width}}  {what}")
