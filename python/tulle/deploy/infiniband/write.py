"""Write a bundle: prepare it in a staging folder, then put it in use as a new version."""

from __future__ import annotations

from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING

from tulle import __version__
from tulle._internal.reading import sha256
from tulle._internal.writing.folders import NEW
from tulle.deploy.bundle_header import BUNDLE
from tulle.deploy.infiniband import hosts
from tulle.deploy.infiniband.bundle import (
    CONF,
    FABRIC,
    GUID2LID,
    HOSTS,
    HOSTS_TO_ASK,
    LFTS,
    NODE_NAMES,
    PARTITIONS,
    PLAN,
    PLUGIN,
    README,
    ROOT_GUIDS,
    ROUTING,
    SL2VL,
    UNASKED,
    Header,
    header_text,
)
from tulle.deploy.infiniband.conf import conf
from tulle.deploy.infiniband.names import guid2lid, node_names, partitions, root_guids
from tulle.deploy.infiniband.readme import readme
from tulle.deploy.versions.commit import add_version, writing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tulle.deploy.infiniband.generate import Deployment

__all__ = ["write_bundle"]


def write_bundle(
    made: Deployment,
    place: str | PathLike[str],
    *,
    compact: bool = False,
    at: str | None = None,
    spec: str | None = None,
    unasked: str = "",
    hosts_to_ask: Sequence[str] = (),
) -> list[Path]:
    """Write a bundle into a folder and return the paths of its files.

    In the folder of an existing bundle, the bundle becomes its next version. An unchanged file is a hard link to the
    file of the previous version, if the file system supports hard links.

    Parameters
    ----------
    made
        The tables to deploy.
    place
        The folder.
    compact
        Whether to omit the comments in forwarding tables by which OpenSM recognizes ports whose LIDs changed.
    at
        The path of the folder on the subnet manager's machine; None: the same path as on this machine.
    spec
        The name of the fabric in ``bundle.json``; None: the spec of the fabric.
    unasked
        The text of the file ``unasked``, with service levels that hosts may still use; empty: no file.
    hosts_to_ask
        The names of hosts that must query path records again, for the file ``hosts_to_ask``; empty: no file.

    Raises
    ------
    tulle.FileError
        If the folder cannot be written.
    """
    folder = Path(place)
    lies = at or str(folder.resolve())
    with writing(folder) as staged:
        prepared = staged / NEW
        made.fabric.write(prepared / FABRIC, "fabric")
        made.plan.routing.save(prepared / ROUTING)
        made._core.write_lfts(prepared / LFTS, compact)
        made._core.write_sl2vl(prepared / SL2VL)
        texts = {
            PLAN: made.plan._core.stored(),
            GUID2LID: guid2lid(made),
            CONF: conf(made, lies),
            ROOT_GUIDS: root_guids(made),
            NODE_NAMES: node_names(made),
            PARTITIONS: partitions(made),
        }
        if unasked:
            texts[UNASKED] = unasked
        if hosts_to_ask:
            texts[HOSTS_TO_ASK] = "".join(f"{host}\n" for host in hosts_to_ask)
        texts[README] = readme(made, lies, spec or made.fabric.spec, optional=texts)
        texts |= {f"{HOSTS}/{name}": text for name, text in hosts.files(made).items()}
        source = package_files("tulle.deploy.infiniband") / PLUGIN
        for file in sorted(source.iterdir(), key=lambda file: file.name):
            if file.is_file() and file.name.endswith((".c", ".h", "Makefile")):
                texts[f"{PLUGIN}/{file.name}"] = file.read_text(encoding="utf-8")
        for name, text in texts.items():
            path = prepared / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        names = [FABRIC, ROUTING, LFTS, SL2VL, *texts]
        sums = {name: sha256(prepared / name) for name in sorted(names)}
        header = header_text(_header(made, spec or made.fabric.spec, sums))
        (prepared / BUNDLE).write_text(header, encoding="utf-8", newline="")
        add_version(staged, folder)
    return [folder / name for name in (*names, BUNDLE)]


def _header(made: Deployment, spec: str, sums: dict[str, tuple[int, str]]) -> Header:
    plan, fabric = made.plan, made.fabric
    return Header(
        tulle=__version__,
        fabric=spec,
        routing=plan.routing.spec,
        scheme=plan.spec,
        seed=fabric.seed,
        lmc=made.lmc,
        layers=plan.routing.num_layers,
        vls=plan.num_vcs,
        hardware_vls=made.hardware_vls,
        sls=plan.num_sls,
        switches=fabric.num_switches,
        endpoints=fabric.num_endpoints,
        cables=fabric.num_cables,
        top_lid=made.top_lid,
        files=sums,
    )
