"""Describe a network to schedulers.

`tree.network_tree` groups the hosts of a routed fabric in a tree by measured throughput. `formats` has a module per
scheduler.
"""
