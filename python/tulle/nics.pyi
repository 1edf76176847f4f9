"""Typed specs of orders of the flows at an endpoint's link, for example ``FIFO()``.

``tulle list nics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from tulle.typed_specs import Spec

class RoundRobin(Spec):
    """The flows of an endpoint take turns at its link, packet by packet.

    Notes
    -----
    Source: Nagle, On Packet Switches with Infinite Storage, RFC 970 (1985); as hosts of csg-htsim (fair_prio) and
    Linux (fq).

    Limitations: Turns are by packets, however short the last of a flow is.

    Examples
    --------
    >>> str(RoundRobin())
    'round-robin'
    """
    def __new__(cls) -> RoundRobin: ...

class FIFO(Spec):
    """What the flows of an endpoint send goes first come, first served.

    Notes
    -----
    Source: folklore; one queue without limit, as Linux' pfifo.

    Limitations: A short flow waits for all that long ones have handed over.

    Examples
    --------
    >>> str(FIFO())
    'fifo'
    """
    def __new__(cls) -> FIFO: ...
