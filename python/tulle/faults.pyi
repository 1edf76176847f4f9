"""Typed specs of faults during a packet simulation, for example ``Down(links="5%")``.

``tulle list faults`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from datetime import timedelta

from tulle.typed_specs import Spec

class Down(Spec):
    """Links or switches go down, and endpoints are notified.

    Parameters
    ----------
    links
        Cables that fail, in both directions; the id of a cable is the lower of its two channel ids. Legal: a
        fraction (5%), a count (3), ids (ids:7+19) or names (leaf1/3). Default: none.
    switches
        Switches that fail, with all their links, including the links to endpoints. Legal: a fraction (5%), a count
        (3), ids (ids:7+19) or names (leaf1/3). Default: none.
    at
        Time at which the cables and switches fail. Legal: 0 to 1000000s.
    until
        Time at which the cables and switches work again. Legal: 0 to 1000000s; after at. Default: never.
    detect
        Delay after which all endpoints are notified that links are down or up again. Legal: 0 to 1000000s.

    Notes
    -----
    Source: FatPaths §V-G (flows move to other layers); the detection delay is tulle's addition, because the paper
    leaves the detection of failures to other mechanisms.

    Limitations: All endpoints are notified at the same time. Switches continue to send to links that are down. Only
    selectors that choose paths in switches (recycle, ugal, ksp-adaptive, letflow) avoid these links in switches,
    after the detection delay. If a link comes back before this delay is over, endpoints never learn that it was
    down.

    Examples
    --------
    >>> str(Down(links='5%'))
    'down:links=5%'
    """
    def __new__(
        cls,
        *,
        links: str | None = None,
        switches: str | None = None,
        at: str | timedelta = "0",
        until: str | timedelta | None = None,
        detect: str | timedelta = "100us",
    ) -> Down: ...

class Drop(Spec):
    """Links or switches lose packets silently.

    Parameters
    ----------
    links
        Cables that fail, in both directions; the id of a cable is the lower of its two channel ids. Legal: a
        fraction (5%), a count (3), ids (ids:7+19) or names (leaf1/3). Default: none.
    switches
        Switches that fail, with all their links, including the links to endpoints. Legal: a fraction (5%), a count
        (3), ids (ids:7+19) or names (leaf1/3). Default: none.
    at
        Time at which the cables and switches fail. Legal: 0 to 1000000s.
    until
        Time at which the cables and switches work again. Legal: 0 to 1000000s; after at. Default: never.
    loss
        Fraction of the packets that each link loses; above 50%, the fault needs until= or the run needs a time
        limit. Legal: above 0 and at most 1, or a percentage.

    Notes
    -----
    Source: gray failures: Guo et al., Pingmesh, SIGCOMM 2015 §5 (silent drops, black holes).

    Limitations: Endpoints are not notified. A flow leaves lossy links only if its transport or selector changes
    paths anyway, for example after a loss or a flowlet gap.

    Examples
    --------
    >>> str(Drop(switches='1', loss='1%'))
    'drop:switches=1,loss=1%'
    """
    def __new__(
        cls,
        *,
        links: str | None = None,
        switches: str | None = None,
        at: str | timedelta = "0",
        until: str | timedelta | None = None,
        loss: float | str = "100%",
    ) -> Drop: ...
