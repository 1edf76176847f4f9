"""Group the hosts of a network in tiers, by the measured throughput between groups."""
