"""Cable and deploy: a plan for technicians, files for Linux switches, and a repair after a cable has failed.

An operator works with the commands of `tulle`. This script calls them in the order of a roll-out and reads their JSON.
The script writes all files to the working directory; nothing is sent to a switch. `tulle lab` loads the same files into
the kernel of this machine.
"""

import json
import subprocess
import sys
from typing import Any


def tulle(*arguments: str) -> Any:
    """Run a command of tulle and return its result; an error of the command ends the script."""
    command = [sys.executable, "-m", "tulle", *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


# The plan lists every cable from port to port, in the order in which technicians lay the cables.
plan = tulle("cabling", "plan", "slimfly:q=3", "-o", "cabling")
print(f"{plan['cables']} cables in {plan['racks']} racks:")
for step in plan["steps"]:
    print(f"  step {step['step']}: {step['cables']:2} {step['colour']} cables {step['what']}")

# Layers become address ranges, so stock Linux switches need no new protocol.
bundle = tulle("deploy", "linux", "slimfly:q=3", "spread:layers=2", "-o", "bundle")
print(f"bundle: {bundle['entries']} routes on {bundle['switches']} switches, {len(bundle['written'])} files")

# A cable fails. Only switches whose next hops used the cable, or must change to avoid loops or long paths, get changes.
repair = tulle("deploy", "repair", "bundle", "--dead-cable", "s0-0-0:s0-0-1", "-o", "repaired")
print(f"repair: {repair['entries_changed']} routes on {repair['switches_changed']} switches change")
change = repair["changes"][0]
print(f"  {change['switch']}: {change['prefix']} moves from {change['before']} to {change['now']}")

# Output:
# 99 cables in 3 racks:
#   step 0: 54 grey cables endpoints
#   step 1: 18 blue cables inside subgroups
#   step 2:  9 orange cables across the subgroups of a rack
#   step 3: 18 green cables between racks
# bundle: 612 routes on 18 switches, 619 files
# repair: 13 routes on 5 switches change
#   s0-0-0: 10.0.1.0/24 moves from eth1 to eth2
