"""Find by brute force the fewest table entries that must change after a cable failure to keep the load balanced.

    python benches/rerouting_fewest.py

The networks are small, and one cable fails in each. Entries that used the cable must change. Entries whose packets can
reach such an entry may change, too: the script tries every subset of them, the smallest first. For each changed entry,
the script tries every loop-free next hop or group of next hops. A subset suffices if the load of the busiest channel
and the 99th percentile of channel loads stay within a bound: 1.15 times (groups of next hops) or 1.3 times (single next
hops) the values of the network routed from scratch. The script prints the size of the smallest subset plus the entries
that must change, next to the number of entries that `Routing.reroute` changes.

For groups of next hops, the script prints two minima. `minimum` is over all tables. `minimum by the rule` is over
tables in which no switch forwards to a dead end. A dead end is a neighbour that lost all its next hops toward the
destination, even if it has received new next hops since. BGP, OSPF and OpenSM follow this rule, and so does
`Routing.reroute`.
"""

import itertools

import numpy as np

import tulle

CASES = (
    ("hyperx:shape=3x3", "minimal"),
    ("hyperx:shape=3x3", "balanced"),
    ("fattree:levels=2,radix=8,leaves=5", "minimal"),
    ("fattree:levels=2,radix=8,leaves=5", "balanced"),
    ("jellyfish:switches=10,degree=3,p=2", "minimal"),
    ("jellyfish:switches=10,degree=3,p=2", "balanced"),
    ("torus:shape=3x4", "minimal"),
)
MOST = 3_000_000


class Case:
    """A routing of one layer with one failed cable; a next hop is the id of the neighbour."""

    def __init__(self, fabric: tulle.Fabric, routing: tulle.Routing, cable: int) -> None:
        self.damaged = fabric.without(links=f"ids:{cable}")
        self.dead = {tuple(fabric.channels[cable]), tuple(fabric.channels[cable][::-1])}
        self.is_single = routing.next_hop_groups.shape[-1] == 1
        size = fabric.num_switches
        groups = routing.next_hop_groups[0]
        targets = fabric.channels[:, 1]
        self.old = [
            [tuple(int(targets[at]) for at in groups[switch, to] if at >= 0) for to in range(size)]
            for switch in range(size)
        ]
        self.place = {tuple(ends): at for at, ends in enumerate(self.damaged.channels.tolist())}
        self.near = [sorted(b for a, b in self.place if a == switch) for switch in range(size)]
        self.ends = np.bincount(fabric.endpoint_switch, minlength=size) > 0

    def left(self, switch: int, to: int) -> tuple[int, ...]:
        """Return the next hops of an entry whose cables still work."""
        return tuple(next_hop for next_hop in self.old[switch][to] if (switch, next_hop) not in self.dead)

    def remaining(self, to: int, by_rule: bool) -> list[tuple[int, ...]]:
        """Return every switch's surviving next hops toward switch `to`; leave out dead ends if `by_rule`."""
        groups = [self.left(at, to) for at in range(len(self.near))]
        while by_rule:
            gone = {at for at, group in enumerate(groups) if not group and at != to}
            fewer = [tuple(next_hop for next_hop in group if next_hop not in gone) for group in groups]
            if fewer == groups:
                break
            groups = fewer
        return groups

    def load(self, to: int, remaining: list[tuple[int, ...]], changed: dict[int, tuple[int, ...]]) -> np.ndarray | None:
        """Return the channel loads of the traffic toward switch `to`; None if packets can loop."""
        size = len(self.near)
        groups = [changed.get(at) or remaining[at] for at in range(size)]
        waiting = np.zeros(size, dtype=int)
        for at in range(size):
            for next_hop in groups[at] if at != to else ():
                waiting[next_hop] += 1
        through = self.ends.astype(float)
        load, done = np.zeros(len(self.place)), 0
        ready = [at for at in range(size) if waiting[at] == 0]
        while ready:
            at = ready.pop()
            done += 1
            for next_hop in groups[at] if at != to else ():
                load[self.place[at, next_hop]] += through[at] / len(groups[at])
                through[next_hop] += through[at] / len(groups[at])
                waiting[next_hop] -= 1
                if waiting[next_hop] == 0:
                    ready.append(next_hop)
        return load if done == size else None

    def upstream(self, to: int, groups: list[tuple[int, ...]], missing: list[int]) -> list[int]:
        """Return the switches whose entry is unchanged and whose packets can reach a switch without an entry."""
        found = set(missing)
        while more := {at for at, group in enumerate(groups) if at != to and at not in found and found & set(group)}:
            found |= more
        return sorted(at for at in found if groups[at] == self.old[at][to])

    def options(self, switch: int) -> list[tuple[int, ...]]:
        """Return all next hops, or groups of next hops, that an entry of `switch` can have."""
        near = self.near[switch]
        counts = (1,) if self.is_single else range(1, len(near) + 1)
        return [group for count in counts for group in itertools.combinations(near, count)]


