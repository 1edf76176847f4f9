"""For tests of versions: small bundles with their repairs, and processes that end at a chosen file-system call."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import tulle
from tulle._internal.writing.lock import locked
from tulle.deploy.bundle_header import BUNDLE, check_files
from tulle.deploy.ethernet import bundle as ethernet
from tulle.deploy.ethernet import repair as ethernet_repair
from tulle.deploy.ethernet.failures import find_failures
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.infiniband import bundle as infiniband
from tulle.deploy.infiniband import repair as infiniband_repair
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.verify import verify
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.targets.linux import write_plan
from tulle.deploy.versions.layout import PREVIOUS, UNUSED, WHY, entries, manifest, opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPEC = "clique:degree=3,p=1"
KINDS = ("infiniband", "ethernet")

CALLS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "open"}
"""Audit events of calls that can change the file system."""

STAGED = "/.staging-"


class Case(NamedTuple):
    """A bundle whose repair is computed but not written."""

    place: Path
    write: Callable[[], object]
    """A function that writes the repair into the bundle."""
    old: dict[str, bytes]
    new: dict[str, bytes]
    whole: Path
    """A copy of the bundle before the repair."""
    failed: tuple[str, ...] = ()
    """The options of ``tulle deploy repair`` that name the failed cable."""

    def restore(self) -> None:
        """Restore the bundle to its state before the repair."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.whole, self.place, symlinks=True)


def content(folder: Path) -> dict[str, bytes]:
    """Return the files that ``bundle.json`` lists, and ``bundle.json``."""
    return {name: (folder / name).read_bytes() for name in (*manifest(folder), BUNDLE)}


def deploy(kind: str, place: Path) -> None:
    routing = tulle.route(SPEC, "minimal")
    if kind == "infiniband":
        write_bundle(deploy_infiniband(routing.assign_vcs("dfsssp"), lmc=0), place)
    else:
        write_plan(plan_of(routing), place)


def case(kind: str, folder: Path) -> Case:
    """Make a bundle of the given kind, and compute its repair after a cable failure."""
    place = folder / "bundle"
    deploy(kind, place)
    old = content(opened(place))
    whole = folder / "whole"
    shutil.copytree(place, whole, symlinks=True)
    if kind == "infiniband":
        bundle = infiniband.read_bundle(place)
        bundle.fabric.without(links=bundle.fabric.cables[:1]).write(folder / "live", "ibnetdiscover")
        failed = ("--live", str(folder / "live"))
        repaired = infiniband_repair.repair(bundle, folder / "live")
        assert repaired is not None

        def write() -> object:
            # The test may have moved the files since they were read.
            moved = replace(repaired, bundle=replace(bundle, folder=opened(place)))
            return infiniband_repair.write_repair(moved, place)
    else:
        on_ethernet = ethernet.read_bundle(place)
        names = on_ethernet.plan.names
        failed = ("--dead-cable", f"{names[0]}:{names[1]}")
        mended = ethernet_repair.repair(on_ethernet, find_failures(on_ethernet.plan, [failed[1]], []))
        assert mended is not None

        def write() -> object:
            return ethernet_repair.write_repair(mended, place)

    write()
    new = content(opened(place))
    assert new != old
    made = Case(place, write, old, new, whole, failed)
    made.restore()
    return made


def judge(kind: str, place: Path, *, is_flat: bool = False) -> dict[str, bytes]:
    """Read a bundle as commands do; check hashes and symbolic links; return its files."""
    files = opened(place)
    if kind == "infiniband":
        assert verify(infiniband.read_bundle(place)).agrees
    else:
        # `tulle lab` accepts a bundle only if all its files are unchanged since tulle wrote them.
        header = ethernet.read_header(place)
        ethernet.read_bundle(place, check=sorted(header.files))
    check_files(files, manifest(files), manifest(files))
    if files != place:
        found = {path.relative_to(files).as_posix() for path in files.rglob("*") if path.is_file()}
        assert found - {PREVIOUS, UNUSED, WHY} == {*manifest(files), BUNDLE}
        for name in entries(files):
            # If the conversion of a bundle without versions was interrupted, a path can still be a file, which must
            # have the same content. A path can also be missing, because its folder was being moved.
            path = place / name
            assert is_flat or path.is_symlink(), name
            if path.is_symlink():
                assert path.resolve() == (files / name).resolve(), name
            elif path.is_file():
                assert path.read_bytes() == (files / name).read_bytes(), name
    return content(files)


def killed(work: Callable[[], object], number: int, *, staged: bool) -> int:
    """Run `work` in a child process that ends before call `number` to the file system; return its exit code.

    Calls that only concern the staging folder are counted if `staged` is true. The child's exit code is 9 if it was
    ended, 0 if it made fewer calls, and 1 after an error.
    """
    import sys
    import traceback

    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    seen = [0]

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        # Calls that only read are skipped. A kill before such a call leaves the same files as a kill before the next
        # change.
        if event not in CALLS or (event == "open" and not int(str(arguments[2])) & (os.O_WRONLY | os.O_RDWR)):
            return
        # A hard link changes only the folder of its new name.
        named = arguments[1:] if event == "os.link" else arguments
        paths = [os.fsdecode(path) for path in named if isinstance(path, (str, bytes, os.PathLike))]
        paths = [path for path in paths if "/" in path]
        if staged or not all(STAGED in path for path in paths):
            seen[0] += 1
            if seen[0] == number:
                os._exit(9)

    try:
        sys.addaudithook(hook)
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def hold(place: Path) -> tuple[int, int]:
    """Lock a bundle in a child process; return the process id and a pipe. Closing the pipe ends the process."""
    told, tell = os.pipe()
    ends, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        with locked(place):
            os.write(tell, b"locked")
            os.read(ends, 1)
        os._exit(0)
    os.close(ends)
    os.read(told, 6)
    os.close(told)
    os.close(tell)
    return child, end
