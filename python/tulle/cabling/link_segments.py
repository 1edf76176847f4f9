"""Faults of links between switches as those of the cables to what joins them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from tulle.cabling.faults import Fault
from tulle.cabling.links import whole

if TYPE_CHECKING:
    from tulle.cabling.faults import Verdict
    from tulle.cabling.links import Links
    from tulle.cabling.plan import Plan

_GONE = ("missing", "down")


def by_cable(plan: Plan, links: Links, verdict: Verdict) -> Verdict:
    """The verdict with rows of the whole plan, the cables of links named.

    Where links go one way and something is wrong with all of those of a cable, that cable is the fault, not each link.
    """
    at: dict[int, list[int]] = defaultdict(list)
    for link, rows in enumerate(links.rows):
        for row in rows:
            at[row].append(link)
    # Two switches that hear each other through one device have both links in both their cables.
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row, of in at.items():
        alike[tuple(of)].append(row)
    told: dict[int, Fault] = {}
    explained: set[tuple[bool, int]] = set()
    for slow in (False, True):
        wrong = {
            fault.cables[0]: fault
            for fault in verdict.faults
            if fault.kind in (("slow",) if slow else _GONE) and fault.cables
        }
        for shared, legs in alike.items():
            if len(shared) > 1 and all(link in wrong for link in shared):
                told |= dict.fromkeys(legs, _cable(plan, legs, [wrong[link] for link in shared]))
                explained |= {(slow, link) for link in shared}
    faults: list[Fault] = []
    for fault in verdict.faults:
        if fault.kind in ("slow", *_GONE) and (fault.kind == "slow", fault.cables[0]) in explained:
            for row in links.rows[fault.cables[0]]:
                if row in told and told[row] not in faults:
                    faults.append(told[row])
        else:
            faults.append(_named(plan, links, fault))
    return replace(verdict, faults=tuple(faults))


def _cable(plan: Plan, rows: list[int], faults: list[Fault]) -> Fault:
    kinds = {fault.kind for fault in faults}
    kind = next(kind for kind in ("slow", "down", "missing") if kind in kinds)
    cables = [plan.cables[row].ends for row in rows]
    verb = {"slow": "reseat or replace", "down": "reseat, replace or put in", "missing": "put in or reseat"}[kind]
    which = " or that from ".join(f"{_port(*a)} to {_port(*b)}" for a, b in cables)
    why = "its links are slow both ways" if kind == "slow" else "nothing comes through it either way"
    return Fault(kind, f"{verb} the cable from {which}: {why}", cables[0], tuple(rows))


def _named(plan: Plan, links: Links, fault: Fault) -> Fault:
    rows = tuple(dict.fromkeys(row for link in fault.cables for row in links.rows[link]))
    if fault.kind == "swap" and all(end in plan.at for end in fault.ends):
        rows = tuple(plan.at[end] for end in fault.ends)
    told = fault.instruction
    joined = [row for row in rows if plan.cables[row].step]
    if fault.kind in (*_GONE, "slow") and joined:
        cables = " and ".join(f"{_port(*a)} to {_port(*b)}" for a, b in (plan.cables[row].ends for row in joined))
        told += f"; the cables of that link are {cables}"
    elif fault.kind == "swap" and joined:
        far = [_port(*other) for end in fault.ends if (other := plan.other(whole(end))) is not None]
        if len(far) == len(fault.ends):
            told += f"; or those at {' and '.join(far)}"
    return replace(fault, instruction=told, cables=rows)


def _port(device: str, port: str) -> str:
    return f"{device} port {port}"