class Toward:
    """Table entries toward one switch: surviving entries, entries without a next hop, and entries that may change."""

    def __init__(self, case: Case, to: int, by_rule: bool) -> None:
        self.to = to
        self.remaining = case.remaining(to, by_rule)
        self.missing = [at for at, group in enumerate(self.remaining) if not group and at != to]
        self.changed = sum(group != case.old[at][to] for at, group in enumerate(self.remaining) if at != to)
        self.others = case.upstream(to, self.remaining, self.missing)


def serves(
    case: Case, columns: list[tuple[Toward, list[int]]], bounds: tuple[float, float], rest: np.ndarray
) -> bool | None:
    """Return whether the given entries (by destination) can get next hops with which the load is within the bounds.

    Return None if there are too many combinations to try.
    """
    loads = [rest[None]]
    for toward, switches in columns:
        found = []
        for groups in itertools.product(*(case.options(switch) for switch in switches)):
            load = case.load(toward.to, toward.remaining, dict(zip(switches, groups, strict=True)))
            if load is not None and load.max() <= bounds[0]:
                found.append(load)
        if not found:
            return False
        loads.append(np.unique(np.array(found), axis=0))
    if np.prod([len(each) for each in loads]) > MOST:
        return None
    sums = loads[0]
    for each in loads[1:]:
        sums = np.unique((sums[:, None] + each[None]).reshape(-1, sums.shape[1]).round(9), axis=0)
        sums = sums[sums.max(axis=1) <= bounds[0] + 1e-9]
    return bool(len(sums) and (np.percentile(sums, 99, axis=1) <= bounds[1] + 1e-9).any())


def fewest(case: Case, spec: str, by_rule: bool) -> int | None:
    """Return the smallest number of entries that must change; None if the search takes too long."""
    anew = tulle.route(case.damaged, spec).paths_over()
    slack = 1.3 if case.is_single else 1.15
    bounds = (slack * anew.max(), slack * np.percentile(anew, 99))
    towards = [Toward(case, to, by_rule) for to in range(len(case.near))]
    # Entries toward switches without endpoints carry no traffic, but their paths must still exist.
    changed = sum(toward.changed for toward in towards)
    towards = [toward for toward in towards if case.ends[toward.to]]
    open_columns = [toward for toward in towards if toward.missing]
    rest = np.zeros(len(case.place))
    for toward in towards:
        if not toward.missing:
            load = case.load(toward.to, toward.remaining, {})
            assert load is not None
            rest += load
    others = [(toward.to, switch) for toward in towards for switch in toward.others]
    for count in range(len(others) + 1):
        for chosen in itertools.combinations(others, count):
            columns = [
                (toward, [*toward.missing, *(switch for to, switch in chosen if to == toward.to)])
                for toward in open_columns
            ]
            held = serves(case, columns, bounds, rest)
            if held is None:
                return None
            if held:
                return count + changed
    return None


def main() -> None:
    """Print one row per case."""
    ratios = "rerouted / minimum | rerouted / minimum by the rule"
    print(f"| fabric | routing | had to change | minimum | minimum by the rule | rerouted | {ratios} |")
    print("|" + "---|" * 8)
    for spec, scheme in CASES:
        fabric = tulle.Fabric(spec)
        routing = tulle.route(fabric, scheme)
        cable = int(fabric.cables[0])
        case = Case(fabric, routing, cable)
        after = routing.reroute(case.damaged)
        cells = [f"`{spec}`", f"`{scheme}`", str(after.broken)]
        counts = [fewest(case, scheme, by_rule=False), None if case.is_single else fewest(case, scheme, by_rule=True)]
        cells += [str(count or "-") for count in counts]
        cells.append(str(after.touched))
        cells += [f"{after.touched / count:.2f}" if count else "-" for count in counts]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
