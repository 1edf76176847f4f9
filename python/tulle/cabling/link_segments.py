"""Translate miswirings of links into miswirings of cables, if links pass through optical switches or patch panels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from tulle.cabling.links import whole
from tulle.cabling.miswirings import Miswiring

if TYPE_CHECKING:
    from tulle.cabling.links import Links
    from tulle.cabling.miswirings import Verdict
    from tulle.cabling.plan import Plan

_GONE = ("missing", "down")


def by_cable(plan: Plan, links: Links, verdict: Verdict) -> Verdict:
    """Return a verdict whose instructions name cables of the complete plan instead of links.

    If links are unidirectional and all links of a cable have a problem, the cable is reported once.
    """
    at: dict[int, list[int]] = defaultdict(list)
    for link, rows in enumerate(links.rows):
        for row in rows:
            at[row].append(link)
    # If the same links pass through several cables, nothing shows which of these cables has the problem. This happens
    # if two switches are connected in both directions through one device.
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row, of in at.items():
        alike[tuple(of)].append(row)
    found: dict[int, Miswiring] = {}
    explained: set[tuple[bool, int]] = set()
    for slow in (False, True):
        wrong = {
            miswiring.cables[0]: miswiring
            for miswiring in verdict.miswirings
            if miswiring.kind in (("slow",) if slow else _GONE) and miswiring.cables
        }
        for shared, segments in alike.items():
            if len(shared) > 1 and all(link in wrong for link in shared):
                found |= dict.fromkeys(segments, _cable(plan, segments, [wrong[link] for link in shared]))
                explained |= {(slow, link) for link in shared}
    miswirings: list[Miswiring] = []
    for miswiring in verdict.miswirings:
        if miswiring.kind in ("slow", *_GONE) and (miswiring.kind == "slow", miswiring.cables[0]) in explained:
            for row in links.rows[miswiring.cables[0]]:
                if row in found and found[row] not in miswirings:
                    miswirings.append(found[row])
        else:
            miswirings.append(_named(plan, links, miswiring))
    return replace(verdict, miswirings=tuple(miswirings))


def _cable(plan: Plan, rows: list[int], miswirings: list[Miswiring]) -> Miswiring:
    kinds = {miswiring.kind for miswiring in miswirings}
    kind = next(kind for kind in ("slow", "down", "missing") if kind in kinds)
    cables = [plan.cables[row].ends for row in rows]
    verb = {"slow": "reseat or replace", "down": "reseat, replace or put in", "missing": "put in or reseat"}[kind]
    which = " or that from ".join(f"{_port(*a)} to {_port(*b)}" for a, b in cables)
    why = "its links are slow in both directions" if kind == "slow" else "it carries no signal in either direction"
    return Miswiring(kind, f"{verb} the cable from {which}: {why}", cables[0], tuple(rows))


def _named(plan: Plan, links: Links, miswiring: Miswiring) -> Miswiring:
    rows = tuple(dict.fromkeys(row for link in miswiring.cables for row in links.rows[link]))
    if miswiring.kind == "swap" and all(end in plan.at for end in miswiring.ends):
        rows = tuple(plan.at[end] for end in miswiring.ends)
    instruction = miswiring.instruction
    joined = [row for row in rows if plan.cables[row].step]
    if miswiring.kind in (*_GONE, "slow") and joined:
        cables = " and ".join(f"{_port(*a)} to {_port(*b)}" for a, b in (plan.cables[row].ends for row in joined))
        instruction += f"; the cables of that link are {cables}"
    elif miswiring.kind == "swap" and joined:
        far = [_port(*other) for end in miswiring.ends if (other := plan.other(whole(end))) is not None]
        if len(far) == len(miswiring.ends):
            instruction += f"; or those at {' and '.join(far)}"
    return replace(miswiring, instruction=instruction, cables=rows)


def _port(device: str, port: str) -> str:
    return f"{device} port {port}"
