"""The fewest table entries that must change after a failed cable for the load to stay balanced, by brute force.

    python benches/rerouting_fewest.py

On small networks, one failed cable each. Entries that used the cable must change. Of the others that led there, every
subset is tried, the smallest first, and for each entry that changes every next hop or group of next hops without loops.
A subset serves if the busiest channel and the 99th percentile are within 1.15 times (minimal groups) or 1.3 times
(single next hops) those of the network routed anew. Prints this number beside what `Routing.reroute` changes.
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
    """A routing of one layer, one of whose cables is dead; next hops are named by the neighbour."""

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
        """The next hops whose cable is alive."""
        return tuple(next_hop for next_hop in self.old[switch][to] if (switch, next_hop) not in self.dead)

    def load(self, to: int, changed: dict[int, tuple[int, ...]]) -> np.ndarray | None:
        """What the channels carry toward one switch; None if packets can loop."""
        size = len(self.near)
        groups = [changed.get(at) or self.left(at, to) for at in range(size)]
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

    def column(self, to: int) -> tuple[list[int], list[int]]:
        """The switches that have no next hop left toward one, and the others whose packets met the dead cable."""
        reaching = {at for at in range(len(self.near)) if at != to and self.left(at, to) != self.old[at][to]}
        missing = [at for at in sorted(reaching) if not self.left(at, to)]
        upstream = set(missing)
        while more := {
            at for at in range(len(self.near)) if at != to and at not in upstream and upstream & set(self.left(at, to))
        }:
            upstream |= more
        return missing, sorted(upstream - reaching)

    def options(self, switch: int) -> list[tuple[int, ...]]:
        """All next hops that an entry can have."""
        near = self.near[switch]
        counts = (1,) if self.is_single else range(1, len(near) + 1)
        return [group for count in counts for group in itertools.combinations(near, count)]


def serves(case: Case, columns: dict[int, list[int]], bounds: tuple[float, float], rest: np.ndarray) -> bool | None:
    """Whether the entries given, by destination, can have next hops such that the load is within bounds."""
    loads = [rest[None]]
    for to, switches in columns.items():
        found = []
        for groups in itertools.product(*(case.options(switch) for switch in switches)):
            load = case.load(to, dict(zip(switches, groups, strict=True)))
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


def fewest(case: Case, spec: str) -> int | None:
    """How many entries beside those that used the cable must change; None if that takes too long."""
    anew = tulle.route(case.damaged, spec).paths_over()
    slack = 1.3 if case.is_single else 1.15
    bounds = (slack * anew.max(), slack * np.percentile(anew, 99))
    destinations = np.flatnonzero(case.ends)
    found = {int(to): case.column(int(to)) for to in destinations}
    open_columns = {to: missing for to, (missing, _) in found.items() if missing}
    rest = np.zeros(len(case.place))
    for to in map(int, destinations):
        if to not in open_columns:
            load = case.load(to, {})
            assert load is not None
            rest += load
    others = [(to, switch) for to, (_, upstream) in found.items() for switch in upstream]
    for count in range(len(others) + 1):
        for chosen in itertools.combinations(others, count):
            columns = {
                to: [*missing, *(switch for at, switch in chosen if at == to)] for to, missing in open_columns.items()
            }
            held = serves(case, columns, bounds, rest)
            if held is None:
                return None
            if held:
                return count
    return None


def main() -> None:
    """Prints a row per case."""
    print("| fabric | routing | had to | fewest | rerouted | over the fewest |")
    print("|" + "---|" * 6)
    for spec, scheme in CASES:
        fabric = tulle.Fabric(spec)
        routing = tulle.route(fabric, scheme)
        cable = int(fabric.cables[0])
        case = Case(fabric, routing, cable)
        more = fewest(case, scheme)
        after = routing.reroute(case.damaged)
        least = None if more is None else after.broken + more
        ratio = "-" if least is None else f"{after.touched / least:.2f}"
        print(f"| `{spec}` | `{scheme}` | {after.broken} | {least or '-'} | {after.touched} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
