"""``tulle deploy NAME``: the command of a deploy target, made from the target's declaration."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import Fail, Link, Spec, build, routing_of
from tulle.cli.options import destination
from tulle.cli.options.declared import keyword, parameter, with_signature
from tulle.cli.options.replace import Force, bundle_for, check_replaced
from tulle.cli.routing.route import Scheme
from tulle.cli.terminal.output import Json, Seed, note, print_fields, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.deploy.targets.model import Target

Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="The folder of the bundle.")
]
_FABRIC = (
    "The fabric is a spec, a file (for example file:edges=fabric.json from tulle import), or a folder that tulle "
    "cabling plan wrote."
)


def command(target: Target) -> Callable[..., None]:
    """Return the function of ``tulle deploy NAME``, with the target's options in its signature."""

    def run(
        *,
        spec: str,
        routing: str,
        out: Path,
        force: bool,
        seed: int,
        link: list[str] | None,
        fail: str | None,
        json: bool,
        **given: Any,
    ) -> None:
        from tulle._internal.writing.lock import reserved
        from tulle.deploy.equal_paths import unused_equal_paths
        from tulle.deploy.plan_fabric import fabric_of_plan
        from tulle.deploy.versions.commit import because

        started = perf_counter()
        values = target.values(given)
        scheme = values.pop("deadlock", None)
        fabric = fabric_of_plan(spec) or build(spec, seed, fail, link)
        with reserved(out), because(f"deploy {target.name}" + (f" --fail {fail}" if fail else "")):
            check_replaced(out, bundle_for(target.name), fabric, force=force, lossless=scheme is not None)
            if target.prepare is not None:
                fabric = target.prepare(fabric, values)
            routed = routing_of(fabric, routing, seed)
            equal = unused_equal_paths(routed)
            written = target.written(target.planned(routed, scheme, values), out, values)
        for line in (*written.notes, *filter(None, [equal])):
            note(line)
        fields = {**written.fields, "seconds": round(perf_counter() - started, 3)}
        if json:
            print_json({**fields, "written": [str(path) for path in written.paths]})
        else:
            shown = {**fields, **written.shown, "written": str(out)}
            print_fields({name: value for name, value in shown.items() if value is not None})

    parameters = [
        keyword("spec", Spec),
        keyword("routing", Scheme),
        keyword("out", Out),
        *map(parameter, target.options),
        keyword("force", Force, default=False),
        keyword("seed", Seed, default=0),
        keyword("link", Link, default=None),
        keyword("fail", Fail, default=None),
        keyword("json", Json, default=False),
    ]
    return with_signature(run, parameters, doc=f"{target.help}\n\n{_FABRIC}")
