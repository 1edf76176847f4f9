"""``tulle deploy repair --bind``: give a bundle the GUIDs of replaced switches and adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cli.deploy.advice import print_steps
from tulle.cli.options.replace import bundle_for, check_replaced
from tulle.cli.terminal.output import note, print_fields, print_json
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


# More bindings would make the table of versions unreadable.
_NAMED = 2


def rebind_infiniband(
    place: Path, live: Path, bindings: Sequence[str], out: Path | None, *, force: bool, sighup: int | None, json: bool
) -> None:
    """Write the bundle with the GUIDs of replaced nodes. If `out` is None, only print them."""
    from tulle.deploy.bundle_header import check_files
    from tulle.deploy.infiniband import repair as mending
    from tulle.deploy.infiniband.bundle import GUID2LID, read_bundle
    from tulle.deploy.infiniband.loading import after_rollback, loading_steps, settings_of
    from tulle.deploy.infiniband.rebind import find_replaced, read_bindings, rebind
    from tulle.deploy.read.subnet import read_subnet
    from tulle.deploy.versions.commit import because
    from tulle.deploy.versions.history import rolled_back_from

    if sighup is not None:
        raise InputError("--sighup with --bind: OpenSM reads guid2lid only when it starts; legal: restart OpenSM")
    bundle = read_bundle(place)
    subnet = read_subnet(live, bundle.node_guids)
    found = find_replaced(bundle, subnet)
    replaced = read_bindings(bindings, found, bundle)
    if not replaced:
        if json:
            print_json({"bound": [], "written": []})
        else:
            print(f"already bound: {', '.join(bindings)}; the bundle stays unchanged")
        return
    written: list[Path] = []
    before, newer = None if out is None else settings_of(place), rolled_back_from(bundle.folder)
    if out is not None:
        # `rebind` copies all files, so a changed file is an error even with --force.
        check_files(bundle.folder, bundle.header.files, bundle.header.files)
        check_replaced(
            out, bundle_for("infiniband"), bundle.fabric, force=force, repaired=True, spec=bundle.header.fabric
        )
        with because("repair " + " ".join(f"--bind {one.binding}" for one in replaced[:_NAMED])):
            written = rebind(bundle, replaced, out)
    rows = [
        {"name": one.name, "old_guid": f"0x{one.old[0]:016x}", "new_guid": f"0x{one.new[0]:016x}"} for one in replaced
    ]
    if json:
        if out is not None:
            note(f"now copy {out / GUID2LID} into OpenSM's cache folder, and restart OpenSM")
        print_json({"bound": rows, "written": [str(path) for path in written]})
        return
    dead = mending.find_failures(bundle, subnet)
    names = {one.name for one in found}
    others = len(dead.cables) + sum(bundle.fabric.labels[switch] not in names for switch in dead.switches)
    if others:
        note(f"{counted(others, 'other part')} {verb(others, 'is', 'are')} missing: run `tulle deploy repair` again")
    if left := len(found) - len({one.name for one in replaced}):
        note(
            f"{counted(left, 'more node')} {verb(left, 'seems', 'seem')} to be replaced; repeat --bind for each of them"
        )
    print_fields({"bound": ", ".join(one.binding for one in replaced)} | ({} if out is None else {"written": str(out)}))
    if out is not None:
        print_steps([*loading_steps(out, before), *after_rollback(newer)])
