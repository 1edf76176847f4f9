"""Typed specs of selectors of the flit simulator, for example ``UGAL(candidates=4)``.

``tulle list flit-selectors`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Minimal(Spec):
    """The first layer, at every switch by any of its ports at random.

    Notes
    -----
    Source: diameter-two §3.1 (MIN).

    Limitations: Layer 0 only; shortest paths, where the routing has them there.

    Examples
    --------
    >>> str(Minimal())
    'minimal'
    """
    def __new__(cls) -> Minimal: ...

class SinglePath(Spec):
    """One path per pair of switches: of every switch's ports in the first layer one, by a hash of the destination.

    Notes
    -----
    Source: Jellyfish §IV-A (SP).

    Limitations: Layer 0 only. The hash spreads destinations over ports, it does not balance them.

    Examples
    --------
    >>> str(SinglePath())
    'single-path'
    """
    def __new__(cls) -> SinglePath: ...

class Random(Spec):
    """Every packet on one of the paths of its pair, or layers, at random.

    Notes
    -----
    Source: Jellyfish §III-B (random).

    Limitations: Sees no load.

    Examples
    --------
    >>> str(Random())
    'random'
    """
    def __new__(cls) -> Random: ...

class RoundRobin(Spec):
    """Packets from one switch to another take its paths, or layers, in turn.

    Notes
    -----
    Source: Jellyfish §III-B (round-robin).

    Limitations: Sees no load. Needs a byte per pair of switches; of more than 255 paths it uses the first 255.

    Examples
    --------
    >>> str(RoundRobin())
    'round-robin'
    """
    def __new__(cls) -> RoundRobin: ...

class Valiant(Spec):
    """By way of a random intermediate switch, minimally to it and from it on.

    Parameters
    ----------
    via
        The intermediate switch: other than source and destination (diameter-two), or any (BookSim2, CAMINOS), and of
        these two straight on. Legal: any, other.
    passing
        A packet that passes its destination on the way to the intermediate switch goes on (BookSim2), or ends there
        (CAMINOS). Legal: end, on.

    Notes
    -----
    Source: diameter-two §3.2 (indirect random, INR).

    Limitations: Intermediate switches are those with endpoints; packets within a switch go straight. Layer 0 only.

    Examples
    --------
    >>> str(Valiant())
    'valiant'
    """
    def __new__(cls, *, via: Literal["any", "other"] = "other", passing: Literal["end", "on"] = "on") -> Valiant: ...

class UGAL(Spec):
    """Minimal, or the best of some indirect routes, by the queues at the first switch (UGAL-L).

    Parameters
    ----------
    cost
        Whether the penalty is c times the ratio of lengths, L_I/L_M (original UGAL; SF-A), or c alone (MLFM-A,
        OFT-A). Legal: ratio, constant.
    c
        Penalty of an indirect route: c, or c_SF. Legal: any number above 0.
    candidates
        Indirect routes drawn per packet, n_I. Legal: 1 to 64.
    threshold
        T: minimal wherever its queue is below this share of the port's buffers. Legal: 0 to 1 or 0% to 100%.
    bias
        Flits added to the cost of an indirect route (BookSim2's Dragonfly: cost=constant,c=2,bias=30). Legal: 0 to
        1000000.
    minimal
        Which of several shortest first ports is compared and taken: one drawn at random, or that of the shortest
        queue. Legal: best, drawn.
    paths
        Of several shortest paths any, drawn switch by switch, or one per pair, that of single-path. Legal: one, all.
    via
        An indirect route goes to its intermediate switch, or no further than into that switch's group, another than
        those of source and destination (dragonfly, megafly; packets within a group go minimally). Legal: group,
        switch.
    queue
        Which queue is compared. Legal: all, class, output.

    Notes
    -----
    Source: diameter-two §3.3 (generic UGAL-L, threshold, SF-A; minimal=drawn or best: its footnote 1); Jellyfish
    §III-B (vanilla UGAL, paths=all or one).

    Limitations: Sees queues of the first switch only. Ties are minimal; among several best ports one is drawn. Of
    several shortest first ports of an indirect route it compares one, drawn at random. Lengths are hops of shortest
    paths. Intermediate switches are those of valiant, or with via=group those of other groups.

    Examples
    --------
    >>> str(UGAL())
    'ugal'
    """
    def __new__(
        cls,
        *,
        cost: Literal["ratio", "constant"] = "ratio",
        c: float = 1,
        candidates: int = 1,
        threshold: float | str = 0,
        bias: int = 0,
        minimal: Literal["best", "drawn"] = "drawn",
        paths: Literal["one", "all"] = "all",
        via: Literal["group", "switch"] = "switch",
        queue: Literal["all", "class", "output"] = "all",
    ) -> UGAL: ...

class PAR(Spec):
    """UGAL whose minimal decision is taken again after a first hop within the source's group (progressive adaptive
    routing).

    Parameters
    ----------
    cost
        Whether the penalty is c times the ratio of lengths, L_I/L_M (original UGAL; SF-A), or c alone (MLFM-A,
        OFT-A). Legal: ratio, constant.
    c
        Penalty of an indirect route: c, or c_SF. Legal: any number above 0.
    candidates
        Indirect routes drawn per packet, n_I. Legal: 1 to 64.
    threshold
        T: minimal wherever its queue is below this share of the port's buffers. Legal: 0 to 1 or 0% to 100%.
    bias
        Flits added to the cost of an indirect route (BookSim2's Dragonfly: cost=constant,c=2,bias=30). Legal: 0 to
        1000000.
    minimal
        Which of several shortest first ports is compared and taken: one drawn at random, or that of the shortest
        queue. Legal: best, drawn.
    paths
        Of several shortest paths any, drawn switch by switch, or one per pair, that of single-path. Legal: one, all.
    via
        An indirect route goes to its intermediate switch, or no further than into that switch's group, another than
        those of source and destination (dragonfly, megafly; packets within a group go minimally). Legal: group,
        switch.
    queue
        Which queue is compared. Legal: all, class, output.

    Notes
    -----
    Source: Jiang, Kim, Dally: Indirect adaptive routing on large scale interconnection networks (ISCA09) §3.3;
    CAMINOS.

    Limitations: Fabrics with groups: dragonfly, megafly. A packet that begins on a minimal route to another group
    and whose first hop stays in the group of its source compares queues again at the switch there, if that has
    endpoints (on a megafly it has none: there it is ugal), and may take an indirect route from it. That needs a
    virtual channel more than ugal: one more of crossings or phases, a hop more of hops. Else as ugal.

    Examples
    --------
    >>> str(PAR())
    'par'
    """
    def __new__(
        cls,
        *,
        cost: Literal["ratio", "constant"] = "ratio",
        c: float = 1,
        candidates: int = 1,
        threshold: float | str = 0,
        bias: int = 0,
        minimal: Literal["best", "drawn"] = "drawn",
        paths: Literal["one", "all"] = "all",
        via: Literal["group", "switch"] = "switch",
        queue: Literal["all", "class", "output"] = "all",
    ) -> PAR: ...

class UGALG(Spec):
    """Minimal, or the best of some indirect routes, by the queues of all switches (UGAL-G): the unattainable reference.

    Parameters
    ----------
    candidates
        Indirect routes drawn per packet, n_I. Legal: 1 to 64.

    Notes
    -----
    Source: Singh: Load-balanced routing in interconnection networks, 2005; diameter-two §3.3 (the global variant).

    Limitations: Queues are credits in use over all virtual channels. Those of other switches are known as of at most
    a link latency ago. Of several shortest next hops a candidate draws one per switch; the packet keeps to it at the
    first switch and draws anew at others. Ties are minimal.

    Examples
    --------
    >>> str(UGALG())
    'ugal-g'
    """
    def __new__(cls, *, candidates: int = 1) -> UGALG: ...

class KSPUGAL(Spec):
    """The shortest path, or a random other of the pair's paths, by queue times length.

    Parameters
    ----------
    queue
        Which queue is compared. Legal: all, class, output.

    Notes
    -----
    Source: Jellyfish §III-B (KSP-UGAL).

    Limitations: Sees queues of the first switch only. Ties go to the shortest path; the set's first path is taken
    for it.

    Examples
    --------
    >>> str(KSPUGAL())
    'ksp-ugal'
    """
    def __new__(cls, *, queue: Literal["all", "class", "output"] = "all") -> KSPUGAL: ...

class KSPAdaptive(Spec):
    """The better of two random paths of the pair, by queue times length.

    Parameters
    ----------
    queue
        Which queue is compared. Legal: all, class, output.

    Notes
    -----
    Source: Jellyfish §III-B (KSP-adaptive).

    Limitations: Sees queues of the first switch only. Ties go to the path of fewer hops, then to the one drawn
    first.

    Examples
    --------
    >>> str(KSPAdaptive())
    'ksp-adaptive'
    """
    def __new__(cls, *, queue: Literal["all", "class", "output"] = "all") -> KSPAdaptive: ...

class DimensionOrder(Spec):
    """Sets the first coordinate to the destination's, then the second, and so on.

    Notes
    -----
    Source: Dally and Towles: Principles and Practices of Interconnection Networks, §8.4.2.

    Limitations: Fabrics with coordinates along whose dimensions one can go: hyperx, mesh, torus, hypercube. Around a
    ring the shorter way, at a tie by the lower port. On a torus it can deadlock without a virtual channel per hop.

    Examples
    --------
    >>> str(DimensionOrder())
    'dimension-order'
    """
    def __new__(cls) -> DimensionOrder: ...
