"""Typed specs of metrics of fabrics, for example ``Walks(hops=3)``.

``tulle list metrics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle.typed_specs import Spec

class Distances(Spec):
    """Lengths and numbers of shortest paths over all pairs of switches with endpoints.

    Notes
    -----
    Source: FatPaths §IV-B1 (minimal paths), App. B-A.

    Limitations: Counts all shortest paths; disjoint-paths:hops=shortest counts only disjoint shortest paths.

    Examples
    --------
    >>> str(Distances())
    'distances'
    """
    def __new__(cls) -> Distances: ...

class Walks(Spec):
    """Numbers of walks with a given number of hops between switches: powers of the adjacency matrix.

    Parameters
    ----------
    hops
        Hops of a walk, l. Legal: 0 to 64.

    Notes
    -----
    Source: FatPaths App. B-A, Theorem 1.

    Limitations: Walks may repeat switches and cables.

    Examples
    --------
    >>> str(Walks())
    'walks'
    """
    def __new__(cls, *, hops: int = 3) -> Walks: ...

class DisjointPaths(Spec):
    """Numbers of cable-disjoint paths between two switches (CDP), also divided by the network radix k'; the tail is the
    1% quantile.

    Parameters
    ----------
    hops
        Largest number of hops of a path (l in FatPaths); `shortest`: only shortest paths. Legal: 1 to 64, or
        shortest.
    mode
        Greedy count as in FatPaths, or the exact maximum. Legal: greedy, exact.
    pairs
        Number of random pairs, or all unordered pairs. Legal: 1 to 268435456, or all.

    Notes
    -----
    Source: FatPaths §IV-B1, Table IV, Fig. 7.

    Limitations: With mode=exact and 4 or more hops, some pairs get two bounds instead of a number; the value
    'proved' is the share of pairs whose two bounds are equal.

    Examples
    --------
    >>> str(DisjointPaths())
    'disjoint-paths'
    """
    def __new__(
        cls,
        *,
        hops: Literal["shortest"] | int = 3,
        mode: Literal["greedy", "exact"] = "greedy",
        pairs: Literal["all"] | int = "all",
    ) -> DisjointPaths: ...

class Interference(Spec):
    """Number of disjoint paths that two pairs of switches lose because they share cables (PI), also divided by the
    network radix k'; the tail is the 99.9% quantile.

    Parameters
    ----------
    hops
        Hop limit of a path, l. Legal: 1 to 64.
    mode
        Greedy count as in FatPaths, or the exact maximum. Legal: greedy, exact.
    quadruples
        Number of random quadruples, or all quadruples. Legal: 1 to 268435456, or all.

    Notes
    -----
    Source: FatPaths §IV-B2, Table IV, Fig. 8.

    Limitations: The greedy value includes errors of the greedy count. All quadruples are feasible up to about 180
    switches.

    Examples
    --------
    >>> str(Interference(mode='exact'))
    'interference:mode=exact'
    """
    def __new__(
        cls, *, hops: int = 3, mode: Literal["greedy", "exact"] = "greedy", quadruples: Literal["all"] | int = 10000
    ) -> Interference: ...

class Connectivity(Spec):
    """Edge connectivity of all pairs of switches, from the equivalent-flow tree.

    Notes
    -----
    Source: FatPaths App. B-B; Gusfield, SIAM J. Comput. 19(1), 1990.

    Limitations: Paths of any length count.

    Examples
    --------
    >>> str(Connectivity())
    'connectivity'
    """
    def __new__(cls) -> Connectivity: ...

class Rank(Spec):
    """Connectivity, within a hop limit or without one, as the rank of a random matrix over a prime field.

    Parameters
    ----------
    hops
        Hop limit of a path, l. Legal: 1 to 64, or any.
    disjoint
        What paths may not share. Legal: edges, vertices.
    pairs
        Number of pairs drawn. Legal: 1 to 1048576.

    Notes
    -----
    Source: FatPaths App. B-C, after Cheung, Lau and Leung.

    Limitations: With a hop limit above 3 the rank can exceed the maximum number of disjoint paths. The metric is
    slow, so use it for samples of pairs.

    Examples
    --------
    >>> str(Rank(hops=3, pairs=5))
    'rank:hops=3,pairs=5'
    """
    def __new__(
        cls, *, hops: Literal["any"] | int = "any", disjoint: Literal["edges", "vertices"] = "edges", pairs: int = 10
    ) -> Rank: ...

class Collisions(Spec):
    """Histogram of ordered pairs of switches by the number of messages between them in a traffic pattern.

    Parameters
    ----------
    traffic
        A traffic pattern; in quotes if it has commas. Legal: the spec of any traffic.
    pattern
        A pattern of FatPaths Fig. 4, on endpoints in random order; replaces the parameter traffic. Legal: none,
        permutation, off-diagonal, shuffle, 4-permutations, stencil.

    Notes
    -----
    Source: FatPaths §IV-A, Fig. 4.

    Limitations: Counts every message once, regardless of its size and start.

    Examples
    --------
    >>> str(Collisions(pattern='stencil'))
    'collisions:pattern=stencil'
    """
    def __new__(
        cls,
        *,
        traffic: str = "permutation",
        pattern: Literal["none", "permutation", "off-diagonal", "shuffle", "4-permutations", "stencil"] = "none",
    ) -> Collisions: ...

class Density(Spec):
    """Links per endpoint, radix, and the number of flows that fit without sharing a channel.

    Notes
    -----
    Source: FatPaths Fig. 19 (edge density), §IV-B3 (total network load).

    Limitations: The number of flows is an upper bound; it assumes shortest paths between switches with endpoints.

    Examples
    --------
    >>> str(Density())
    'density'
    """
    def __new__(cls) -> Density: ...

class Bisection(Spec):
    """The minimum number of cables between two halves of the endpoints: upper bound by METIS, lower bound by the
    spectrum.

    Parameters
    ----------
    tries
        Runs of METIS. Legal: 1 to 10000.

    Notes
    -----
    Source: Kathareios et al. (SC15) §2.3 (bisection by METIS).

    Limitations: Two bounds, no exact value; the upper bound comes from a heuristic. Needs tulle[partition].

    Examples
    --------
    >>> str(Bisection())
    'bisection'
    """
    def __new__(cls, *, tries: int = 20) -> Bisection: ...

class Spectrum(Spec):
    """Eigenvalues of the adjacency matrix, spectral gap, and bounds on the edge expansion.

    Notes
    -----
    Source: FatPaths §IV (expansion); Alon and Milman, J. Comb. Theory B 38, 1985.

    Limitations: Edge expansion has two bounds: half of the algebraic connectivity, and the best cut of a sweep.

    Examples
    --------
    >>> str(Spectrum())
    'spectrum'
    """
    def __new__(cls) -> Spectrum: ...

class Measures(Spec):
    """Disjoint paths, their interference, minimum cut (in cables) and throughput (in link rates) of x pairs of
    switches.

    Parameters
    ----------
    pairs
        Number of pairs, x: at most half of the switches with endpoints. Legal: 1 to 268435456, or half.
    hops
        Hop limit of a path, l. Legal: 1 to 64.
    mode
        Greedy count as in FatPaths, or the exact maximum. Legal: greedy, exact.
    draws
        Number of draws of x pairs. Legal: 1 to 10000.

    Notes
    -----
    Source: FatPaths §VIII-B, Fig. 18.

    Limitations: Values are means over random pairs; other pairs may have worse values. The throughput bounds differ
    by at most 5%.

    Examples
    --------
    >>> str(Measures(pairs=4))
    'measures:pairs=4'
    """
    def __new__(
        cls,
        *,
        pairs: Literal["half"] | int = "half",
        hops: int = 3,
        mode: Literal["greedy", "exact"] = "greedy",
        draws: int = 5,
    ) -> Measures: ...
