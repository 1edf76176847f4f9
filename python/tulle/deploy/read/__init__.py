"""Read the output of InfiniBand and Ethernet tools, one module per tool."""

from __future__ import annotations

from tulle.deploy.read.counters import Counters, read_counters
from tulle.deploy.read.guid2lid import read_guid2lid
from tulle.deploy.read.lfts import Lfts, read_lfts
from tulle.deploy.read.paths import PathLevels, read_paths
from tulle.deploy.read.sl2vl import Sl2vl, read_sl2vl
from tulle.deploy.read.subnet import Node, Subnet, read_subnet

__all__ = [
    "Counters",
    "Lfts",
    "Node",
    "PathLevels",
    "Sl2vl",
    "Subnet",
    "read_counters",
    "read_guid2lid",
    "read_lfts",
    "read_paths",
    "read_sl2vl",
    "read_subnet",
]
