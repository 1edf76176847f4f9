"""Typed specs of policies for virtual channels in the flit simulator, for example ``Hops()``.

``tulle list policies`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Hops(Spec):
    """One class of virtual channels per hop: no packet waits for a virtual channel of a lower hop.

    Parameters
    ----------
    spare
        Use of VCs beyond one per hop: distributed over the classes, the first ones first; or unused (CAMINOS'
        ChannelsPerHop: hop i has VC i). Legal: shared, idle.

    Notes
    -----
    Source: Jellyfish §IV-A; diameter-two §3.4 (Slim Fly: 2 for minimal, 4 for indirect routing).

    Limitations: Hop i uses class i. If the longest routes have more hops than there are virtual channels, for
    example after link failures, the classes are divided among the phases, and the last class of a phase serves all
    further hops. This is refused if the channel dependencies among these hops have a cycle; then the policy needs as
    many virtual channels as the longest route has hops.

    Examples
    --------
    >>> str(Hops())
    'hops'
    """
    def __new__(cls, *, spare: Literal["shared", "idle"] = "shared") -> Hops: ...

class Phases(Spec):
    """One class of virtual channels before the intermediate switch, and one after it.

    Notes
    -----
    Source: diameter-two §3.4 (MLFM, OFT).

    Limitations: Free of deadlock only if the routing is so on one virtual channel, as up-down routing is.

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

    Limitations: Free of deadlock only if the routing is so on one virtual channel, as up-down routing is.

    Examples
    --------
    >>> str(Free())
    'free'
    """
    def __new__(cls) -> Free: ...

class Crossings(Spec):
    """The class of virtual channels rises with every crossed cable of some channel classes, for example global ones.

    Parameters
    ----------
    classes
        Channel classes whose cables increment the VC class. Legal: channel classes of the fabric, joined by +.
    from_
        Where the next class begins: with the buffer at the end of the crossed cable (BookSim2), or with that of the
        next cable. Legal: cable, next.

    Notes
    -----
    Source: Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew.

    Limitations: Needs one virtual channel more than a route has such cables at most. Packets leave for their
    endpoint on the class in which they arrived. A packet that par diverts needs one class more. A test before the
    run checks fabric, routing and selector for deadlock: local, global, local is safe; a route through an
    intermediate switch may cross two local cables in its group and is not, a route through an intermediate group is.

    Examples
    --------
    >>> str(Crossings())
    'crossings'
    """
    def __new__(cls, *, classes: str = "global", from_: Literal["cable", "next"] = "cable") -> Crossings: ...

class Plan(Spec):
    """The virtual channels of a deadlock scheme, for example plan:dfsssp:vcs=4.

    Parameters
    ----------
    spec
        The deadlock scheme. Legal: the spec of any deadlock scheme.

    Notes
    -----
    Source: the papers of the schemes.

    Limitations: A packet has exactly one virtual channel per hop. Routes with an intermediate switch need a scheme
    for two phases.

    Examples
    --------
    >>> str(Plan(spec='hops'))
    'plan:hops'
    """
    def __new__(cls, *, spec: str) -> Plan: ...
