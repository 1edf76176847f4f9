"""Typed specs of selectors of layers and paths, for example ``Flowlet(gap="50us")``.

``tulle list selectors`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from datetime import timedelta
from typing import Literal

from tulle.typed_specs import Spec

class ECMP(Spec):
    """One shortest path per flow, by a hash of the flow.

    Notes
    -----
    Source: FatPaths §VII-A3, §VII-A6 (Fowler–Noll–Vo hash).

    Limitations: Uses layer 0 only. With a path set, it uses all paths of a pair, regardless of length.

    Examples
    --------
    >>> str(ECMP())
    'ecmp'
    """
    def __new__(cls) -> ECMP: ...

class Spray(Spec):
    """Each packet takes the next of the shortest paths, which are shuffled again after each round.

    Notes
    -----
    Source: Handley et al., NDP, SIGCOMM 2017 §3.1.1 (per-packet multipath, path permutation).

    Limitations: Uses layer 0 only; with a path set, all paths of a pair. The number of paths is the product of the
    numbers of equal-cost ports at the switches of one of the paths, at most 65536. If other paths have other numbers
    of equal-cost ports, packets are spread evenly per switch, not per path.

    Examples
    --------
    >>> str(Spray())
    'spray'
    """
    def __new__(cls) -> Spray: ...

class Flowlet(Spec):
    """The endpoint picks a random layer and path per flowlet.

    Parameters
    ----------
    gap
        Pause after which the next packet starts a flowlet. Legal: a duration, for example 500ns, 1us or 10ms.
    first
        Layer of a flow's first flowlet: `random`, or `minimal` for the layer of shortest paths. Legal: minimal,
        random.

    Notes
    -----
    Source: FatPaths §III-B, §V-F, §VII-A6 (gap of 50 us), §VIII-A1 (first flowlet in the minimal layer); Vanini et
    al., LetFlow, NSDI 2017.

    Limitations: Layers are chosen by their weights, or uniformly if the routing sets no weights, regardless of the
    lengths of their paths.

    Examples
    --------
    >>> str(Flowlet())
    'flowlet'
    """
    def __new__(cls, *, gap: str | timedelta = "50us", first: Literal["minimal", "random"] = "random") -> Flowlet: ...

class LetFlow(Spec):
    """Each switch picks a random shortest path per flowlet.

    Parameters
    ----------
    gap
        Pause of a flow at a switch after which the flow's next packet starts a flowlet at this switch. Legal: a
        duration, for example 500ns, 1us or 10ms.

    Notes
    -----
    Source: Vanini et al., LetFlow, NSDI 2017; FatPaths §VII-A6 (gap of 50 us, precise timestamps).

    Limitations: Uses layer 0 only, and does not support path sets. Flow tables have space for every flow, so two
    flows never share an entry.

    Examples
    --------
    >>> str(LetFlow())
    'letflow'
    """
    def __new__(cls, *, gap: str | timedelta = "50us") -> LetFlow: ...

class Random(Spec):
    """A random layer, and a random path in it, per packet or per flow.

    Parameters
    ----------
    per
        Unit that gets a random layer: every packet or every flow. Legal: packet, flow.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-B (random); Slim Fly deployment (NSDI24), appendix
    (randomized).

    Limitations: Layers are chosen by their weights, or uniformly if the routing sets no weights, regardless of the
    lengths of their paths.

    Examples
    --------
    >>> str(Random())
    'random'
    """
    def __new__(cls, *, per: Literal["packet", "flow"] = "packet") -> Random: ...

class RoundRobin(Spec):
    """Layers are used in turn, per packet of a flow, per flow of an endpoint, per flow between two switches, or per
    destination.

    Parameters
    ----------
    per
        Unit that takes turns: the packets of a flow; the flows of an endpoint; the flows between two switches, which
        are then spread evenly; or the endpoints of a switch, each of which has its own layer, as with forwarding
        tables per endpoint. Legal: packet, flow, pair, destination.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §5.3 (Open MPI over LIDs); Multi-Path Routing in the Jellyfish Network
    §III-B (round-robin); Flattened Clos (NSDI23) §6.2 (per=pair: an even allocation); InfiniBand's forwarding tables
    (per=destination).

    Limitations: A hash of the flow or of its source chooses the first layer; with per=pair and per=destination, the
    turns start at layer 0. Unless layers have weights, a flow keeps one path per layer.

    Examples
    --------
    >>> str(RoundRobin())
    'round-robin'
    """
    def __new__(cls, *, per: Literal["packet", "flow", "pair", "destination"] = "packet") -> RoundRobin: ...

class KSPAdaptive(Spec):
    """Each packet takes the one of two random paths with the lower estimated latency.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-B (KSP-adaptive).

    Limitations: The k paths come from the path set or from the layers. The estimate is the queue at the first port,
    plus the transmission time of a full packet and the link latency of every hop; later queues are not considered.

    Examples
    --------
    >>> str(KSPAdaptive())
    'ksp-adaptive'
    """
    def __new__(cls) -> KSPAdaptive: ...

class SizeAware(Spec):
    """Short flows stay on shortest paths, because latency matters to them; long flows spread flowlets over all layers.

    Parameters
    ----------
    bytes
        Flows up to this size are short. Legal: 1B to 1TB.
    gap
        Pause after which the next packet starts a flowlet. Legal: a duration, for example 500ns, 1us or 10ms.

    Notes
    -----
    Source: FatPaths §V-F, §VIII-A1 (minimal layer first); size limit of short flows as in pFabric, SIGCOMM 2013 §5.

    Limitations: The size of a flow must be known when the flow starts.

    Examples
    --------
    >>> str(SizeAware())
    'size-aware'
    """
    def __new__(cls, *, bytes: int | str = "100KB", gap: str | timedelta = "50us") -> SizeAware: ...

class REPS(Spec):
    """A path that delivered a packet without a mark or trimming is used once more; other packets take random paths.

    Parameters
    ----------
    buffer
        Number of paths that a flow remembers. Legal: 1 to 64.
    freeze
        Time after a packet loss during which a flow reuses its remembered paths; it chooses random paths only if it
        remembers none. Legal: a duration, for example 500ns, 1us or 10ms.
    explore
        Number of packets after a freeze that take random paths, regardless of remembered paths. Legal: 0 to 65535.

    Notes
    -----
    Source: Bonato et al., REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation,
    arXiv:2407.21625 (recycling of entropies, freezing mode); buffer, freeze and explore as in its authors'
    simulator, spcl/HTSIM.

    Limitations: Layers are explored by their weights, or uniformly if the routing sets no weights, regardless of the
    lengths of their paths. A packet counts as lost when it is retransmitted without an answer: after a timeout, or
    because later packets were answered first. Reordering alone can therefore freeze a flow.

    Examples
    --------
    >>> str(REPS())
    'reps'
    """
    def __new__(cls, *, buffer: int = 8, freeze: str | timedelta = "10ms", explore: int = 16) -> REPS: ...

class UGAL(Spec):
    """Each packet takes layer 0 or the best of some other layers, by first queue times hops (UGAL-L).

    Parameters
    ----------
    cost
        Penalty of a path in another layer than 0: `ratio` (c= times the ratio of path lengths, original UGAL) or
        `constant` (only c=). Legal: ratio, constant.
    c
        Factor c in the penalty of a path in another layer than 0. Legal: any number above 0.
    candidates
        Number of random other layers that are compared per packet (n_I in Kathareios et al. (SC15) §3.3). Legal: 1
        to 64.
    threshold
        The path of layer 0 is always taken if fewer full packets than this wait at its first port. Legal: 0 to
        1000000.
    bias
        Additional cost of a path in another layer than 0, in full packets. Legal: 0 to 1000000.

    Notes
    -----
    Source: Singh, Load-balanced routing in interconnection networks, 2005 (UGAL-L: queue times hops); cost=, c= and
    candidates= as in Kathareios et al. (SC15) §3.3, bias= as in BookSim2.

    Limitations: Non-minimal paths come from the other layers or from the path set; the original algorithm uses paths
    over any intermediate switch. Only queues of the first switch are compared. In a tie, layer 0 is taken.

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
        threshold: int = 0,
        bias: int = 0,
    ) -> UGAL: ...

