"""Typed specs of traffic patterns of the flit simulator, for example ``Uniform(self=False)``.

``tulle list flit-traffics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from tulle.typed_specs import Spec

class Uniform(Spec):
    """Every packet to an endpoint drawn at random.

    Parameters
    ----------
    self
        Whether an endpoint sends to itself, too, over its switch. Legal: yes, no.

    Notes
    -----
    Source: diameter-two §4.3 (global uniform); Jellyfish §IV (random-uniform).

    Limitations: Bernoulli arrivals of packets of one size; for messages of other sizes there is the packet
    simulator.

    Examples
    --------
    >>> str(Uniform())
    'uniform'
    """
    def __new__(cls, *, self: bool = True) -> Uniform: ...

class HotSpot(Spec):
    """A share of the packets to a few endpoints, the others to endpoints drawn at random.

    Parameters
    ----------
    share
        Of packets to hot endpoints. Legal: above 0 and at most 1, or a percentage.
    endpoints
        Hot ones, drawn under the seed. Legal: 1 to 1000000.

    Notes
    -----
    Source: Pfister, Norton: Hot spot contention and combining in multistage interconnection networks, IEEE ToC 1985.

    Limitations: The hot endpoints share their packets alike and send as all others do. With N endpoints, n of them
    hot, share h and load λ, λ·(1 − h + h·N/n) flits a cycle are offered to each hot one: above 1 the network
    saturates.

    Examples
    --------
    >>> str(HotSpot())
    'hot-spot'
    """
    def __new__(cls, *, share: float | str = 0.1, endpoints: int = 1) -> HotSpot: ...

class Bursts(Spec):
    """Endpoints that send in bursts: on-off Markov sources over the destinations of another traffic.

    Parameters
    ----------
    length
        Mean cycles of a burst. Legal: 1 to 1000000.
    of
        Where packets go; in quotes where it has commas. Legal: the spec of any traffic.

    Notes
    -----
    Source: Dally, Towles: Principles and practices of interconnection networks, §24.2.2 (Markov-modulated
    processes).

    Limitations: In a burst an endpoint creates a flit per cycle in the mean, its packets by a Bernoulli process;
    between bursts none. Lengths of bursts and pauses are geometric. A pause has at least a cycle: at loads λ above
    length/(length + 1) bursts are longer, λ/(1 − λ) cycles in the mean.

    Examples
    --------
    >>> str(Bursts())
    'bursts'
    """
    def __new__(cls, *, length: int = 100, of: str = "uniform") -> Bursts: ...
