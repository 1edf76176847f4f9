"""Resolve LLDP records to unique names of devices, ports and cables.

Both ends of a cable report it, each with the names that the neighbour announces: the short or the full name of a
device, and the name, an alias, a hardware address or a description of a port. `resolve` joins these views. Both
`tulle import lldp` and `tulle cabling verify` use it, so that they see the same cables.
"""

from tulle.cabling.identity.resolution import Resolved, resolve

__all__ = ["Resolved", "resolve"]
