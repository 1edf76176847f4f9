"""What differs between a subnet and its bundle."""

from __future__ import annotations

from tulle.deploy.verdict import Check, Difference, Verdict

__all__ = ["KINDS", "Check", "Difference", "Verdict"]

KINDS = {
    "node-missing": "a planned switch or host is not seen",
    "node-extra": "a switch or host that is not planned",
    "cable-missing": "a planned cable is not seen",
    "cable-extra": "a cable that is not planned",
    "lid": "a port has other LIDs than planned",
    "table": "a switch forwards LIDs by other ports than planned",
    "black-hole": "paths end at a port where nothing is linked",
    "loop": "paths lead around",
    "wrong-end": "paths end elsewhere than at their LID",
    "lane": "an SL-to-VL table is another one than planned",
    "level": "path records tell another service level than planned",
    "level-zero": "hosts are on service level 0 where the proof wants another",
    "credit-loop": "lanes of links can wait for each other in a circle",
    "errors": "a port has counted errors",
}
