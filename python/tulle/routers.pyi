"""Typed specs of routers of the flit simulator, for example ``InputQueued(vcs=4)``.

``tulle list routers`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class InputQueued(Spec):
    """A buffer per virtual channel at the inputs, separable or iSLIP allocation, internal speedup (BookSim2).

    Parameters
    ----------
    vcs
        Virtual channels per port. Legal: 1 to 16.
    buffer
        Flits per VC. Legal: 1 to 4096.
    speedup
        Allocation steps per cycle. Legal: 1 to 4.
    allocator
        Separable (inputs first) or iSLIP (outputs grant, inputs accept), one iteration. Legal: separable, islip.
    credit
        Cycles from the arrival of a credit to its use. Legal: 0 to 64.
    delay
        Extra cycles from the arrival of a flit at a router to its buffer, for example for routing; pipelined. Legal:
        0 to 1000.
    route
        Cycles that a packet at the head of its queue waits for its route (BookSim2's routing_delay); not pipelined.
        Legal: 0 to 1000.
    inject
        VC of a new packet: the next one with room after the last packet's (BookSim2), or a random one. Legal:
        round-robin, random.

    Notes
    -----
    Source: Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, ISPASS 2013; McKeown: The
    iSLIP scheduling algorithm, IEEE/ACM ToN 1999; Jellyfish §IV-A (speedup 2, 32 flits).

    Limitations: At most 256 ports. One packet per input virtual channel is in allocation at a time; output queues
    are unbounded; no speculation. The output virtual channel is free again once the last flit has won the switch.
    Zero-load latency: (1 + d_endpoint) + P·routers + d·hops + d_endpoint, plus one cycle per further flit, with P =
    1 + delay + ⌊2/speedup⌋ (2 with speedup 2, 3 with speedup 1) for route=0, otherwise P = delay + route +
    ⌊3/speedup⌋: the last cycle of the route is one allocation step, as in BookSim2.

    Examples
    --------
    >>> str(InputQueued())
    'input-queued'
    """
    def __new__(
        cls,
        *,
        vcs: int = 4,
        buffer: int = 32,
        speedup: int = 2,
        allocator: Literal["separable", "islip"] = "separable",
        credit: int = 2,
        delay: int = 0,
        route: int = 0,
        inject: Literal["round-robin", "random"] = "round-robin",
    ) -> InputQueued: ...

class VirtualCutThrough(Spec):
    """Buffers at inputs and outputs, whole packets, random arbitration (CAMINOS' basic router).

    Parameters
    ----------
    vcs
        Virtual channels per port. Legal: 1 to 16.
    buffer
        Flits per input VC. Legal: 1 to 65535.
    output
        Flits per output VC. Legal: 1 to 65535.
    delay
        Cycles through the switch; pipelined. Legal: 0 to 1000.
    inject
        VC of a new packet: the first with room, or a random one. Legal: first, random.
    crossbar
        Packets that an input port sends and an output port accepts at the same time (speedup); 0: unlimited. Legal:
        0 to 16.
    queues
        An input VC is one queue, or one queue per output port (virtual output queues; needs a crossbar). Legal: voq,
        fifo.
    transit
        Whether packets from other switches cross before those of endpoints, or compete equally (needs a crossbar).
        Legal: first, equal.

    Notes
    -----
    Source: Camarero, Postigo, Fuentes: CAMINOS: A modular interconnection network simulator, 2023.

    Limitations: At most 256 ports; links of at least one cycle. A buffer holds whole packets. Every output virtual
    channel accepts one packet at a time, from any input. A waiting packet draws a port and virtual channel again
    every cycle, and each output virtual channel draws one of its requests. With a limited crossbar, ports are
    matched at random every cycle until no more packets can cross; a virtual channel still sends and accepts one
    packet at a time, and in a virtual output queue a packet keeps the port that it drew on arrival. With
    transit=first, transit can starve endpoints. Source queues are unbounded. Endpoints accept every packet.
    Zero-load latency: 2·d_endpoint + delay·routers + d·hops + the packet's flits − 1.

    Examples
    --------
    >>> str(VirtualCutThrough())
    'virtual-cut-through'
    """
    def __new__(
        cls,
        *,
        vcs: int = 4,
        buffer: int = 32,
        output: int = 32,
        delay: int = 0,
        inject: Literal["first", "random"] = "first",
        crossbar: int = 0,
        queues: Literal["voq", "fifo"] = "fifo",
        transit: Literal["first", "equal"] = "equal",
    ) -> VirtualCutThrough: ...

class DiameterTwo(Spec):
    """The switch of the diameter-two paper: virtual cut-through, 100 KB per port and direction, 100 ns.

    Parameters
    ----------
    vcs
        Virtual channels per port. Legal: 1 to 16.

    Notes
    -----
    Source: diameter-two §4.1: 100 KB per port and direction, 100 ns, links of 100 Gb/s and 50 ns, packets of 256
    bytes.

    Limitations: A cycle is a packet of 256 bytes at 100 Gb/s, 20.48 ns. 100 ns are 5 cycles; 50 ns are rounded to 2
    (set link_latency=2, endpoint_latency=2 and packet=1), in total 143 instead of 150 ns. A port's 390 packets are
    divided evenly among its virtual channels. The paper only says that the switch has buffers at inputs and outputs.
    The rest is our interpretation: virtual output queues, a crossbar of speedup 1 with maximal matching, and transit
    before new packets. Alternatives fit the paper worse: one queue per virtual channel loses too much at speedup 1;
    at speedup 2 every channel bound is reached, but the paper's larger Slim Fly misses its bound by 5%; without
    priority for transit, indirect random routing has less than half the throughput of minimal routing.

    Examples
    --------
    >>> str(DiameterTwo())
    'diameter-two'
    """
    def __new__(cls, *, vcs: int = 4) -> DiameterTwo: ...
