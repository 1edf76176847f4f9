"""Reroute after link failures: change few entries, and prove the new routing free of deadlock.

An operator does not want new tables everywhere after one failed cable. Each changed entry can reorder packets, and old
and new tables are in use at the same time while switches load them.
"""

import tulle

fabric = tulle.Fabric("slimfly:q=5")
routing = tulle.route(fabric, "spread:layers=4", seed=1)
plan = routing.assign_vcs("dfsssp")
for links in (1, 5):
    damaged = fabric.without(links=links, seed=3)
    new = routing.reroute(damaged, plan)
    anew = tulle.route(damaged, "spread:layers=4", seed=1)
    changed = (anew.next_hop != new.routing.next_hop).mean()
    print(f"{links} failed: {new.broken} of {new.entries} entries used a failed link, {new.touched} changed")
    print(f"  a routing from scratch would differ in {changed:.0%} of the entries")
    assert new.plan is not None
    print(f"  the repaired plan needs {new.plan.needed_vcs} virtual channels (before: {plan.needed_vcs})")

# Output:
# 1 failed: 58 of 9800 entries used a failed link, 92 changed
#   a routing from scratch would differ in 24% of the entries
#   the repaired plan needs 5 virtual channels (before: 5)
# 5 failed: 268 of 9800 entries used a failed link, 519 changed
#   a routing from scratch would differ in 35% of the entries
#   the repaired plan needs 5 virtual channels (before: 5)
