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
        Buffer size in flits per VC. Legal: 1 to 4096.
    speedup
        Allocation steps per cycle. Legal: 1 to 4.
    allocator
        Allocator: separable (inputs first) or iSLIP (outputs grant, inputs accept); one iteration per step. Legal:
        separable, islip.
    credit
        Cycles from the arrival of a credit until it can be used. Legal: 0 to 64.
    delay
        Extra cycles from the arrival of a flit at a router until it is in the buffer, for example for routing;
        pipelined. Legal: 0 to 1000.
    route
        Cycles that a packet waits for its route at the head of its queue (BookSim2's routing_delay); not pipelined.
        Legal: 0 to 1000.
    inject
        VC of a new packet: round-robin over the VCs with room (BookSim2), or a random VC, drawn again each cycle
        until it has room. Legal: round-robin, random.

    Notes
    -----
    Source: Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, ISPASS 2013; McKeown: The
    iSLIP scheduling algorithm, IEEE/ACM ToN 1999; Multi-Path Routing in the Jellyfish Network §IV-A (speedup 2, 32
    flits).

    Limitations: At most 256 ports. Only the first packet of an input virtual channel takes part in allocation.
    Output queues are unbounded. There is no speculation. An output virtual channel is free again when the last flit
    of its packet has been granted the crossbar. Zero-load latency in cycles: (1 + d_endpoint) + P·routers + d·hops +
    d_endpoint, plus one cycle per further flit. d is the latency of links between switches, and d_endpoint that of
    links to endpoints. P is the number of cycles per router. With route=0, P = 1 + delay + ⌊2/speedup⌋ (with
    delay=0: 2 at speedup 2, 3 at speedup 1). Otherwise P = delay + route + ⌊3/speedup⌋, because the last cycle of
    the routing delay takes one allocation step, as in BookSim2.

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
    """Virtual cut-through of whole packets, with buffers at inputs and outputs and random arbitration (CAMINOS' basic
    router).

    Parameters
    ----------
    vcs
        Virtual channels per port. Legal: 1 to 16.
    buffer
        Buffer size in flits per input VC. Legal: 1 to 65535.
    output
        Buffer size in flits per output VC. Legal: 1 to 65535.
    delay
        Delay in cycles through the switch; pipelined. Legal: 0 to 1000.
    inject
        VC of a new packet: the first VC with room, or a random VC, drawn again each cycle until it has room. Legal:
        first, random.
    crossbar
        Speedup of the crossbar: maximum packets that an input port sends, and an output port accepts, at the same
        time; 0 means unlimited. Legal: 0 to 16.
    queues
        Queues of an input VC: one (fifo), or one per output port (voq: virtual output queues; needs a limited
        crossbar). Legal: voq, fifo.
    transit
        Priority in the crossbar: packets from other switches before packets from endpoints (first), or no priority
        (equal); needs a limited crossbar. Legal: first, equal.

    Notes
    -----
    Source: Camarero, Postigo, Fuentes: CAMINOS: A modular interconnection network simulator, 2023.

    Limitations: At most 256 ports. Links have a latency of at least one cycle. A buffer holds whole packets. Every
    output virtual channel accepts one packet at a time, from any input. A waiting packet requests a random virtual
    channel of its port every cycle. If no virtual channel of the port has room, the packet chooses a new random port
    for the next cycle. Each output virtual channel accepts a random one of its requests. With a limited crossbar,
    ports are matched at random every cycle until no more packets can cross. A virtual channel still sends and
    accepts one packet at a time. In a virtual output queue a packet keeps the port that it chose on arrival. With
    transit=first, packets from other switches can starve endpoints. Source queues are unbounded. Endpoints accept
    every packet. Zero-load latency in cycles: 2·d_endpoint + delay·routers + d·hops + the packet's flits − 1, where
    d is the latency of links between switches, and d_endpoint that of links to endpoints.

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
    """The switch of Kathareios et al. (SC15): virtual cut-through, 100 KB of buffers per port and direction, a delay of
    100 ns.

    Parameters
    ----------
    vcs
        Virtual channels per port. Legal: 1 to 16.

    Notes
    -----
    Source: Kathareios et al. (SC15) §4.1: 100 KB of buffers per port and direction, a switch delay of 100 ns, links
    of 100 Gb/s and 50 ns, packets of 256 bytes.

    Limitations: A cycle is the time of a 256-byte packet at 100 Gb/s: 20.48 ns. The switch delay of 100 ns takes 5
    cycles. The link latency of 50 ns is rounded to 2 cycles (set link_latency=2, endpoint_latency=2 and packet=1).
    Switch and link together take 143 ns instead of 150 ns. A port's 390 packets are divided evenly among its virtual
    channels. The paper only says that the switch has buffers at inputs and outputs. The rest is our interpretation:
    virtual output queues, a crossbar of speedup 1 with maximal matching, and priority for packets from other
    switches. One queue per virtual channel loses too much throughput at speedup 1. At speedup 2 the Slim Fly with p
    = 9 accepts 0.99 of uniform traffic; in the paper it accepts 0.96 to 0.98.

    Examples
    --------
    >>> str(DiameterTwo())
    'diameter-two'
    """
    def __new__(cls, *, vcs: int = 4) -> DiameterTwo: ...
