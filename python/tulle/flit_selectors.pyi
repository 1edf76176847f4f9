"""Typed specs of selectors of the flit simulator, for example ``UGAL(candidates=4)``.

``tulle list flit-selectors`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Minimal(Spec):
    """A random next hop of the first layer at every switch.

    Notes
    -----
    Source: Kathareios et al. (SC15) §3.1 (MIN).

    Limitations: Uses layer 0 only. Paths are shortest only if layer 0 has shortest paths.

    Examples
    --------
    >>> str(Minimal())
    'minimal'
    """
    def __new__(cls) -> Minimal: ...

class SinglePath(Spec):
    """One path per pair of switches: at every switch one port of the first layer, chosen by a hash of the switch and
    the destination.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §IV-A (SP).

    Limitations: Uses layer 0 only. The hash spreads destinations over ports, but does not balance the load.

    Examples
    --------
    >>> str(SinglePath())
    'single-path'
    """
    def __new__(cls) -> SinglePath: ...

class Random(Spec):
    """Every packet takes a random path of its switch pair, or a random layer.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-B (random).

    Limitations: Ignores load.

    Examples
    --------
    >>> str(Random())
    'random'
    """
    def __new__(cls) -> Random: ...

class RoundRobin(Spec):
    """The packets of a switch pair take the paths of the pair in turn, or the layers in turn.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-B (round-robin).

    Limitations: Ignores the load. Needs one byte of memory per pair of switches. Uses only the first 255 paths of a
    pair.

    Examples
    --------
    >>> str(RoundRobin())
    'round-robin'
    """
    def __new__(cls) -> RoundRobin: ...

class Valiant(Spec):
    """A minimal route to a random intermediate switch, then a minimal route to the destination.

    Parameters
    ----------
    via
        Intermediate switch: any switch except source and destination (Kathareios et al., SC15), or any switch
        (BookSim2, CAMINOS); if it is source or destination, the packet takes the minimal route. Legal: any, other.
    passing
        Behaviour of a packet that passes its destination on the way to the intermediate switch: it goes on
        (BookSim2), or ends there (CAMINOS). Legal: end, on.

    Notes
    -----
    Source: Kathareios et al. (SC15) §3.2 (indirect random, INR).

    Limitations: Only switches with endpoints are intermediate switches. Packets within one switch take no detour.
    Uses layer 0 only.

    Examples
    --------
    >>> str(Valiant())
    'valiant'
    """
    def __new__(cls, *, via: Literal["any", "other"] = "other", passing: Literal["end", "on"] = "on") -> Valiant: ...

class UGAL(Spec):
    """The minimal route or the best of some indirect routes, by the queues at the first switch (UGAL-L); indirect
    routes lead through another switch or over another layer.

    Parameters
    ----------
    cost
        Penalty factor of an indirect route: c times the route's length divided by the length of the minimal route
        (original UGAL, and SF-A of Kathareios et al., SC15), or c alone (MLFM-A and OFT-A of Kathareios et al.).
        Legal: ratio, constant.
    c
        Constant c of the penalty (c_SF in Kathareios et al., SC15). Legal: any number above 0.
    candidates
        Number of random indirect routes that are compared per packet (n_I in Kathareios et al., SC15). Legal: 1 to
        64.
    threshold
        Threshold T: take the minimal route if its queue is below this fraction of the port's buffers. Legal: 0 to 1
        or 0% to 100%.
    bias
        Flits added to the cost of an indirect route (BookSim2's Dragonfly: cost=constant,c=2,bias=30). Legal: 0 to
        1000000.
    minimal
        First port of the minimal route if there are several: a random one, or the one with the shortest queue.
        Legal: best, drawn.
    paths
        Shortest paths to use: all (a random next hop at every switch), or one path per pair of switches (as with
        selector single-path). Legal: one, all.
    via
        Target of the first half of an indirect route: the intermediate switch, or any switch of its group. With
        group (dragonfly and megafly only), this group differs from the groups of source and destination, and packets
        within a group take minimal routes. With layer, an indirect route is the path in another layer of the
        routing. Legal: group, layer, switch.
    direct
        Minimal routes with via=layer: the paths of layer 0, or all shortest paths of the fabric. All shortest paths
        balance uniform traffic better if the fabric has more shortest next hops than layer 0. Legal: shortest,
        layer.
    queue
        Queue that is compared: the credits in use over all virtual channels of the port (all) or over those that the
        packet may use (class), or the flits in the switch that wait for the cable (output). Legal: all, class,
        output.

    Notes
    -----
    Source: Kathareios et al. (SC15) §3.3 (generic UGAL-L, threshold, SF-A; minimal=drawn or best: its footnote 1);
    Multi-Path Routing in the Jellyfish Network §III-B (vanilla UGAL, paths=all or one).

    Limitations: Sees only the queues of the first switch. Ties go to the minimal route; ties between ports are
    broken at random. If an indirect route has several shortest first ports, a random one is compared. Lengths are
    hops of shortest paths. Intermediate switches are the same as for valiant; with via=group they are in other
    groups than source and destination. With via=layer, the candidates of a packet are different layers. But if
    layers have different weights, they are selected in proportion to their weights, and a layer may repeat. The
    length of a candidate is that of the longest path through its first port. With one layer, every route is minimal.

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
        via: Literal["group", "layer", "switch"] = "switch",
        direct: Literal["shortest", "layer"] = "layer",
        queue: Literal["all", "class", "output"] = "all",
    ) -> UGAL: ...

