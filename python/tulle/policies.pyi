"""Typed specs of policies for virtual channels in the flit simulator, for example ``Hops()``.

``tulle list policies`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Hops(Spec):
    """One class of virtual channels per hop: no packet waits for a virtual channel of an earlier hop.

    Parameters
    ----------
    spare
        Use of the VCs beyond one per hop: divided among the classes (the first classes get the remainder), or unused
        (CAMINOS' ChannelsPerHop: hop i has VC i). Legal: shared, idle.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §IV-A; Kathareios et al. (SC15) §3.4 (Slim Fly: 2 VCs for
    minimal, 4 for indirect routing).

    Limitations: Hop i uses class i. If the longest route has more hops than a port has virtual channels, for example
    after link failures, each phase gets an equal number of classes. The last class of a phase then serves all
    further hops. If the channel dependencies among these hops have a cycle, the policy needs as many virtual
    channels as the longest route has hops. If a port has fewer, policy datelines replaces hops:spare=shared on tori
    where datelines cannot deadlock, and a note says so; otherwise the configuration is an error. With the selector
    par, and with via=group, the policy always needs as many virtual channels as the longest route has hops.

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
    Source: Kathareios et al. (SC15) §3.4 (MLFM, OFT).

    Limitations: Free of deadlock only if the routing is deadlock-free on one virtual channel, for example up-down
    routing.

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
    Source: the minimal routing of Kathareios et al. (SC15) §3.4 (MLFM, OFT).

    Limitations: Free of deadlock only if the routing is deadlock-free on one virtual channel, for example up-down
    routing.

    Examples
    --------
    >>> str(Free())
    'free'
    """
    def __new__(cls) -> Free: ...

class Crossings(Spec):
    """The class of virtual channels rises with every crossed cable of some channel classes, for example global cables.

    Parameters
    ----------
    classes
        Channel classes whose cables increment the VC class. Legal: channel classes of the fabric, joined by +.
    from_
        Where the next class begins: at the buffer at the end of the crossed cable (BookSim2), or at the buffer at
        the end of the next cable. Legal: cable, next.

    Notes
    -----
    Source: Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew.

    Limitations: Needs one virtual channel more than the maximum number of cables of these classes on a route, and
    one more with the selector par for diverted packets. On the link to its endpoint, a packet uses the class in
    which it arrived. A test before the run checks fabric, routing and selector for deadlock. On a dragonfly, minimal
    routes (local, global, local) and routes through an intermediate group are safe. Routes through an intermediate
    switch are not safe, because they may cross two local cables in that switch's group.

    Examples
    --------
    >>> str(Crossings())
    'crossings'
    """
    def __new__(cls, *, classes: str = "global", from_: Literal["cable", "next"] = "cable") -> Crossings: ...

class Datelines(Spec):
    """For tori: two classes of virtual channels, for packets that cross the dateline of a ring and for other packets.

    Parameters
    ----------
    from_
        Where a packet whose path crosses the dateline enters class 1: at its first channel of the ring (BookSim2),
        or at the dateline (Dally and Towles). Legal: ring, dateline.

    Notes
    -----
    Source: Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks (IEEE ToC 36(5),
    1987); Dally and Towles: Principles and Practices of Interconnection Networks, §14.2.3; BookSim2's dim_order on a
    torus.

    Limitations: Only for fabrics whose cables form rings along the coordinates, for example torus. The dateline of a
    ring is the cable between the first and the last coordinate. After a turn into another ring, class 1 depends only
    on the dateline of the new ring. If a port has an odd number of virtual channels, class 0 has one more than class
    1. On the link to its endpoint, a packet may use any virtual channel. A test before the run checks fabric,
    routing and selector for deadlock. The selector dimension-order is safe. With more than one dimension, the
    selector minimal is not safe, because packets may take the dimensions in any order. Policy hops has more
    throughput if there are enough virtual channels, because the classes of datelines have unequal loads on most
    channels, even more so with from=dateline.

    Examples
    --------
    >>> str(Datelines())
    'datelines'
    """
    def __new__(cls, *, from_: Literal["ring", "dateline"] = "ring") -> Datelines: ...

class Plan(Spec):
    """The virtual channels of a deadlock scheme, for example plan:dfsssp:vcs=4.

    Parameters
    ----------
    spec
        Deadlock scheme that assigns the virtual channels. Legal: the spec of any deadlock scheme.

    Notes
    -----
    Source: the papers of the schemes.

    Limitations: A packet may use exactly one virtual channel per hop. Routes with an intermediate switch need a
    scheme for two phases.

    Examples
    --------
    >>> str(Plan(spec='hops'))
    'plan:hops'
    """
    def __new__(cls, *, spec: str) -> Plan: ...
