"""Typed specs of policies for virtual channels in the flit simulator, for example ``Hops()``.

``tulle list policies`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Hops(Spec):
    """A class of virtual channels per hop: no packet waits for one of a lower hop.

    Parameters
    ----------
    spare
        Virtual channels beyond one per hop: shared out to the classes, the first ones first; or not used (CAMINOS'
        ChannelsPerHop: hop i has virtual channel i). Legal: shared, idle.

    Notes
    -----
    Source: Jellyfish §IV-A; diameter-two §3.4 (Slim Fly: 2 for minimal, 4 for indirect routing).

    Limitations: Hop i has class i. Where the longest routes have more hops than there are virtual channels, as
    between switches whose links failed, each phase has its share of the classes, and its last takes all further
    hops, if the channel dependencies among those have no cycle; else it needs as many virtual channels as the
    longest route has hops.

    Examples
    --------
    >>> str(Hops())
    'hops'
    """
    def __new__(cls, *, spare: Literal["shared", "idle"] = "shared") -> Hops: ...

class Phases(Spec):
    """A class of virtual channels before the intermediate switch and one after it.

    Notes
    -----
    Source: diameter-two §3.4 (MLFM, OFT).

    Limitations: Free of deadlock where the routing is on one virtual channel, as up-down routes are.

    Examples
    --------
    >>> str(Phases())
    'phases'
    """
    def __new__(cls) -> Phases: ...

class Free(Spec):
    """Any virtual channel at every hop.

    Notes
    -----
    Source: the minimal routing of diameter-two §3.4 (MLFM, OFT).

    Limitations: Free of deadlock where the routing is on one virtual channel, as up-down routes are.

    Examples
    --------
    >>> str(Free())
    'free'
    """
    def __new__(cls) -> Free: ...

class Crossings(Spec):
    """A class of virtual channels per crossed cable of some channel classes, as the global ones of a Dragonfly.

    Parameters
    ----------
    classes
        Which channels count. Legal: channel classes of the fabric, joined by +.
    from_
        Where the next class begins: with the buffer at the end of the cable that counts (BookSim2), or with that of
        the next cable. Legal: cable, next.

    Notes
    -----
    Source: Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew.

    Limitations: Needs a virtual channel more than the most such cables that a route crosses; packets leave for their
    endpoint on the class that they arrived in. A packet that par diverts counts one more. Whether a fabric, routing
    and selector are free of deadlock by it is tested before a run: local, global, local is; a route by an
    intermediate switch meets two local cables in its group, one by an intermediate group does not.

    Examples
    --------
    >>> str(Crossings())
    'crossings'
    """
    def __new__(cls, *, classes: str = "global", from_: Literal["cable", "next"] = "cable") -> Crossings: ...

class Plan(Spec):
    """The virtual channels of a deadlock scheme, as plan:dfsssp:vcs=4.

    Parameters
    ----------
    spec
        The deadlock scheme. Legal: the spec of any deadlock scheme.

    Notes
    -----
    Source: the papers of the schemes.

    Limitations: A packet has one virtual channel per hop. Routes with an intermediate switch need a scheme of two
    phases.

    Examples
    --------
    >>> str(Plan(spec='hops'))
    'plan:hops'
    """
    def __new__(cls, *, spec: str) -> Plan: ...
