"""One cable, one device, one name: what LLDP tells of a network, by the names that its devices have themselves.

LLDP names both ends of a cable twice, each end by what the other announces: a device by its short or its full name, a
port by its name, an alias, a hardware address or a description. `resolve` joins these views. Both `tulle import lldp`
and `tulle cabling verify` use it, so that both see the same cables.
"""

from tulle.cabling.identity.resolution import Resolved, resolve

__all__ = ["Resolved", "resolve"]