class Spritz(Spec):
    """Random paths, short ones with higher weights; good paths are used again (Spritz-Scout, Spritz-Spray).

    Parameters
    ----------
    variant
        Scout: use the shortest good path until it is congested; spray: use good paths in turn, each once. Legal:
        scout, spray.
    buffer
        Number of good paths that a flow remembers. Legal: 1 to 255.
    scaling
        Factor in the weight of shorter paths: the longest paths have weight 1; the weight of a shorter path is this
        factor times the ratio of the longest path's hops to its own hops; 0: all paths have weight 1. Legal: 0 to
        1000.
    explore
        The flow explores a random path after more packets than this (with scout, only packets over remembered paths
        count); 0: never. Legal: 0 to 1000000.
    marks
        Scout forgets a path after more congestion marks than this. Legal: 0 to 1000000.
    small
        Flows below this size choose the first (shortest) path a hundred times as often as any other path. Legal: 0B
        to 1TB.

    Notes
    -----
    Source: Bonato et al., Spritz: Path-Aware Load Balancing in Low-Diameter Networks, arXiv:2602.19567 (Spritz-Scout
    and Spritz-Spray); the defaults come from its artifact, aleskubicek/sc25-spritz.

    Limitations: Path lengths are hops, not latencies. A flow does not learn from other flows of its endpoints. A
    packet counts as lost when it is retransmitted without an answer: after a timeout, or because later packets were
    answered first. The flow then draws no more random paths from the packet's layer, unless no other layer is left.
    A path set has paths instead of layers.

    Examples
    --------
    >>> str(Spritz())
    'spritz'
    """
    def __new__(
        cls,
        *,
        variant: Literal["scout", "spray"] = "spray",
        buffer: int = 8,
        scaling: int = 3,
        explore: int = 44,
        marks: int = 8,
        small: int | str = "512KiB",
    ) -> Spritz: ...

