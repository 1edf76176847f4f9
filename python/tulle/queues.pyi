"""Typed specs of queues of switch ports, for example ``Trim(packets=8)``.

``tulle list queues`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Trim(Spec):
    """Full queues trim packets to their headers and forward headers first.

    Parameters
    ----------
    packets
        Packets with payload per port, including the one being sent. Legal: 1 to 1048576.
    headers
        Headers and control packets per port, including the one being sent. Legal: 1 to 1073741824. Default: as many
        headers as fit into the memory for packets=.
    weight
        Consecutive headers and control packets after which a waiting packet is sent. Legal: 1 to 254.

    Notes
    -----
    Source: FatPaths §III-C, §VII-A6 (8 packets); Handley et al., NDP, SIGCOMM 2017 §3.1.

    Limitations: The queue counts packets, not bytes: a short last packet uses as much space as a full one.

    Examples
    --------
    >>> str(Trim())
    'trim'
    """
    def __new__(cls, *, packets: int = 8, headers: int | None = None, weight: int = 100) -> Trim: ...

class DropTail(Spec):
    """First come, first served; full queues drop arriving packets.

    Parameters
    ----------
    packets
        Memory per port in full-size packets, including the unsent part of the packet that is being sent. Legal: 1 to
        1048576.
    loss
        Probability that a switch port loses a packet regardless of its queue, for example because of a bad link.
        Legal: 0 to 1 or 0% to 100%.

    Notes
    -----
    Source: FatPaths §VII-A6 (tail drop, 100 packets per port).

    Limitations: The queue counts bytes: a short packet uses less space than a full-size packet. Control packets wait
    behind data, and priorities are ignored.

    Examples
    --------
    >>> str(DropTail())
    'droptail'
    """
    def __new__(cls, *, packets: int = 100, loss: float | str = 0) -> DropTail: ...

class ECN(Spec):
    """Drop tail that marks data if the queue is longer than a threshold.

    Parameters
    ----------
    packets
        Memory per port in full-size packets, including the unsent part of the packet that is being sent. Legal: 1 to
        1048576.
    mark
        A packet can be marked if more full-size packets than this wait before it. Legal: 0 to 1048576; at most
        packets. Default: 33, or a third of packets= if that is smaller.
    full
        Queue length in full-size packets at which the probability of a mark is chance=; beyond it every packet is
        marked. Legal: 0 to 1048576; mark= to packets=. Default: mark.
    chance
        Probability of a mark at the queue length full=. Legal: above 0 and at most 1, or a percentage.

    Notes
    -----
    Source: FatPaths §VII-A6 (more than 33 of 100 packets); RFC 3168; RFC 8257 §3.1; full= and chance=: Zhu et al.,
    DCQCN, SIGCOMM 2015 §3.1.

    Limitations: The queue length at a packet's arrival decides whether the packet is marked. Data of every transport
    is marked, even if the transport ignores marks.

    Examples
    --------
    >>> str(ECN())
    'ecn'
    """
    def __new__(
        cls, *, packets: int = 100, mark: int | None = None, full: int | None = None, chance: float | str = 1
    ) -> ECN: ...

class PFC(Spec):
    """Lossless switches: a full switch pauses its neighbours.

    Parameters
    ----------
    threshold
        Pause and resume thresholds: `dynamic` (a fraction of the free memory, Flattened Clos (NSDI23) §5),
        `recommended` (800KB and 797KB per link, §6.1), `testbed` (50KB and 47KB per link, §6.1) or `static` (xoff=
        and xon=). Legal: dynamic, recommended, testbed, static. Default: dynamic, or static if xoff= is given.
    xoff
        Waiting bytes from a link, counted per class or virtual lane, above which a switch pauses this class or lane.
        Legal: 1B to 1GB. Default: set by threshold=.
    xon
        Waiting bytes at which the pause ends. Legal: 0B to 1GB; at most xoff. Default: set by threshold=, or 3KB
        below xoff=.
    alpha
        With threshold=dynamic: fraction of the free memory that a class of a link may use (for virtual lanes, see
        lanes=). Legal: above 0 and at most 1, or a percentage.
    buffer
        With threshold=dynamic: shared memory of a switch, in bytes. Legal: 1KB to 1TB.
    headroom
        Bytes per link and class (or virtual lane) beyond the threshold; packets that do not fit are dropped. Legal:
        0B to 1GB. Default: the bytes that can arrive until a pause takes effect.
    control
        Treatment of acknowledgements and other control packets: `first` (before all data, neither counted nor
        paused) or `data` (like data that is not urgent: in the same queue, counted and paused). Legal: data, first.
    lanes
        Thresholds with virtual lanes: each of n lanes has 1/n of xoff= or alpha= (`divided`), or all of it
        (`whole`). Legal: divided, whole. Default: divided.
    mark
        Mark packets as DCQCN requires. Legal: yes, no.
    kmin
        Queue length in bytes at which marking begins (K_min). Legal: 0B to 1GB.
    kmax
        Queue length in bytes beyond which every packet is marked (K_max). Legal: 1B to 1GB; kmin or more. Default:
        200KB, or kmin if kmin is more.
    pmax
        Chance of a mark at kmax (P_max). Legal: above 0 and at most 1, or a percentage.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §2.1.1, §5 (11% of the free buffer, like HPCC), §6.1 (static thresholds), §6.2
    (marking like DCQCN); IEEE 802.1Qbb; memory of 32 MB: Li et al., HPCC, SIGCOMM 2019 §5.1; control=data:
    csg-htsim, LosslessInputQueue.

    Limitations: Pause frames do not wait for a packet that is being sent. Endpoints never pause switches. A packet
    uses memory while it waits, but not while it is being sent.

    Examples
    --------
    >>> str(PFC())
    'pfc'
    """
    def __new__(
        cls,
        *,
        threshold: Literal["dynamic", "recommended", "testbed", "static"] | None = None,
        xoff: int | str | None = None,
        xon: int | str | None = None,
        alpha: float | str = "11%",
        buffer: int | str = "32MB",
        headroom: int | str | None = None,
        control: Literal["data", "first"] = "first",
        lanes: Literal["divided", "whole"] | None = None,
        mark: bool = True,
        kmin: int | str = "5KB",
        kmax: int | str | None = None,
        pmax: float | str = "1%",
    ) -> PFC: ...
