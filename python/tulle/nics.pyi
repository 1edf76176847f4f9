"""Typed specs of the orders in which an endpoint's link serves its flows, for example ``FIFO()``.

``tulle list nics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from tulle.typed_specs import Spec

class RoundRobin(Spec):
    """The flows of an endpoint take turns at its link, packet by packet.

    Notes
    -----
    Source: Nagle, On Packet Switches with Infinite Storage, RFC 970 (1985); also used by hosts in csg-htsim
    (fair_prio) and Linux (fq).

    Limitations: A turn is one packet, even if the last packet of a flow is short.

    Examples
    --------
    >>> str(RoundRobin())
    'round-robin'
    """
    def __new__(cls) -> RoundRobin: ...

class FIFO(Spec):
    """Data of an endpoint's flows is sent first come, first served.

    Notes
    -----
    Source: common practice, no paper; like Linux's pfifo, but without a limit on the queue length.

    Limitations: A short flow waits for all data that long flows have queued earlier.

    Examples
    --------
    >>> str(FIFO())
    'fifo'
    """
    def __new__(cls) -> FIFO: ...
