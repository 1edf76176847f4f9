"""Compare the number of entries that rerouting changes with a lower bound, for layers too large for brute force.

    python benches/rerouting_entries.py [--draws N] [--only TEXT]

One cable has failed, and every entry has a single next hop. An entry that used the cable must change. Let this entry be
at switch s for destination d, and let h be the distance from s to d without the cable. The new path from s has at least
h hops. Even a path of h hops from s may be too long: the paths of some switches that forward through s may then exceed
the layer's hop limit. In this case, at least one more entry must change for each neighbour of s that forwards to s and
lies on such a path.

The sum over all layers and destinations is a lower bound for any rerouting within the hop limit, whatever the load. In
the table, `had to change` is the number of entries that used the cable. The hop limit is defined in
`docs/explanation/routing.md`: for distance n, it is the length of the longest remaining path between switches whose
distance is at most n.
"""

import argparse

import numpy as np
from rerouting_balance import SMALL

import tulle

ROUTINGS = ("balanced", "random:layers=4", "almost-minimal:layers=4", "spread:layers=4")
ROUTING_SEEDS = 2


def distances(fabric: tulle.Fabric) -> np.ndarray:
    """Return the distances in hops between all pairs of switches of a connected fabric."""
    size = fabric.num_switches
    near = np.eye(size, dtype=bool)
    near[fabric.channels[:, 0], fabric.channels[:, 1]] = True
    found = np.where(near, 1, -1)
    np.fill_diagonal(found, 0)
    reached, hops = near, 1
    while (found < 0).any():
        reached, hops = (reached.astype(int) @ near) > 0, hops + 1
        found[reached & (found < 0)] = hops
    return found


class Layer:
    """A layer with one next hop per entry, after a cable has failed."""

    def __init__(self, fabric: tulle.Fabric, next_hop: np.ndarray, dead: set[int], apart: np.ndarray) -> None:
        size = fabric.num_switches
        self.apart = apart
        self.alive = ~np.isin(next_hop, list(dead))
        # For each destination and switch: the neighbours that forwarded to the switch before the failure.
        self.behind: list[list[list[int]]] = [[[] for _ in range(size)] for _ in range(size)]
        for switch in range(size):
            for to in range(size):
                if switch != to:
                    self.behind[to][fabric.channels[next_hop[switch, to], 1]].append(switch)
        self.most = self.limit()[apart]

    def limit(self) -> np.ndarray:
        """Return the hop limit for each distance."""
        longest = np.arange(self.apart.max() + 1)
        for to in range(len(self.behind)):
            stack = [(to, 0)]
            while stack:
                at, hops = stack.pop()
                longest[self.apart[at, to]] = max(longest[self.apart[at, to]], hops)
                stack += [(before, hops + 1) for before in self.behind[to][at] if self.alive[before, to]]
        return np.maximum.accumulate(longest)

    def exceeds(self, switch: int, to: int, hops: int) -> bool:
        """Return whether a path of `hops` hops from `switch`, or a path that leads into it, exceeds the hop limit."""
        before = self.behind[to][switch]
        return hops > self.most[switch, to] or any(self.exceeds(at, to, hops + 1) for at in before)

    def least(self) -> tuple[int, int]:
        """Return the number of entries that used the cable, and a lower bound of the number that must change."""
        broken = forced = 0
        for switch, to in np.argwhere(~self.alive):
            broken += 1
            hops = self.apart[switch, to] + 1
            forced += sum(self.exceeds(at, to, hops) for at in self.behind[to][switch])
        return broken, broken + forced


def main() -> None:
    """Print one row per fabric and routing."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--draws", type=int, default=8)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    print("| fabric | routing | had to change | lower bound | rerouted | rerouted / lower bound |")
    print("|" + "---|" * 6)
    for spec in SMALL:
        fabric = tulle.Fabric(spec)
        for routing in ROUTINGS:
            if given.only not in f"{spec} {routing}":
                continue
            try:
                routed = [tulle.route(fabric, routing, seed) for seed in range(ROUTING_SEEDS)]
            except tulle.InputError:
                # The scheme almost-minimal cannot route fat trees, which have no paths of three hops.
                continue
            had_to = least = touched = 0
            for draw in range(given.draws):
                before = routed[draw % ROUTING_SEEDS]
                cable = int(fabric.cables[draw * len(fabric.cables) // given.draws])
                damaged = fabric.without(links=f"ids:{cable}")
                apart = distances(damaged)
                dead = {cable, int(fabric.reverse[cable])}
                rerouted = before.reroute(damaged)
                found = [Layer(fabric, hops, dead, apart).least() for hops in before.next_hop_groups[:, :, :, 0]]
                broken = sum(each[0] for each in found)
                assert broken == rerouted.broken, (broken, rerouted.broken)
                had_to, touched = had_to + broken, touched + rerouted.touched
                least += sum(each[1] for each in found)
            ratio = f"{touched / least:.2f}"
            print(f"| `{spec}` | `{routing}` | {had_to} | {least} | {touched} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
