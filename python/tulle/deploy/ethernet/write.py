"""Write a bundle: prepare it in a staging folder, then put it in use as a new version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle import __version__
from tulle._internal.reading import sha256
from tulle._internal.writing.folders import NEW
from tulle.deploy.bundle_header import BUNDLE
from tulle.deploy.ethernet.bundle import (
    FABRIC,
    PLAN,
    README,
    ROUTING,
    SCHEMA,
    VCS,
    Header,
    header_text,
)
from tulle.deploy.ethernet.gateways import routed
from tulle.deploy.ethernet.json import plan_text, schema_text
from tulle.deploy.ethernet.port_map import PORTS, port_map
from tulle.deploy.versions.commit import add_version, writing
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from tulle.deploy.ethernet.gateways import Gateways
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["write_bundle"]

_OURS = {PLAN, SCHEMA, FABRIC, ROUTING, VCS, README, PORTS}


def write_bundle(
    plan: EthernetPlan,
    place: str | PathLike[str],
    target: str,
    files: Iterable[tuple[str, str]],
    readme: str,
    *,
    options: Mapping[str, Any] | None = None,
    spec: str | None = None,
    neutral: bool = True,
    gateways: Callable[[EthernetPlan, Host], Gateways] = routed,
) -> list[Path]:
    """Write a bundle into a folder and return the paths of its files.

    In the folder of an existing bundle, the bundle becomes its next version. Other files in the folder are kept.

    Parameters
    ----------
    plan
        The plan to deploy.
    place
        The folder.
    target
        The name of the target.
    files
        The target's own files, as paths inside the folder and their texts. Scripts that start with ``#!`` become
        executable.
    readme
        The text of ``README.md``.
    options
        The options of the target, for ``bundle.json``.
    spec
        The name of the fabric in ``bundle.json``, in ``plan.json`` and in the heading of ``README.md``; None: the spec
        of the fabric.
    neutral
        Whether to write ``plan.json``; explicit paths have no table entries for it.
    gateways
        The function that returns the gateways of a host for ``plan.json``.

    Raises
    ------
    tulle.FileError
        If the folder cannot be written.
    """
    folder = Path(place)
    with writing(folder) as staged:
        new = staged / NEW
        names = [FABRIC, ROUTING]
        plan.fabric.write(new / FABRIC, "fabric")
        plan.routing.save(new / ROUTING)
        if neutral:
            names.append(PLAN)
            with (new / PLAN).open("w", encoding="utf-8", newline="") as file:
                file.writelines(plan_text(plan, gateways, spec))
        # The fabric of a repaired bundle was read from a file of the earlier bundle, so its own spec is that file. The
        # heading of README.md is its first line, and starts with this spec.
        heading = f"# {plan.fabric.spec}:"
        if spec is not None and readme.startswith(heading):
            readme = f"# {spec}:{readme.removeprefix(heading)}"
        for name, text in _texts(plan, files, readme, neutral=neutral):
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            if text.startswith("#!"):
                path.chmod(path.stat().st_mode | 0o111)
            names.append(name)
        sums = {name: sha256(new / name) for name in sorted(names)}
        (new / BUNDLE).write_text(header_text(_header(plan, target, options or {}, spec, sums)), encoding="utf-8")
        add_version(staged, folder)
    return [folder / name for name in (*names, BUNDLE)]


def _texts(
    plan: EthernetPlan, files: Iterable[tuple[str, str]], readme: str, *, neutral: bool
) -> Iterable[tuple[str, str]]:
    files = list(files)
    if neutral:
        yield SCHEMA, schema_text()
    yield PORTS, port_map(plan)
    yield README, _with_changes(readme) if any(name.startswith("changes/") for name, _ in files) else readme
    if plan.vcs is not None:
        yield VCS, plan.vcs._core.stored()
    for name, text in files:
        if name in _OURS or name.startswith("/") or ".." in name.split("/"):
            raise FileError(
                f"{name}: illegal name of a target's file; legal: a relative path other than {', '.join(sorted(_OURS))}"
            )
        yield name, text


def _with_changes(readme: str) -> str:
    """Extend ``README.md`` for a repaired bundle, whose switches are running and load only the changes."""
    row = "| `bundle.json` |"
    steps = "## Load it\n"
    assert row in readme, "a table of files"
    assert steps in readme, "steps"
    return readme.replace(
        row,
        "| `changes/N/` | the entries that a repair changes, per round N and switch; "
        "`changes.csv` lists all, `README.md` has the steps |\n"
        "| `current`, `versions/` | the version in use, and all versions for `tulle deploy rollback` |\n"
        f"{row}",
        1,
    ).replace(
        steps,
        f"""## On a network that runs the earlier bundle

Load only `changes/`, round by round, as `changes/README.md` describes: nothing is restarted, and no intermediate state
has a loop. The steps below are for switches that are set up from scratch.

{steps}""",
        1,
    )


def _header(
    plan: EthernetPlan, target: str, options: Mapping[str, Any], spec: str | None, sums: dict[str, tuple[int, str]]
) -> Header:
    fabric = plan.fabric
    return Header(
        target=target,
        tulle=__version__,
        fabric=spec or fabric.spec,
        routing=plan.spec,
        seed=fabric.seed,
        scheme="" if plan.vcs is None else plan.vcs.spec,
        layers=plan.num_layers,
        switches=fabric.num_switches,
        endpoints=fabric.num_endpoints,
        cables=fabric.num_cables,
        entries=plan.num_entries,
        options=dict(options),
        addressing=plan.addressing.fields(),
        files=sums,
    )
