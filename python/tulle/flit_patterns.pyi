"""Typed specs of traffic patterns of the flit simulator, for example ``Uniform(self=False)``.

``tulle list flit-traffics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from tulle.typed_specs import Spec

class Uniform(Spec):
    """Every packet goes to a random endpoint.

    Parameters
    ----------
    self
        Allow packets from an endpoint to itself; they cross its switch. Legal: yes, no.

    Notes
    -----
    Source: Kathareios et al. (SC15) §4.3 (global uniform); Multi-Path Routing in the Jellyfish Network §IV
    (random-uniform).

    Limitations: All packets have the same size and are created by a Bernoulli process. For messages of different
    sizes use the packet simulator.

    Examples
    --------
    >>> str(Uniform())
    'uniform'
    """
    def __new__(cls, *, self: bool = True) -> Uniform: ...

class HotSpot(Spec):
    """A fraction of the packets goes to a few hot endpoints, the others to random endpoints.

    Parameters
    ----------
    share
        Fraction of the packets that go to hot endpoints. Legal: above 0 and at most 1, or a percentage.
    endpoints
        Number of hot endpoints, which are chosen at random. Legal: 1 to 1000000.

    Notes
    -----
    Source: Pfister, Norton: Hot spot contention and combining in multistage interconnection networks, IEEE ToC 1985.

    Limitations: All hot endpoints receive the same load, and they send like all other endpoints. With N endpoints, n
    hot endpoints, share=h and load λ, each hot endpoint is offered λ·(1 − h + h·N/n) flits per cycle. If this
    exceeds 1, the network saturates.

    Examples
    --------
    >>> str(HotSpot())
    'hot-spot'
    """
    def __new__(cls, *, share: float | str = 0.1, endpoints: int = 1) -> HotSpot: ...

class Bursts(Spec):
    """Endpoints send in bursts (on-off Markov sources) to the destinations of another traffic pattern.

    Parameters
    ----------
    length
        Mean length of a burst in cycles. Legal: 1 to 1000000.
    of
        Traffic that determines the destinations; in quotes if it contains commas. Legal: the spec of any traffic.

    Notes
    -----
    Source: Dally, Towles: Principles and practices of interconnection networks, §24.2.2 (Markov-modulated
    processes).

    Limitations: In a burst, an endpoint creates packets by a Bernoulli process, on average one flit per cycle.
    Between bursts it creates none. Burst lengths and pause lengths are geometrically distributed. A pause has at
    least one cycle, so at loads λ above length/(length + 1) bursts are longer: λ/(1 − λ) cycles on average.

    Examples
    --------
    >>> str(Bursts())
    'bursts'
    """
    def __new__(cls, *, length: int = 100, of: str = "uniform") -> Bursts: ...
