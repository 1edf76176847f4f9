"""Resolve LLDP records to unique names of devices, ports and cables.

Both ends of a cable report the cable, each with the names that its neighbour announces. These are the short or full
name of the device, and the name, an alias, a hardware address or a description of the port. `resolve` joins the two
reports. `tulle import lldp` and `tulle cabling verify` both use `resolve`, so that they see the same cables.
"""

from tulle.cabling.identity.resolution import Resolved, resolve

__all__ = ["Resolved", "resolve"]
