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

    Limitations: Uses layer 0 only; over a path set it uses all paths of a pair, regardless of length.

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

    Limitations: Uses layer 0 only; over a path set all paths of a pair. Paths are counted along the path of first
    ports, 65536 at most; where group sizes differ between paths, packets are spread evenly per switch, not per path.

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
        Pause after which the next packet starts a flowlet. Legal: a duration, as 500ns, 1us, 10ms.
    first
        The layer of a flow's first flowlet: a random one, or the one of shortest paths. Legal: minimal, random.

    Notes
    -----
    Source: FatPaths §III-B, §V-F, §VII-A6 (gap of 50 us), §VIII-A1 (first flowlet in the minimal layer); Vanini et
    al., LetFlow, NSDI 2017.

    Limitations: Layers are chosen uniformly, regardless of the lengths of their paths.

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
        Pause of a flow at a switch after which its next packet starts a flowlet there. Legal: a duration, as 500ns,
        1us, 10ms.

    Notes
    -----
    Source: Vanini et al., LetFlow, NSDI 2017; FatPaths §VII-A6 (gap of 50 us, precise timestamps).

    Limitations: Uses layer 0 only, and no path sets. Flow tables have room for every flow, so that no two share an
    entry.

    Examples
    --------
    >>> str(LetFlow())
    'letflow'
    """
    def __new__(cls, *, gap: str | timedelta = "50us") -> LetFlow: ...

class Random(Spec):
    """A random layer and path of it per packet or flow.

    Parameters
    ----------
    per
        Unit that gets a random layer: every packet or every flow. Legal: packet, flow.

    Notes
    -----
    Source: Jellyfish multipath §III-B (random); Slim Fly deployment, appendix (randomized).

    Limitations: Layers are chosen uniformly, regardless of the lengths of their paths.

    Examples
    --------
    >>> str(Random())
    'random'
    """
    def __new__(cls, *, per: Literal["packet", "flow"] = "packet") -> Random: ...

class RoundRobin(Spec):
    """Layers in turn, per packet of a flow, per flow of an endpoint or between two switches, or per destination.

    Parameters
    ----------
    per
        Unit that takes turns: the packets of a flow; the flows of an endpoint; all flows from a switch to another,
        which are so spread evenly; or the endpoints of a switch, each reached over a layer of its own, as with
        tables per endpoint. Legal: packet, flow, pair, destination.

    Notes
    -----
    Source: Slim Fly deployment §5.3 (Open MPI over LIDs); Jellyfish multipath §III-B (round-robin); Flattened Clos
    §6.2 (pair: its allocations); InfiniBand's tables (destination).

    Limitations: The first layer is a hash of the flow or of its source, with pair and destination it is layer 0;
    within a layer a flow keeps one path.

    Examples
    --------
    >>> str(RoundRobin())
    'round-robin'
    """
    def __new__(cls, *, per: Literal["packet", "flow", "pair", "destination"] = "packet") -> RoundRobin: ...

class KSPAdaptive(Spec):
    """Each packet takes the one of two random paths whose estimated latency is shorter.

    Notes
    -----
    Source: Jellyfish multipath §III-B (KSP-adaptive).

    Limitations: The k paths are those of the path set, or of the layers. The estimate is the queue at the first port
    plus a packet time and a latency per hop; queues further on are not seen.

    Examples
    --------
    >>> str(KSPAdaptive())
    'ksp-adaptive'
    """
    def __new__(cls) -> KSPAdaptive: ...

class SizeAware(Spec):
    """Short flows, which latency matters to, keep to shortest paths; long ones take flowlets over all layers.

    Parameters
    ----------
    bytes
        Flows up to this size are short. Legal: 1B to 1TB.
    gap
        Pause after which a flowlet starts. Legal: a duration, as 500ns, 1us, 10ms.

    Notes
    -----
    Source: FatPaths §V-F, §VIII-A1 (minimal layer first); the bound of short flows as in pFabric, SIGCOMM 2013 §5.

    Limitations: Sizes are known when a flow starts.

    Examples
    --------
    >>> str(SizeAware())
    'size-aware'
    """
    def __new__(cls, *, bytes: int | str = "100KB", gap: str | timedelta = "50us") -> SizeAware: ...

class REPS(Spec):
    """A path that delivered a packet without mark or trimming is taken once more; other packets explore.

    Parameters
    ----------
    buffer
        Paths that a flow remembers. Legal: 1 to 64.
    freeze
        Time during which a flow that has lost a packet does not explore and reuses its remembered paths. Legal: a
        duration, as 500ns, 1us, 10ms.
    explore
        Packets after that time that explore, regardless of remembered paths. Legal: 0 to 65535.

    Notes
    -----
    Source: Bonato et al., REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation,
    arXiv:2407.21625 (recycling of entropies, freezing mode); buffer, freeze and explore as in its authors'
    simulator, spcl/HTSIM.

    Limitations: Explores layers uniformly, whatever the lengths of their paths. A packet is lost once it is sent
    again unanswered, by a timeout or, with tcp and dctcp, as later ones overtook it: freezing may be for reordering
    alone.

    Examples
    --------
    >>> str(REPS())
    'reps'
    """
    def __new__(cls, *, buffer: int = 8, freeze: str | timedelta = "10ms", explore: int = 16) -> REPS: ...

class UGAL(Spec):
    """Layer 0, or the best of some other layers, by the queues at the first switch and the hops (UGAL-L).

    Parameters
    ----------
    cost
        Whether the penalty of another layer is c times the ratio of lengths (original UGAL), or c alone. Legal:
        ratio, constant.
    c
        Penalty of another layer: c. Legal: any number above 0.
    candidates
        Other layers drawn per packet, n_I. Legal: 1 to 64.
    threshold
        Always minimal if less than this waits at its first port, in full packets. Legal: 0 to 1000000.
    bias
        Full packets added to the cost of another layer. Legal: 0 to 1000000.

    Notes
    -----
    Source: Singh, Load-balanced routing in interconnection networks, 2005 (UGAL-L: queue times hops); cost=, c= and
    candidates= as in diameter-two §3.3, bias= as in BookSim2.

    Limitations: Indirect paths are those of the layers, or the further ones of a path set, in place of paths over
    any intermediate switch. Sees queues of the first switch only. Ties are minimal.

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
    """Random paths with weights that fall with length; good ones are taken again (Spritz-Scout, -Spray).

    Parameters
    ----------
    variant
        Scout: the shortest good path until it is congested; spray: good paths in turn, each once. Legal: scout,
        spray.
    buffer
        Good paths that a flow remembers. Legal: 1 to 255.
    scaling
        Weight of a path relative to the longest one, multiplied by the ratio of their hops; 0 for weights alike.
        Legal: 0 to 1000.
    explore
        Packets over remembered paths after which a random path is drawn; 0: never. Legal: 0 to 1000000.
    marks
        Congestion marks after which scout forgets a path. Legal: 0 to 1000000.
    small
        Flows below this size draw the first (shortest) path a hundred times as often as any other. Legal: 0B to 1TB.

    Notes
    -----
    Source: Bonato et al., Spritz: Path-Aware Load Balancing in Low-Diameter Networks, arXiv:2602.19567 (Spritz-Scout
    and Spritz-Spray); the defaults are those of its artifact, aleskubicek/sc25-spritz.

    Limitations: Lengths are hops, not latencies. What one flow learns no other flow of its endpoints knows. A packet
    is lost once it is sent again unanswered, by a timeout or, with tcp and dctcp, as later ones overtook it, and its
    path then is not drawn again.

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
    """The cheapest of a minimal path, some random paths, and remembered paths whose answers came back fast, by queue
    times hops at the first switch and the delays of layer 0.

    Parameters
    ----------
    buffer
        Paths that a flow remembers. Legal: 1 to 64.
    candidates
        Random paths per packet that are compared with the others. Legal: 1 to 64.
    bias
        Full packets added to the cost of a random path when it is compared with a remembered one. Legal: 0 to
        1000000.
    hop
        Full packets that every hop of a path adds to its cost. Legal: 0 to 1000000.
    slow
        A path is remembered if its answer took less than this multiple of the flow's mean. Legal: any number above
        0.
    failed
        Delay of a packet that was trimmed, marked or lost, as a multiple of its real delay, when layer 0 is compared
        with the others. Legal: any number above 0.

    Notes
    -----
    Source: ours; remembers as REPS does (arXiv:2407.21625), compares as UGAL-L does (diameter-two §3.3).

    Limitations: The first switch must know the endpoint's remembered paths; answers pass through it. There is no
    freezing after losses as in REPS: a lost packet's path is only not remembered.

    Examples
    --------
    >>> str(Recycle())
    'recycle'
    """
    def __new__(
        cls, *, buffer: int = 8, candidates: int = 4, bias: int = 3, hop: int = 2, slow: float = 1.2, failed: float = 4
    ) -> Recycle: ...
