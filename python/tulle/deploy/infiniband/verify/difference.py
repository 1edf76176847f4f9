"""The kinds of differences between a subnet and its bundle."""

from __future__ import annotations

from tulle.deploy.verdict import Check, Difference, Verdict

__all__ = ["KINDS", "Check", "Difference", "Verdict"]

KINDS = {
    "wrong-port": "cables are at other ports than planned",
    "node-replaced": "an unknown node has the links of a missing switch or host",
    "node-missing": "a planned switch or host is missing",
    "node-extra": "a switch or host is not planned",
    "cable-missing": "a planned cable is missing",
    "cable-slow": "a cable runs at a lower rate than planned",
    "cable-extra": "a cable is not planned",
    "lid": "a port has other LIDs than planned",
    "table": "a switch forwards LIDs to other ports than planned",
    "black-hole": "paths end at a port without a link",
    "loop": "paths loop",
    "wrong-end": "paths end at a node that does not have their LID",
    "lane": "an SL-to-VL table differs from the plan",
    "level": "path records have other service levels than planned",
    "level-zero": "hosts use service level 0, but the proof requires another",
    "credit-loop": "virtual lanes of links can wait for each other in a cycle",
    "errors": "a port has error counters above 0",
}
