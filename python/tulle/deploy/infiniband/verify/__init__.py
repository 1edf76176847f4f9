"""Compare a subnet with its bundle, and report each difference with an instruction that removes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.infiniband.verify.difference import KINDS, Check, Difference, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tulle.deploy.infiniband.bundle import Bundle

    Path = str | PathLike[str]

__all__ = ["KINDS", "Check", "Difference", "Verdict", "verify"]


def verify(
    bundle: Bundle | Path,
    *,
    lfts: Path | None = None,
    sl2vl: Sequence[Path] = (),
    paths: Sequence[Path] = (),
    live: Path | None = None,
    counters: Sequence[Path] = (),
    ibdmchk: Path | None = None,
) -> Verdict:
    """Compare a subnet with a bundle.

    Paths are followed through the tables and links in the given files. If a file is not given, the planned values are
    assumed.

    Parameters
    ----------
    bundle
        A bundle, or its folder.
    lfts
        Output of ``dump_fts`` or ``dump_lfts``, or ``opensm-lfts.dump``.
    sl2vl
        ``opensm-sl2vl.dump``, or output of ``smpquery sl2vl LID PORT``.
    paths
        Output of ``saquery --path-record``.
    live
        Output of ``ibnetdiscover``.
    counters
        Output of ``perfquery`` or ``ibqueryerrors --counters``.
    ibdmchk
        A folder for the input files of ibdmchk. If it is given, ibdmchk is run.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, is not the output of its tool, or is truncated.
    tulle.InputError
        If a file belongs to another subnet, or if ibdmchk is needed and not installed.
    """
    from pathlib import Path as Place

    from tulle.deploy.infiniband.bundle import Bundle, read_bundle
    from tulle.deploy.infiniband.causes import NO_CAUSES, find_causes
    from tulle.deploy.infiniband.earlier import removed_hosts
    from tulle.deploy.infiniband.ibdmchk import run_ibdmchk, write_for_ibdmchk
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.counters import check_counters
    from tulle.deploy.infiniband.verify.cycles import check_cycles, stop_traffic
    from tulle.deploy.infiniband.verify.lanes import check_lanes
    from tulle.deploy.infiniband.verify.levels import check_levels
    from tulle.deploy.infiniband.verify.subnet import check_subnet
    from tulle.deploy.infiniband.verify.tables import check_tables
    from tulle.deploy.infiniband.verify.walks import check_walks
    from tulle.deploy.infiniband.wiring import Wiring, planned_wires
    from tulle.deploy.read import read_counters, read_lfts, read_paths, read_sl2vl, read_subnet

    bundle = bundle if isinstance(bundle, Bundle) else read_bundle(bundle)
    subnet = None if live is None else read_subnet(live, bundle.node_guids)
    intent = Intent(bundle, subnet)
    verdict = Verdict(removed_hosts=list(removed_hosts(intent.bundle)))
    links = intent.links
    wiring, causes, missing = Wiring(links, planned_wires(links), (), {}), NO_CAUSES, set[int]()
    if live is not None and subnet is not None:
        causes = find_causes(intent.bundle, subnet)
        wiring = check_subnet(verdict, intent, subnet, causes, live)
        links = wiring.links
        addresses = intent.bundle.switch_addresses + intent.bundle.endpoint_addresses
        missing = {address[0] for address in addresses} - subnet.nodes.keys()
    ports = intent.ports if lfts is None else check_tables(verdict, intent, read_lfts(lfts), links, causes)
    lanes = intent.lanes if not sl2vl else check_lanes(verdict, intent, read_sl2vl(sl2vl), links)
    levels = intent.levels if not paths else check_levels(verdict, intent, read_paths(paths))
    check_walks(verdict, intent, ports, wiring, causes, missing, live)
    check_cycles(verdict, intent, ports, lanes, levels, wiring.wires, causes)
    if counters:
        check_counters(verdict, intent, read_counters(counters))
    if ibdmchk is not None:
        write_for_ibdmchk(Place(ibdmchk), intent, ports, lanes, levels, links)
        opinion = run_ibdmchk(Place(ibdmchk))
        verdict.checks.append(Check("ibdmchk: no credit loop", int(not opinion.loops), 1))
        if opinion.loops:
            verdict.add(
                "credit-loop",
                f"ibdmchk finds credit loops: {opinion.credit_lines.splitlines()[1].strip()}: "
                f"{stop_traffic(verdict, causes)}",
            )
    return verdict
