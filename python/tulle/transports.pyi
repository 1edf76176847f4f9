"""Typed specs of transports, for example ``Purified(window=16)``.

``tulle list transports`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from datetime import timedelta
from typing import Literal

from tulle.typed_specs import Spec

class Purified(Spec):
    """FatPaths: NDP with priority for retransmissions and changes of layer on trimming.

    Parameters
    ----------
    window
        Packets that a flow sends before the first pull. Legal: 1 to 65535.
    timeout
        Longest silence before unanswered packets are retransmitted; measured round trips make it shorter. Legal: 1us
        to 1s. Default: transmission time of 1000 full packets, at least 1ms.
    pace
        Rate at which receivers pull, as a fraction of the link rate. Legal: above 0 and at most 1, or a percentage.
    priority
        Whether switches send retransmissions before other data. Legal: yes, no.
    change
        Whether the receiver asks the flow to leave a layer whose packets arrive trimmed. Legal: yes, no.

    Notes
    -----
    Source: FatPaths §III-C, §V-F, §VII-A6; Handley et al., NDP, SIGCOMM 2017.

    Limitations: One acknowledgement per packet.

    Examples
    --------
    >>> str(Purified())
    'purified'
    """
    def __new__(
        cls,
        *,
        window: int = 8,
        timeout: str | timedelta | None = None,
        pace: float | str = 0.99,
        priority: bool = True,
        change: bool = True,
    ) -> Purified: ...

class NDP(Spec):
    """Receiver-driven transport over trimming switches.

    Parameters
    ----------
    window
        Packets that a flow sends before the first pull. Legal: 1 to 65535.
    timeout
        Longest silence before unanswered packets are retransmitted; measured round trips make it shorter. Legal: 1us
        to 1s. Default: transmission time of 1000 full packets, at least 1ms.
    pace
        Rate at which receivers pull, as a fraction of the link rate. Legal: above 0 and at most 1, or a percentage.

    Notes
    -----
    Source: Handley et al., Re-architecting datacenter networks and stacks for low latency and high performance
    (NDP), SIGCOMM 2017 §3.

    Limitations: No return to sender, no path penalties.

    Examples
    --------
    >>> str(NDP())
    'ndp'
    """
    def __new__(cls, *, window: int = 30, timeout: str | timedelta | None = None, pace: float | str = 0.99) -> NDP: ...

class TCP(Spec):
    """NewReno with selective acknowledgements.

    Parameters
    ----------
    window
        Packets that a flow sends before the first acknowledgement. Legal: 1 to 65535. Default: 2 to 4 by the size of
        packets (RFC 5681 §3.1).
    limit
        Limit of outstanding packets per connection (the receiver's window). Legal: 1 to 1048576.
    handshake
        Whether connections are opened by a handshake of one round trip. Legal: yes, no.
    rto_initial
        Retransmission timeout before the first measurement (RFC 6298 §2.1). Legal: 1us to 60s. Default: 1s; with
        handshake=no 10 times rto_min, at most rto_max.
    rto_min
        Minimum retransmission timeout (FatPaths, appendix D-C). Legal: 1us to 60s.
    rto_max
        Most that it backs off to (RFC 6298 §2.5). Legal: 1us to 3600s; rto_min or more.
    interrupt
        Minimum time between interrupts of an endpoint: 100 kHz (FatPaths §VII-A6); 0: an interrupt per packet.
        Legal: 0 to 10ms.
    software
        Time of the receiving software per packet. Legal: 0 to 10ms.
    jitter
        Most time that an endpoint takes, at random, before data that finds its link idle, and 1/1024 of it before
        other data (Floyd and Jacobson, 1992). Legal: 0 to 10ms. Default: as long as a full packet takes.
    unsent
        Bytes of a flow that may wait at its endpoint, one packet at least (TCP small queues: Dumazet, Linux commit
        46d3ceabd8d9, 2012); none: a window. Legal: 1B to 1TB, or none.
    change
        Whether a flow asks its selector for another layer when its window is reduced. Legal: yes, no.

    Notes
    -----
    Source: RFC 5681, RFC 6582, RFC 6675, RFC 6298; FatPaths §VII-A6, appendix D-C (timeouts, interrupts).

    Limitations: Counts packets, not bytes; acknowledges every packet; an acknowledgement carries one SACK block, not
    up to four (RFC 2018 §3), of at most 255 packets; no heed of marks, no closing handshake.

    Examples
    --------
    >>> str(TCP())
    'tcp'
    """
    def __new__(
        cls,
        *,
        window: int | None = None,
        limit: int = 1024,
        handshake: bool = True,
        rto_initial: str | timedelta | None = None,
        rto_min: str | timedelta = "200us",
        rto_max: str | timedelta = "60s",
        interrupt: str | timedelta = "10us",
        software: str | timedelta = "0",
        jitter: str | timedelta | None = None,
        unsent: int | str = "128KiB",
        change: bool = False,
    ) -> TCP: ...

class DCTCP(Spec):
    """TCP whose windows shrink by the share of marked packets; for queues that mark.

    Parameters
    ----------
    window
        Packets that a flow sends before the first acknowledgement. Legal: 1 to 65535. Default: 2 to 4 by the size of
        packets (RFC 5681 §3.1).
    limit
        Limit of outstanding packets per connection (the receiver's window). Legal: 1 to 1048576.
    handshake
        Whether connections are opened by a handshake of one round trip. Legal: yes, no.
    rto_initial
        Retransmission timeout before the first measurement (RFC 6298 §2.1). Legal: 1us to 60s. Default: 1s; with
        handshake=no 10 times rto_min, at most rto_max.
    rto_min
        Minimum retransmission timeout (FatPaths, appendix D-C). Legal: 1us to 60s.
    rto_max
        Most that it backs off to (RFC 6298 §2.5). Legal: 1us to 3600s; rto_min or more.
    interrupt
        Minimum time between interrupts of an endpoint: 100 kHz (FatPaths §VII-A6); 0: an interrupt per packet.
        Legal: 0 to 10ms.
    software
        Time of the receiving software per packet. Legal: 0 to 10ms.
    jitter
        Most time that an endpoint takes, at random, before data that finds its link idle, and 1/1024 of it before
        other data (Floyd and Jacobson, 1992). Legal: 0 to 10ms. Default: as long as a full packet takes.
    unsent
        Bytes of a flow that may wait at its endpoint, one packet at least (TCP small queues: Dumazet, Linux commit
        46d3ceabd8d9, 2012); none: a window. Legal: 1B to 1TB, or none.
    change
        Whether a flow asks its selector for another layer when its window is reduced. Legal: yes, no.
    gain
        Weight of the last window in the estimate of marks (g; RFC 8257 §4.2: 1/16). Legal: above 0 and at most 1, or
        a percentage.

    Notes
    -----
    Source: RFC 8257; Alizadeh et al., SIGCOMM 2010; FatPaths §VII-A6, §VIII-A1 (a reduction changes the layer).

    Limitations: As tcp. Every packet is acknowledged, so marks are echoed exactly and need no state (RFC 8257 §3.2).

    Examples
    --------
    >>> str(DCTCP())
    'dctcp'
    """
    def __new__(
        cls,
        *,
        window: int | None = None,
        limit: int = 1024,
        handshake: bool = True,
        rto_initial: str | timedelta | None = None,
        rto_min: str | timedelta = "200us",
        rto_max: str | timedelta = "60s",
        interrupt: str | timedelta = "10us",
        software: str | timedelta = "0",
        jitter: str | timedelta | None = None,
        unsent: int | str = "128KiB",
        change: bool = True,
        gain: float | str = 0.0625,
    ) -> DCTCP: ...

class MPTCP(Spec):
    """Several connections per flow, one per layer, with coupled windows.

    Parameters
    ----------
    window
        Packets that a flow sends before the first acknowledgement. Legal: 1 to 65535. Default: 2 to 4 by the size of
        packets (RFC 5681 §3.1).
    limit
        Limit of outstanding packets per connection (the receiver's window). Legal: 1 to 1048576.
    handshake
        Whether connections are opened by a handshake of one round trip. Legal: yes, no.
    rto_initial
        Retransmission timeout before the first measurement (RFC 6298 §2.1). Legal: 1us to 60s. Default: 1s; with
        handshake=no 10 times rto_min, at most rto_max.
    rto_min
        Minimum retransmission timeout (FatPaths, appendix D-C). Legal: 1us to 60s.
    rto_max
        Most that it backs off to (RFC 6298 §2.5). Legal: 1us to 3600s; rto_min or more.
    interrupt
        Minimum time between interrupts of an endpoint: 100 kHz (FatPaths §VII-A6); 0: an interrupt per packet.
        Legal: 0 to 10ms.
    software
        Time of the receiving software per packet. Legal: 0 to 10ms.
    jitter
        Most time that an endpoint takes, at random, before data that finds its link idle, and 1/1024 of it before
        other data (Floyd and Jacobson, 1992). Legal: 0 to 10ms. Default: as long as a full packet takes.
    unsent
        Bytes of a flow that may wait at its endpoint, one packet at least (TCP small queues: Dumazet, Linux commit
        46d3ceabd8d9, 2012); none: a window. Legal: 1B to 1TB, or none.
    subflows
        Connections per flow; connection s uses layer s modulo the number of layers. Legal: 1 to 8.
    stale
        Consecutive timeouts of a subflow after which other subflows also send its outstanding packets (Linux'
        stale_loss_cnt). Legal: 1 to 16.
    ecn
        Marks shrink a subflow's window once per round trip (FatPaths §VIII-A2). Legal: yes, no.
    gain
        Weight of the last window in the estimate of marks (g; RFC 8257 §4.2: 1/16). Legal: above 0 and at most 1, or
        a percentage.

    Notes
    -----
    Source: RFC 6356 §3 (linked increases), RFC 8684 (§3.3.6: data sent again on other subflows); FatPaths §VIII-A2
    (marks in place of losses).

    Limitations: As tcp. What is outstanding on a stale subflow is sent on others, too, and that subflow goes on
    trying. Subflows open over the first one's layer: while that is dead from the start the flow waits. The selector
    does not choose for data. The formula of §VIII-A2 is missing from the paper's text: marks are heeded as by DCTCP.

    Examples
    --------
    >>> str(MPTCP())
    'mptcp'
    """
    def __new__(
        cls,
        *,
        window: int | None = None,
        limit: int = 1024,
        handshake: bool = True,
        rto_initial: str | timedelta | None = None,
        rto_min: str | timedelta = "200us",
        rto_max: str | timedelta = "60s",
        interrupt: str | timedelta = "10us",
        software: str | timedelta = "0",
        jitter: str | timedelta | None = None,
        unsent: int | str = "128KiB",
        subflows: int = 4,
        stale: int = 4,
        ecn: bool = True,
        gain: float | str = 0.0625,
    ) -> MPTCP: ...

class DCQCN(Spec):
    """RoCE: go-back-N with rates that congestion notifications reduce; for lossless queues.

    Parameters
    ----------
    control
        Control the rate; if not, every flow sends at the rate of its link. Legal: yes, no.
    notice
        Minimum time between congestion notifications of a flow (N). Legal: 1us to 1s.
    gain
        Weight of a congestion notification in the estimate of congestion (g = 1/256). Legal: above 0 and at most 1,
        or a percentage.
    timer
        Time after which the estimate decays and the rate rises (K, T). Legal: 1us to 1s.
    counter
        Bytes sent after which the rate rises (B). Legal: 1KB to 1TB.
    step
        Additive increase of the target rate (R_AI). Legal: 1Kbps to 1Tbps.
    leap
        Hyper increase of the target rate (R_HAI), ten steps as in QCN. Legal: 1Kbps to 1Tbps.
    least
        Least rate of a flow. Legal: 1Kbps to 100Tbps; at most the link's. Default: 10Mbps, or the link's rate if
        that is lower.
    timeout
        Silence after which a flow goes back to its first unacknowledged packet; doubles each time. Legal: 1us to
        60s. Default: transmission time of 1000 full packets, at least 1ms.
    window
        Most packets in flight while a flow makes up for having gone back, halved each time it does; bdp: what the
        link sends in the shortest round trip measured. Legal: 1 to 1048576, or bdp.

    Notes
    -----
    Source: Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015 §3, §5.2; Flattened Clos
    §5, §6.2.

    Limitations: A rate that rises while a packet waits for its turn counts from the next one; every packet is
    acknowledged; before a flow first goes back nothing bounds what it has in flight.

    Examples
    --------
    >>> str(DCQCN())
    'dcqcn'
    """
    def __new__(
        cls,
        *,
        control: bool = True,
        notice: str | timedelta = "50us",
        gain: float | str = 0.00390625,
        timer: str | timedelta = "55us",
        counter: int | str = "10MB",
        step: str = "40Mbps",
        leap: str = "400Mbps",
        least: str | None = None,
        timeout: str | timedelta | None = None,
        window: Literal["bdp"] | int = "bdp",
    ) -> DCQCN: ...
