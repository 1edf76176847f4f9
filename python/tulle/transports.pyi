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
        Time without an answer after which unanswered packets are retransmitted; measured round-trip times shorten
        it, and consecutive timeouts double it, up to a limit. Legal: 1us to 1s. Default: transmission time of 1000
        full packets, 1ms to 1s.
    pace
        Rate at which receivers pull, as a fraction of the link rate. Legal: above 0 and at most 1, or a percentage.
    priority
        Whether switches send retransmissions before other data. Legal: yes, no.
    change
        Whether the receiver asks the flow to leave a layer if packets of this layer arrive trimmed. Legal: yes, no.

    Notes
    -----
    Source: FatPaths §III-C, §V-F, §VII-A6; Handley et al., NDP, SIGCOMM 2017.

    Limitations: Every packet is acknowledged separately.

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
        Time without an answer after which unanswered packets are retransmitted; measured round-trip times shorten
        it, and consecutive timeouts double it, up to a limit. Legal: 1us to 1s. Default: transmission time of 1000
        full packets, 1ms to 1s.
    pace
        Rate at which receivers pull, as a fraction of the link rate. Legal: above 0 and at most 1, or a percentage.

    Notes
    -----
    Source: Handley et al., Re-architecting datacenter networks and stacks for low latency and high performance
    (NDP), SIGCOMM 2017 §3.

    Limitations: Return-to-sender and path penalties are not implemented.

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
        Packets that a connection sends before the first acknowledgement. Legal: 1 to 65535. Default: 2 to 4,
        depending on the packet size (RFC 5681 §3.1).
    limit
        Limit of outstanding packets per connection (the receiver's window). Legal: 1 to 1048576.
    handshake
        Whether connections are opened by a handshake of one round trip. Legal: yes, no.
    rto_initial
        Retransmission timeout before the first measurement (RFC 6298 §2.1). Legal: 1us to 60s. Default: 1s; with
        handshake=no 10 times rto_min, at most rto_max and 1s.
    rto_min
        Minimum retransmission timeout (FatPaths, appendix D-C). Legal: 1us to 60s.
    rto_max
        Maximum retransmission timeout after exponential back-off (RFC 6298 §2.5). Legal: 1us to 3600s; rto_min or
        more.
    interrupt
        Minimum time between interrupts of an endpoint; 10us is 100 kHz (FatPaths §VII-A6); 0: one interrupt per
        packet. Legal: 0 to 10ms.
    software
        Time of the receiving software per packet. Legal: 0 to 10ms.
    jitter
        Maximum random delay before an endpoint sends data over an idle link; other data is delayed by at most 1/1024
        of this delay (Floyd and Jacobson, 1992). Legal: 0 to 10ms. Default: the transmission time of a full packet.
    unsent
        Limit of a flow's bytes that wait at its endpoint, at least one packet (TCP small queues: Dumazet, Linux
        commit 46d3ceabd8d9, 2012); none: only the window limits these bytes. Legal: 1B to 1TB, or none.
    change
        Whether a flow asks its selector for another layer when its window is reduced. Legal: yes, no.

    Notes
    -----
    Source: RFC 5681, RFC 6582, RFC 6675, RFC 6298; FatPaths §VII-A6, appendix D-C (timeouts, interrupts).

    Limitations: Windows count packets, not bytes. Every packet is acknowledged. An acknowledgement carries one SACK
    block of at most 255 packets, not up to four blocks (RFC 2018 §3). Congestion marks are ignored. There is no
    closing handshake.

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
    """TCP whose windows shrink with the fraction of marked packets; for queues that mark packets.

    Parameters
    ----------
    window
        Packets that a connection sends before the first acknowledgement. Legal: 1 to 65535. Default: 2 to 4,
        depending on the packet size (RFC 5681 §3.1).
    limit
        Limit of outstanding packets per connection (the receiver's window). Legal: 1 to 1048576.
    handshake
        Whether connections are opened by a handshake of one round trip. Legal: yes, no.
    rto_initial
        Retransmission timeout before the first measurement (RFC 6298 §2.1). Legal: 1us to 60s. Default: 1s; with
        handshake=no 10 times rto_min, at most rto_max and 1s.
    rto_min
        Minimum retransmission timeout (FatPaths, appendix D-C). Legal: 1us to 60s.
    rto_max
        Maximum retransmission timeout after exponential back-off (RFC 6298 §2.5). Legal: 1us to 3600s; rto_min or
        more.
    interrupt
        Minimum time between interrupts of an endpoint; 10us is 100 kHz (FatPaths §VII-A6); 0: one interrupt per
        packet. Legal: 0 to 10ms.
    software
        Time of the receiving software per packet. Legal: 0 to 10ms.
    jitter
        Maximum random delay before an endpoint sends data over an idle link; other data is delayed by at most 1/1024
        of this delay (Floyd and Jacobson, 1992). Legal: 0 to 10ms. Default: the transmission time of a full packet.
    unsent
        Limit of a flow's bytes that wait at its endpoint, at least one packet (TCP small queues: Dumazet, Linux
        commit 46d3ceabd8d9, 2012); none: only the window limits these bytes. Legal: 1B to 1TB, or none.
    change
        Whether a flow asks its selector for another layer when its window is reduced. Legal: yes, no.
    gain
        Weight of the last window in the estimate of marks (g; RFC 8257 §4.2: 1/16). Legal: above 0 and at most 1, or
        a percentage.

    Notes
    -----
    Source: RFC 8257; Alizadeh et al., SIGCOMM 2010; FatPaths §VII-A6, §VIII-A1 (a reduction changes the layer).

    Limitations: The limitations of tcp apply, except that congestion marks are used. Every packet is acknowledged,
    so marks are echoed exactly and the receiver needs no state (RFC 8257 §3.2).

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
    """Several connections per flow, spread over the layers, with coupled windows.

    Parameters
    ----------
    window
        Packets that a connection sends before the first acknowledgement. Legal: 1 to 65535. Default: 2 to 4,
        depending on the packet size (RFC 5681 §3.1).
    limit
        Limit of outstanding packets per connection (the receiver's window). Legal: 1 to 1048576.
    handshake
        Whether connections are opened by a handshake of one round trip. Legal: yes, no.
    rto_initial
        Retransmission timeout before the first measurement (RFC 6298 §2.1). Legal: 1us to 60s. Default: 1s; with
        handshake=no 10 times rto_min, at most rto_max and 1s.
    rto_min
        Minimum retransmission timeout (FatPaths, appendix D-C). Legal: 1us to 60s.
    rto_max
        Maximum retransmission timeout after exponential back-off (RFC 6298 §2.5). Legal: 1us to 3600s; rto_min or
        more.
    interrupt
        Minimum time between interrupts of an endpoint; 10us is 100 kHz (FatPaths §VII-A6); 0: one interrupt per
        packet. Legal: 0 to 10ms.
    software
        Time of the receiving software per packet. Legal: 0 to 10ms.
    jitter
        Maximum random delay before an endpoint sends data over an idle link; other data is delayed by at most 1/1024
        of this delay (Floyd and Jacobson, 1992). Legal: 0 to 10ms. Default: the transmission time of a full packet.
    unsent
        Limit of a flow's bytes that wait at its endpoint, at least one packet (TCP small queues: Dumazet, Linux
        commit 46d3ceabd8d9, 2012); none: only the window limits these bytes. Legal: 1B to 1TB, or none.
    subflows
        Subflows per flow; subflow s uses layer s modulo the number of layers; if the routing sets weights, subflows
        use layers in turn by their weights. Legal: 1 to 8.
    stale
        Consecutive timeouts of a subflow after which other subflows also send its outstanding packets (Linux'
        stale_loss_cnt). Legal: 1 to 16.
    ecn
        Whether marks shrink a subflow's window, once per round trip (FatPaths §VIII-A2). Legal: yes, no.
    gain
        Weight of the last window in the estimate of marks (g; RFC 8257 §4.2: 1/16). Legal: above 0 and at most 1, or
        a percentage.

    Notes
    -----
    Source: RFC 6356 §3 (linked increases), RFC 8684 (§3.3.6: data sent again on other subflows); FatPaths §VIII-A2
    (marks instead of losses).

    Limitations: The limitations of tcp apply, except that congestion marks are used. The outstanding packets of a
    stale subflow are also sent on other subflows, and the stale subflow continues to retry. Opening packets of all
    subflows take the same path of layer 0, or the same explicit path. If this path is down when the flow starts, the
    flow waits until its endpoint is notified of the failure or the path works again. With several subflows, the
    selector does not choose layers for data. The formula of FatPaths §VIII-A2 is missing from the paper's text, so a
    subflow reacts to marks as in DCTCP.

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
        Whether congestion notifications control the rate of flows; if not, every flow sends at the rate of its link.
        Legal: yes, no.
    notice
        Minimum time between congestion notifications of a flow (N). Legal: 1us to 1s.
    gain
        Weight of a congestion notification in the estimate of congestion (g = 1/256). Legal: above 0 and at most 1,
        or a percentage.
    timer
        Time after which the estimate of congestion decays and the rate rises (K, T). Legal: 1us to 1s.
    counter
        Bytes sent after which the rate rises (B). Legal: 1KB to 1TB.
    step
        Additive increase of the target rate (R_AI). Legal: 1Kbps to 1Tbps.
    leap
        Hyper increase of the target rate (R_HAI); the default is ten times that of step=, as in QCN. Legal: 1Kbps to
        1Tbps.
    least
        Minimum rate of a flow. Legal: 1Kbps to 100Tbps; at most the link's. Default: 10Mbps, or the link's rate if
        that is lower.
    timeout
        Time without progress after which a flow goes back to its first unacknowledged packet; doubles with every
        consecutive timeout. Legal: 1us to 60s. Default: transmission time of 1000 full packets, 1ms to 60s.
    window
        Limit of packets in flight while a flow recovers after going back; a gap halves the limit, and a timeout
        reduces it to 1; bdp: the packets that the link sends in the shortest measured round trip. Legal: 1 to
        1048576, or bdp.

    Notes
    -----
    Source: Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015 §3, §5.2; Flattened Clos
    (NSDI23) §5, §6.2.

    Limitations: If the rate rises while a packet waits for its turn, the new rate applies only to the following
    packet. Every packet that arrives in order is acknowledged. Packets in flight are not limited until the flow goes
    back to an earlier packet for the first time.

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
