"""Typed specs of schemes that assign virtual channels, for example ``DFSSSP()``.

``tulle list deadlocks`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class OneVC(Spec):
    """One virtual channel, for routings without dependency cycles; for other routings, the error names a cycle.

    Parameters
    ----------
    vcs
        Virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them. Legal: 1
        to 255. Default: as many as needed.
    sls
        Service levels of the hardware; InfiniBand has 16. Legal: 1 to 255. Default: as many as needed.

    Notes
    -----
    Source: Flattened Clos (NSDI23) App. A.2, Theorem 7; Kathareios et al. (SC15) §3.4 (OFT and MLFM are free of
    deadlock under minimal routing).

    Limitations: Most routings of expanders and low-diameter networks have dependency cycles.

    Examples
    --------
    >>> str(OneVC())
    'one-vc'
    """
    def __new__(cls, *, vcs: int | None = None, sls: int | None = None) -> OneVC: ...

class Hops(Spec):
    """A virtual channel per hop: packets on hop h wait only for packets on hop h + 1.

    Parameters
    ----------
    vcs
        Virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them. Legal: 1
        to 255. Default: as many as needed.
    sls
        Service levels of the hardware; InfiniBand has 16. Legal: 1 to 255. Default: as many as needed.

    Notes
    -----
    Source: Besta and Hoefler: Slim Fly (SC14) §IV-D, after Gopal (1985); Kathareios et al. (SC15) §3.4 (2 virtual
    channels for minimal paths of Slim Fly).

    Limitations: The scheme needs as many virtual channels as the longest path has hops. Each switch must derive the
    next virtual channel from the one on which a packet arrives. InfiniBand switches cannot do this, because their
    SL-to-VL tables do not take that virtual channel into account.

    Examples
    --------
    >>> str(Hops())
    'hops'
    """
    def __new__(cls, *, vcs: int | None = None, sls: int | None = None) -> Hops: ...

class Phases(Spec):
    """For routes through an intermediate switch: one set of virtual channels before this switch, another set after it.

    Parameters
    ----------
    inner
        Scheme within each of the two phases. Legal: one-vc, hops, dfsssp, lash.
    vcs
        Virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them. Legal: 1
        to 255. Default: as many as needed.
    sls
        Service levels of the hardware; InfiniBand has 16. Legal: 1 to 255. Default: as many as needed.

    Notes
    -----
    Source: Kathareios et al. (SC15) §3.2 and §3.4: 2 virtual channels for OFT and MLFM, 4 for Slim Fly (inner=hops).

    Limitations: Packets change virtual channels at the intermediate switch, which can be any switch with endpoints.
    If switches of the hardware cannot change the virtual channel there, an endpoint at the intermediate switch must
    forward the packets.

    Examples
    --------
    >>> str(Phases())
    'phases'
    """
    def __new__(
        cls,
        *,
        inner: Literal["one-vc", "hops", "dfsssp", "lash"] = "one-vc",
        vcs: int | None = None,
        sls: int | None = None,
    ) -> Phases: ...

class DFSSSP(Spec):
    """One virtual channel per path: all paths start on the first; paths that could close a cycle there move to the
    next.

    Parameters
    ----------
    vcs
        Virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them. Legal: 1
        to 255. Default: as many as needed.
    sls
        Service levels of the hardware; InfiniBand has 16. Legal: 1 to 255. Default: as many as needed.
    first_vcs
        Virtual channels that only the first hops of paths use; packets enter them from endpoints, so first hops
        close no cycle. Legal: 1 to 15. Default: first hops share the virtual channels of other hops.

    Notes
    -----
    Source: Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies (IPDPS11); Slim Fly
    deployment (NSDI24) §5.2.

    Limitations: The scheme is a heuristic, because the minimum number of virtual channels is NP-hard to find. The
    authors of DFSSSP break every cycle at its weakest dependency. tulle also sorts the channels by a second
    heuristic (insertion), and uses the result with fewer virtual channels. If the paths have more than a million
    turns (pairs of consecutive channels), tulle uses insertion alone. The scheme needs 4 bytes of memory per path
    and turn (pair of consecutive channels).

    Examples
    --------
    >>> str(DFSSSP())
    'dfsssp'
    """
    def __new__(cls, *, vcs: int | None = None, sls: int | None = None, first_vcs: int | None = None) -> DFSSSP: ...

class LASH(Spec):
    """Each path stays on one virtual channel: the first one whose dependencies remain acyclic when the path is added.

    Parameters
    ----------
    vcs
        Virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them. Legal: 1
        to 255. Default: as many as needed.
    sls
        Service levels of the hardware; InfiniBand has 16. Legal: 1 to 255. Default: as many as needed.

    Notes
    -----
    Source: Skeie, Lysne, Theiss: Layered shortest path (LASH) routing in irregular system area networks (IPDPS02);
    Slim Fly deployment (NSDI24) §5.2 and its reference [40].

    Limitations: The scheme is a heuristic, because the minimum number of virtual channels is NP-hard to find. It
    uses the paths of any routing; the authors' LASH computes one shortest path per pair. The scheme needs 4 bytes of
    memory per path and turn (pair of consecutive channels).

    Examples
    --------
    >>> str(LASH())
    'lash'
    """
    def __new__(cls, *, vcs: int | None = None, sls: int | None = None) -> LASH: ...

class Colouring(Spec):
    """A set of virtual channels per hop, for paths of up to 3 hops; InfiniBand switches find the hop number from
    service level and ports.

    Parameters
    ----------
    vcs
        Virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them. Legal: 1
        to 255. Default: as many as needed.
    sls
        Service levels of the hardware; InfiniBand has 16. Legal: 1 to 255. Default: as many as needed.

    Notes
    -----
    Source: Blach et al.: A high-performance design, implementation, deployment, and evaluation of the Slim Fly
    network (NSDI24) §5.2.

    Limitations: In a layer, all paths from one switch to another must have the same second switch. Paths of more
    than 3 hops are shortened, which needs one next hop per switch and destination; a pair of switches more than 3
    hops apart is refused. The second and the third switch of a path of 3 hops get different colours, by a heuristic
    (DSATUR). Each colour needs a service level.

    Examples
    --------
    >>> str(Colouring())
    'colouring'
    """
    def __new__(cls, *, vcs: int | None = None, sls: int | None = None) -> Colouring: ...