class PAR(Spec):
    """UGAL that reconsiders a minimal decision after a first hop within the source's group (progressive adaptive
    routing).

    Parameters
    ----------
    cost
        Penalty factor of an indirect route: c times the route's length divided by the length of the minimal route
        (original UGAL, and SF-A of Kathareios et al., SC15), or c alone (MLFM-A and OFT-A of Kathareios et al.).
        Legal: ratio, constant.
    c
        Constant c of the penalty (c_SF in Kathareios et al., SC15). Legal: any number above 0.
    candidates
        Number of random indirect routes that are compared per packet (n_I in Kathareios et al., SC15). Legal: 1 to
        64.
    threshold
        Threshold T: take the minimal route if its queue is below this fraction of the port's buffers. Legal: 0 to 1
        or 0% to 100%.
    bias
        Flits added to the cost of an indirect route (BookSim2's Dragonfly: cost=constant,c=2,bias=30). Legal: 0 to
        1000000.
    minimal
        First port of the minimal route if there are several: a random one, or the one with the shortest queue.
        Legal: best, drawn.
    paths
        Shortest paths to use: all (a random next hop at every switch), or one path per pair of switches (as with
        selector single-path). Legal: one, all.
    via
        Target of the first half of an indirect route: the intermediate switch, or any switch of its group. With
        group (dragonfly and megafly only), this group differs from the groups of source and destination, and packets
        within a group take minimal routes. With layer, an indirect route is the path in another layer of the
        routing. Legal: group, layer, switch.
    direct
        Minimal routes with via=layer: the paths of layer 0, or all shortest paths of the fabric. All shortest paths
        balance uniform traffic better if the fabric has more shortest next hops than layer 0. Legal: shortest,
        layer.
    queue
        Queue that is compared: the credits in use over all virtual channels of the port (all) or over those that the
        packet may use (class), or the flits in the switch that wait for the cable (output). Legal: all, class,
        output.

    Notes
    -----
    Source: Jiang, Kim, Dally: Indirect adaptive routing on large scale interconnection networks (ISCA09) §3.3;
    CAMINOS.

    Limitations: Only for fabrics with groups (dragonfly, dragonfly-map, megafly), except with via=layer. If a packet
    starts on a minimal route to another group and its first hop stays in the source's group, the second switch
    compares queues again and may choose an indirect route. The second switch must have endpoints. On a megafly it
    has none, so par behaves like ugal. Because of the extra decision, par needs more virtual channels than ugal: one
    more class with the policies crossings and phases, one more hop with the policy hops. With via=layer, every
    second switch with endpoints compares again, whatever its group, and may change the packet to another layer; the
    policy plan assigns virtual channels only to whole paths, so it is refused. The limitations of ugal apply too.

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
        via: Literal["group", "layer", "switch"] = "switch",
        direct: Literal["shortest", "layer"] = "layer",
        queue: Literal["all", "class", "output"] = "all",
    ) -> PAR: ...

class UGALG(Spec):
    """The minimal route or the best of some indirect routes, by the queues of all switches (UGAL-G): a reference that
    real switches cannot reach.

    Parameters
    ----------
    candidates
        Number of random indirect routes that are compared per packet (n_I in Kathareios et al., SC15). Legal: 1 to
        64.

    Notes
    -----
    Source: Singh: Load-balanced routing in interconnection networks, 2005; Kathareios et al. (SC15) §3.3 (the global
    variant).

    Limitations: Queues are credits in use over all virtual channels. The queue lengths of other switches are at most
    one cycle older than the latency of the shortest link. If a switch has several shortest next hops, a candidate
    route uses a random one. The packet takes the same port at the first switch, but chooses again at later switches.
    Ties go to the minimal route.

    Examples
    --------
    >>> str(UGALG())
    'ugal-g'
    """
    def __new__(cls, *, candidates: int = 1) -> UGALG: ...

class Recycle(Spec):
    """The minimal route, a random detour or a remembered detour, by the queue at the first switch and the waits behind
    it that acknowledgements report; detours lead through another switch or over another layer.

    Parameters
    ----------
    buffer
        Number of detours that a switch remembers per destination switch. Legal: 0 to 64.
    candidates
        Number of random detours that each packet compares with the minimal route and the remembered detours. Legal:
        1 to 64.
    weight
        Cycles that a flit in the queue of the first switch counts, compared with a cycle of waiting behind it.
        Legal: any number of at least 0.
    c
        Penalty factor of a detour. Legal: any number above 0.
    bias
        Cycles added to the cost of a detour. Legal: 0 to 1000000.
    slow
        The wait up to which a detour is remembered, as a multiple of the mean wait of detours. Legal: any number
        above 0.
    via
        Where a detour leads: through an intermediate switch, or over another layer of the routing. Legal: layer,
        switch.
    direct
        Minimal routes with via=layer: the paths of layer 0, or all shortest paths of the fabric. Legal: shortest,
        layer.
    queue
        Queue that is compared: the credits in use over all virtual channels of the port (all) or over those that the
        packet may use (class), or the flits in the switch that wait for the cable (output). Legal: all, class,
        output.

    Notes
    -----
    Source: tulle's own selector; remembers routes like REPS (arXiv:2407.21625) and compares costs like UGAL-L
    (Kathareios et al. (SC15) §3.3).

    Limitations: A first switch stores, per destination switch, two waits of four bytes and up to 64 remembered
    detours of four bytes each, and per unacknowledged packet its departure. Acknowledgements take as long as a
    packet needs if all queues are empty. They use no bandwidth, and are never lost. Intermediate switches are the
    same as for valiant. Ties go to the minimal route. If links have different latencies, the least latency of the
    paths between two switches counts as the idle time of all of them. A bias of at least the cost of a full first
    link is lowered to a third of this cost, with a warning. With via=layer, a random detour is the one with fewer
    hops of two random layers. If layers have different weights, they are selected in proportion to their weights.
    With one layer, every route is minimal.

    Examples
    --------
    >>> str(Recycle())
    'recycle'
    """
    def __new__(
        cls,
        *,
        buffer: int = 64,
        candidates: int = 1,
        weight: float = 6,
        c: float = 1.5,
        bias: int = 150,
        slow: float = 1,
        via: Literal["layer", "switch"] = "switch",
        direct: Literal["shortest", "layer"] = "layer",
        queue: Literal["all", "class", "output"] = "all",
    ) -> Recycle: ...

class KSPUGAL(Spec):
    """The shortest path or the best of some random other paths of the switch pair, by queue length times path length;
    or layer 0 or the best of some random other layers.

    Parameters
    ----------
    candidates
        Number of different random other paths, or of layers beyond layer 0, that are compared per packet; all if
        there are fewer. Legal: 1 to 255.
    threshold
        Threshold T: take the shortest path if its queue is below this fraction of the port's buffers. Legal: 0 to 1
        or 0% to 100%.
    bias
        Flits subtracted from the queue length of the shortest path, before queue lengths are multiplied by hops.
        Legal: 0 to 1000000.
    queue
        Queue that is compared: the credits in use over all virtual channels of the port (all) or over those that the
        packet may use (class), or the flits in the switch that wait for the cable (output). Legal: all, class,
        output.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-B (KSP-UGAL: one random other path); Kathareios et al.
    (SC15) §3.3 (threshold).

    Limitations: Sees only the queues of the first switch. Ties go to the shortest path. The first path of the pair,
    or layer 0, counts as shortest. If a layer has several next hops, a random first port is compared. The length of
    the longest path through this port counts. Layers of different weights are selected in proportion to their
    weights, so a layer may repeat, and a candidate may be layer 0.

    Examples
    --------
    >>> str(KSPUGAL())
    'ksp-ugal'
    """
    def __new__(
        cls,
        *,
        candidates: int = 1,
        threshold: float | str = 0,
        bias: int = 0,
        queue: Literal["all", "class", "output"] = "all",
    ) -> KSPUGAL: ...

class KSPAdaptive(Spec):
    """The best of some random paths of the switch pair, or of some random layers, by queue length times path length.

    Parameters
    ----------
    candidates
        Number of different random paths, or of layers, that are compared per packet; all if there are fewer. Legal:
        2 to 255.
    queue
        Queue that is compared: the credits in use over all virtual channels of the port (all) or over those that the
        packet may use (class), or the flits in the switch that wait for the cable (output). Legal: all, class,
        output.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-B (KSP-adaptive: two random paths).

    Limitations: Sees only the queues of the first switch. Ties go to the path with fewer hops, then to the path
    selected first. If a layer has several next hops, a random first port is compared. The length of the longest path
    through this port counts. Layers of different weights are selected in proportion to their weights, so a layer may
    repeat.

    Examples
    --------
    >>> str(KSPAdaptive())
    'ksp-adaptive'
    """
    def __new__(cls, *, candidates: int = 2, queue: Literal["all", "class", "output"] = "all") -> KSPAdaptive: ...

class DimensionOrder(Spec):
    """Moves along the first dimension to the destination's coordinate, then along the second, and so on.

    Notes
    -----
    Source: Dally and Towles: Principles and Practices of Interconnection Networks, §8.4.2.

    Limitations: Only for fabrics with links along their coordinates: hyperx, mesh, torus, hypercube. In a ring,
    packets take the shorter direction; if the two directions are equally long, packets take the lower port. On a
    torus, the selector needs policy datelines (two virtual channels), or a virtual channel per hop.

    Examples
    --------
    >>> str(DimensionOrder())
    'dimension-order'
    """
    def __new__(cls) -> DimensionOrder: ...