class Recycle(Spec):
    """Each packet takes the cheapest of a minimal path, some random paths and remembered paths with fast answers; the
    cost is the time to cross the path if all its queues are as long as the first one; a path whose first queue is
    full costs more; layer 0 also costs its excess delay over other layers.

    Parameters
    ----------
    buffer
        Number of paths that a flow remembers. Legal: 1 to 64.
    candidates
        Number of random paths that each packet compares with the minimal path and the remembered paths. Legal: 1 to
        64.
    bias
        Cost in full packets that is added to a random path when it is compared with a remembered path. Legal: 0 to
        1000000.
    full
        Cost in full packets that is added to a path whose first queue is full. Legal: 0 to 1000000.
    hop
        Weight of a path's idle time in its cost; the idle time is the time that a full packet needs to cross the
        path if all queues are empty. Legal: any number of at least 0.
    slow
        A path is remembered if its answer took less than this multiple of the flow's mean delay. Legal: any number
        above 0.
    failed
        Factor for the delay of a trimmed, marked or lost packet, when the delays of layer 0 and of other layers are
        compared. Legal: any number above 0.

    Notes
    -----
    Source: tulle's own selector; remembers paths like REPS (arXiv:2407.21625) and compares costs like UGAL-L
    (Kathareios et al. (SC15) §3.3).

    Limitations: The first switch must know the endpoint's remembered paths; it can learn them, because all answers
    pass through it. Unlike in REPS, a loss does not freeze the flow; the path of the lost packet is not remembered.

    Examples
    --------
    >>> str(Recycle())
    'recycle'
    """
    def __new__(
        cls,
        *,
        buffer: int = 8,
        candidates: int = 4,
        bias: int = 3,
        full: int = 2,
        hop: float = 1,
        slow: float = 1.2,
        failed: float = 4,
    ) -> Recycle: ...
