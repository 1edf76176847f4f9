"""Typed specs of routing schemes, for example ``Random(layers=9, rho=0.6)``.

``tulle list routings`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from collections.abc import Sequence
from typing import Literal

from tulle.typed_specs import Spec

class Minimal(Spec):
    """One layer of all shortest next hops, as OSPF with ECMP installs them.

    Parameters
    ----------
    weight
        Metric that paths minimise: hops, or the sum of link latencies or costs. Legal: hops, latency, cost.

    Notes
    -----
    Source: FatPaths §VII-A3 (the ECMP baseline); Kathareios et al. (SC15) §3.1; weight=latency: the routing function
    min of BookSim2 on anynet, which uses only one of the next hops; weight=cost: OSPF (RFC 2328 §16).

    Limitations: In low-diameter fabrics, most pairs have only one shortest path, and the scheme minimal uses no
    other paths. weight=latency needs the latency of every link between switches; among paths of equal latency over
    links of latency 0, it uses the paths with fewer hops. weight=cost needs the cost of every such link, in both
    directions.

    Examples
    --------
    >>> str(Minimal())
    'minimal'
    """
    def __new__(cls, *, weight: Literal["hops", "latency", "cost"] = "hops") -> Minimal: ...

class Hierarchical(Spec):
    """Local, global, local: one layer of all next hops on the paths with the fewest global cables and, among these, the
    fewest hops.

    Notes
    -----
    Source: Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1 (minimal routing);
    Shpiner et al.: Dragonfly+ (HiPINEB17).

    Limitations: The fabric must have groups joined by cables of class global, as dragonfly and megafly do. A path
    has two global cables only if one is not enough; the scheme minimal uses two global cables in a row if this saves
    a hop. If failures cut all cables between two groups, paths take as many global cables as they need.

    Examples
    --------
    >>> str(Hierarchical())
    'hierarchical'
    """
    def __new__(cls) -> Hierarchical: ...

class Balanced(Spec):
    """One shortest path per pair and layer, chosen so that all links carry about equally many routes.

    Parameters
    ----------
    layers
        Number of layers n; each layer uses other shortest paths, if a pair has several. Legal: 1 to 255.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §5.2, the DFSSSP baseline (reference [36] of this paper); Hoefler et al.,
    HotI 2009.

    Limitations: The scheme uses minimal paths only. Destinations are routed one after another in random order, so
    early destinations see links with less load. Weights count routes between endpoints, not the traffic of an
    application.

    Examples
    --------
    >>> str(Balanced())
    'balanced'
    """
    def __new__(cls, *, layers: int = 1) -> Balanced: ...

class Random(Spec):
    """One layer with all links and further layers with a random share of the links; shortest paths within each layer.

    Parameters
    ----------
    layers
        Number of layers n, including the layer of all links. Legal: 1 to 255.
    rho
        Share ρ of the cables that each further layer contains. Legal: above 0 and at most 1, or a percentage.
    sampling
        Exact: ⌊ρ·cables⌋ cables per layer; bernoulli: each cable with probability ρ. Legal: exact, bernoulli.
    acyclic
        Whether a layer uses each cable in one direction only, from the earlier to the later switch in a random order
        of the switches. Legal: true, false.

    Notes
    -----
    Source: FatPaths §V-B2, Listing 1; one next hop drawn from the shortest ones, §V-C.

    Limitations: Layers may overlap, because paths are not made disjoint. With acyclic=false, a layer is drawn again
    until it is connected. In acyclic layers, about half of the pairs, or more, have no path and use their path in
    layer 0.

    Examples
    --------
    >>> str(Random(layers=1))
    'random:layers=1'
    """
    def __new__(
        cls,
        *,
        layers: int = 9,
        rho: float | str = 0.6,
        sampling: Literal["exact", "bernoulli"] = "exact",
        acyclic: bool = False,
    ) -> Random: ...

class LowOverlap(Spec):
    """One layer of all links and further layers, acyclic or not, whose paths have given lengths and overlap little.

    Parameters
    ----------
    layers
        Number of layers n, including the layer of all links. Legal: 1 to 255.
    min_hops
        Minimum hops of a placed path (L_min); with the diameter plus 1, layers have non-minimal paths. Legal: 2 to
        6.
    max_hops
        Maximum hops of a placed path (L_max). Legal: 2 to 6. Default: min_hops.
    paths
        Maximum number of paths placed per layer (M). Legal: 1 to 4294967295, or all.
    acyclic
        Whether a layer uses each cable in one direction only, from the earlier to the later switch in a random order
        of the switches. Legal: true, false.

    Notes
    -----
    Source: FatPaths §V-B3, Listing 2; one next hop drawn from the shortest ones, §V-C.

    Limitations: By default, a layer uses each link in one direction only, from the earlier to the later switch in a
    random order of the switches. About half of the pairs, or more, then have no path in a layer and use their path
    in layer 0, so few pairs gain disjoint paths. With acyclic=false, links are used in both directions. Many placed
    paths then make layers alike; with a fifth as many paths as cables, layers stay different. Routes follow shortest
    paths over the links of the layer, which may be shorter or longer than the placed paths.

    Examples
    --------
    >>> str(LowOverlap(layers=4))
    'low-overlap:layers=4'
    """
    def __new__(
        cls,
        *,
        layers: int = 9,
        min_hops: int = 3,
        max_hops: int | None = None,
        paths: Literal["all"] | int = "all",
        acyclic: bool = True,
    ) -> LowOverlap: ...

class AlmostMinimal(Spec):
    """One layer of minimal paths and further layers of longer paths with given numbers of hops, balanced over the
    links.

    Parameters
    ----------
    layers
        Number of layers n, including the minimal one. Legal: 1 to 255.
    lengths
        Hops that the paths of the further layers may have; only paths longer than the shortest path of their pair
        are used. Legal: sizes joined by x, each 2 to 6; ascending.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §4.3, Algorithm 1, and App. B.1.

    Limitations: The scheme is greedy: the paths of early pairs restrict those of later pairs. If a layer has no path
    of a given length for a pair, the pair gets a minimal path in this layer. Fixed next hops of other paths may
    lengthen it, but to at most the longest given length, or the diameter if that is larger. Pairs of switches
    without endpoints get no longer paths of their own. Time grows with the network radix to the power of the longest
    length minus one.

    Examples
    --------
    >>> str(AlmostMinimal(layers=4))
    'almost-minimal:layers=4'
    """
    def __new__(cls, *, layers: int = 4, lengths: int | str | Sequence[int] = 3) -> AlmostMinimal: ...

class Spread(Spec):
    """Layers that enter every destination over different cables and share few cables per pair, by local search; layer 0
    is minimal.

    Parameters
    ----------
    layers
        Number of layers n, including the minimal one. Legal: 1 to 64.
    limit
        Maximum hops of a path, as a number (pairs farther apart take minimal paths) or as minimal plus a number;
        auto: per distance of a pair, the smallest limit that leaves enough disjoint paths for the layers. Legal: 1
        to 254, minimal+1 to minimal+9, or auto.
    aim
        Goal for each pair: few paths on each cable (throughput), or disjoint paths, at least three if possible
        (disjoint). Legal: throughput, disjoint.
    effort
        Maximum number of rounds of local search; each round visits all destinations. Legal: 0 to 1000.

    Notes
    -----
    Source: designed for tulle; its aims are about k' disjoint almost-minimal paths per pair (FatPaths §IV, Fig. 11),
    and at least three of them (Slim Fly deployment (NSDI24) §4.2).

    Limitations: The scheme is a heuristic without a bound on its distance from the optimum. It balances links over
    pairs of switches, not over endpoints. Its layers need virtual channels to be free of deadlock. With more than
    800 switches the search examines less: twelve ports of a switch at a time, or as many as layers, and fewer
    rounds; with 1,458 switches or more, one round.

    Examples
    --------
    >>> str(Spread())
    'spread'
    """
    def __new__(
        cls,
        *,
        layers: int = 4,
        limit: str = "auto",
        aim: Literal["throughput", "disjoint"] = "throughput",
        effort: int = 8,
    ) -> Spread: ...

class SpreadGroups(Spec):
    """Layers with several next hops per destination: nearer to it, at the same distance, and at some switches farther
    away.

    Parameters
    ----------
    layers
        Number of layers n; with several layers, none of them is minimal. Legal: 1 to 16.
    limit
        Maximum hops of a path; auto: twice the diameter plus one. Legal: 1 to 254, or auto.
    share
        Target number of disjoint paths from a switch to every other switch, as a fraction of its ports. Legal: above
        0 and at most 1, or a percentage.
    effort
        Maximum number of rounds of raising switches, to give them more disjoint paths. Legal: 0 to 1000.
    shares
        Total number of shares for the layers of a pair, and for the ports of a group; they are divided so that loads
        are as equal as possible; none: all shares are equal. Legal: 16 to 255, or none.

    Notes
    -----
    Source: designed for tulle; its aim is about k' disjoint almost-minimal paths per pair (FatPaths §IV, Fig. 11) in
    few tables.

    Limitations: The switches must support equal-cost groups; InfiniBand's tables hold one port per destination. Of
    the deadlock schemes, dfsssp needs more virtual channels than hardware has, and hops needs one per hop. The
    routing is a heuristic without a bound on its distance from the optimum. Weights do not depend on the traffic.
    With more than 800 switches the search examines less: one round raises the switches that lack more than an eighth
    of their paths because too few ports lead to lower neighbours.

    Examples
    --------
    >>> str(SpreadGroups())
    'spread-groups'
    """
    def __new__(
        cls,
        *,
        layers: int = 4,
        limit: Literal["auto"] | int = "auto",
        share: float | str = 0.65,
        effort: int = 2,
        shares: Literal["none"] | int = "none",
    ) -> SpreadGroups: ...

class SPAIN(Spec):
    """One layer of all links and one per VLAN: disjoint paths per destination, coloured and merged into forests.

    Parameters
    ----------
    paths
        Number of paths k per pair of switches: as disjoint as possible, and then as short as possible. Legal: 1 to
        16.
    layers
        Maximum number of layers n, including the layer of all links; the VLANs that connect the most pairs are kept.
        Legal: 1 to 4095, or all.

    Notes
    -----
    Source: FatPaths appendix C-B, Listing 4; Mudigonda et al.: SPAIN, NSDI 2010.

    Limitations: In low-diameter fabrics, the scheme needs about as many VLANs as the fabric has switches, and a
    table for each VLAN; with fewer layers, paths are lost. Merging is greedy in random order. In a VLAN, pairs that
    it does not connect use their path in layer 0. Ties between paths are broken in the same way for all sources of a
    destination, which needs fewer colours.

    Examples
    --------
    >>> str(SPAIN())
    'spain'
    """
    def __new__(cls, *, paths: int = 3, layers: Literal["all"] | int = "all") -> SPAIN: ...

class PAST(Spec):
    """One spanning tree per destination, breadth-first from the destination or (valiant) from a random switch.

    Parameters
    ----------
    trees
        Bfs: ties go to the first switch found; random: ties are drawn uniformly; weighted: a switch is drawn less
        often if it already has many endpoints below it in earlier trees; valiant: random trees from random switches.
        Legal: bfs, random, weighted, valiant.
    layers
        Addresses per switch, each with its own tree; each layer holds one address of every switch. Legal: 1 to 255.

    Notes
    -----
    Source: FatPaths appendix C-C, Listing 5; Stephens et al.: PAST, CoNEXT 2012.

    Limitations: PAST has a tree per host. In tulle a switch has as many trees as layers, and its hosts share them.
    The trees of bfs are the same in all layers. The trees of valiant are not minimal, not even in layer 0.

    Examples
    --------
    >>> str(PAST())
    'past'
    """
    def __new__(cls, *, trees: Literal["bfs", "random", "weighted", "valiant"] = "random", layers: int = 1) -> PAST: ...

class UpDown(Spec):
    """Up to the nearest common ancestor and then down, in trees, Clos networks and other fabrics with levels.

    Parameters
    ----------
    choice
        Choice among equally good next hops: by the number of the destination (dmodk, D-mod-k), at random, or all of
        them (ECMP). Legal: dmodk, random, all.
    layers
        Number of layers n, each with other choices; with dmodk, a layer is one address of every switch. Legal: 1 to
        255.
    levels
        Source of the levels: the fabric (given), the roles or the names of switches, or the hops to the nearest
        switch with endpoints (distance); auto: the first of these sources that gives different levels to the two
        switches of every cable. Legal: auto, given, roles, names, distance.

    Notes
    -----
    Source: Kathareios et al. (SC15) §3, FatPaths §VII-A3 (fat trees); D-mod-k: Zahavi, Fat-tree routing and node
    ordering providing contention free traffic for MPI global collectives, JPDC 2012.

    Limitations: A packet goes down if the switch has the destination below it, otherwise up. So paths between
    switches with endpoints are up-down paths and cannot deadlock. Toward switches without endpoints (spines) to
    which no up-down path leads, packets take the shortest way to a switch where one begins. In a layer, D-mod-k
    routes the traffic of all sources to a switch over one ancestor: it balances links only if there are as many
    layers as a switch has endpoints. Levels by roles and names need a known word for every switch: tor, access,
    edge; leaf; aggregation; spine; core, superspine.

    Examples
    --------
    >>> str(UpDown())
    'updown'
    """
    def __new__(
        cls,
        *,
        choice: Literal["dmodk", "random", "all"] = "dmodk",
        layers: int = 1,
        levels: Literal["auto", "given", "roles", "names", "distance"] = "auto",
    ) -> UpDown: ...

class EDST(Spec):
    """Edge-disjoint spanning trees, one per layer: no two layers share a link, and no layer can deadlock.

    Parameters
    ----------
    trees
        Number of edge-disjoint trees; all: as many as the fabric has, at most ⌊s/2⌋ if a switch has s network ports.
        Legal: 1 to 255, or all.
    seeded
        Initial trees: none, or breadth-first trees over the remaining links, which shorten the paths. Legal: none,
        bfs.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §4.1, the EDST baseline (edge-disjoint spanning trees by matroid union;
    references [42, 43, 47, 48] of this paper).

    Limitations: No layer contains all minimal paths, and paths are long, because the trees' height is not minimised.

    Examples
    --------
    >>> str(EDST())
    'edst'
    """
    def __new__(cls, *, trees: Literal["all"] | int = "all", seeded: Literal["none", "bfs"] = "none") -> EDST: ...

class KSP(Spec):
    """k shortest simple paths per pair; ties go to the switches with the lowest ids.

    Parameters
    ----------
    k
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §II, Fig. 2 (Yen, with candidates kept from round to round);
    FatPaths App. C-D.

    Limitations: The fixed tie rule favours switches with low ids: paths of a pair share cables, and the load on
    links is uneven. Paths that differ only in a parallel cable count as different paths. A pair has fewer than k
    paths if there are no more.

    Examples
    --------
    >>> str(KSP(k=8))
    'ksp:k=8'
    """
    def __new__(cls, *, k: int = 8) -> KSP: ...

class RKSP(Spec):
    """k shortest simple paths per pair; ties are broken at random.

    Parameters
    ----------
    k
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-A (rKSP).

    Limitations: Paths of a pair may share cables. All choices among equally long paths are equally likely (the
    paper's Dijkstra with random next hops leaves the distribution open). If a pair has too many of these paths to
    list, paths are grown from random next hops, which is not uniform. A pair has fewer than k paths if there are no
    more.

    Examples
    --------
    >>> str(RKSP(k=8))
    'rksp:k=8'
    """
    def __new__(cls, *, k: int = 8) -> RKSP: ...

class EDKSP(Spec):
    """k edge-disjoint paths per pair, each a shortest path over the remaining cables; ties go to the switches with the
    lowest ids.

    Parameters
    ----------
    k
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-A (EDKSP, by removing and finding).

    Limitations: The scheme is greedy: a short path may block two other paths, so a pair may have more disjoint paths
    than the scheme finds (the scheme disjoint finds the maximum). The fixed tie rule puts more load on switches with
    low ids.

    Examples
    --------
    >>> str(EDKSP(k=8))
    'edksp:k=8'
    """
    def __new__(cls, *, k: int = 8) -> EDKSP: ...

class REDKSP(Spec):
    """k edge-disjoint paths per pair, each a shortest path over the remaining cables; ties are broken at random.

    Parameters
    ----------
    k
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §III-A (rEDKSP).

    Limitations: The scheme is greedy, like edksp. Every next hop on a shortest path is equally likely, so shortest
    paths through switches with few continuations are more likely than others.

    Examples
    --------
    >>> str(REDKSP(k=8))
    'redksp:k=8'
    """
    def __new__(cls, *, k: int = 8) -> REDKSP: ...

class LLSKR(Spec):
    """All simple paths of limited length spread, with a minimum and a maximum number per pair; ties go to the switches
    with the lowest ids.

    Parameters
    ----------
    spread
        Hops that a path may have more than the shortest path of its pair. Legal: 0 to 254.
    min
        Minimum number of paths per pair; if too few paths are within the spread, longer paths are added. Legal: 1 to
        255; at most max. Default: 4, or max if it is smaller.
    max
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: Yuan et al., A New Routing Scheme for Jellyfish and its Performance with HPC Workloads, SC 2013, as
    described in Multi-Path Routing in the Jellyfish Network §II: use all short paths if a pair has many, and no long
    paths if it has few short ones.

    Limitations: The thresholds are parameters; their defaults are tulle's choice. Ties are broken as in ksp, which
    favours switches with low ids. A pair has fewer than min paths if there are no more.

    Examples
    --------
    >>> str(LLSKR())
    'llskr'
    """
    def __new__(cls, *, spread: int = 1, min: int | None = None, max: int = 16) -> LLSKR: ...

class Disjoint(Spec):
    """A maximum set of edge-disjoint paths of bounded length per pair, computed exactly.

    Parameters
    ----------
    spread
        Hops that a path may have more than the shortest path of its pair. Legal: 0 to 254.
    k
        Maximum number of paths per pair; if there are more, the shortest ones are kept. Legal: 1 to 255.

    Notes
    -----
    Source: FatPaths §IV-B1 (the count of disjoint paths); a flow through copies of the switches, one per hop, and
    branch and bound over the cables that this flow crosses twice.

    Limitations: If there are several largest sets, any of them is used, not the one with the fewest hops. Up to
    three hops, a flow gives the set; from five hops on, the problem is NP-hard, and a pair that 20,000 flows do not
    settle is an error.

    Examples
    --------
    >>> str(Disjoint())
    'disjoint'
    """
    def __new__(cls, *, spread: int = 1, k: int = 255) -> Disjoint: ...

class VirtualUpDown(Spec):
    """The maximum number of edge-disjoint virtual up-down paths per pair, of least total length: free of deadlock with
    one VC.

    Parameters
    ----------
    min_paths
        Minimum number of paths per pair; a pair with fewer paths is an error (with 0, pairs may have no path).
        Legal: 0 to 65535.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §3.2, App. A.1 (Algorithm 1), A.2.

    Limitations: The fabric must have virtual layers. Their number is a parameter of the fabric (strategy (*) of
    Flattened Clos §3.2.3 chooses the least k of eq. 4, or one more if pairs have fewer than min_paths paths). An
    edge is a channel, so two paths of a pair may use the two directions of a cable. Lengths are hops; the paper
    counts switches, which are one more. If there are several best sets, the order of ports decides.

    Examples
    --------
    >>> str(VirtualUpDown(min_paths=0))
    'virtual-updown:min_paths=0'
    """
    def __new__(cls, *, min_paths: int = 1) -> VirtualUpDown: ...

class EDSTPaths(Spec):
    """For each pair, one path per edge-disjoint spanning tree, the shortest path first.

    Parameters
    ----------
    trees
        Number of edge-disjoint trees; all: as many as the fabric has, at most ⌊s/2⌋ if a switch has s network ports.
        Legal: 1 to 255, or all.
    seeded
        Initial trees: none, or breadth-first trees over the remaining links, which shorten the paths. Legal: none,
        bfs.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §4.1, App. A.5.3, Table 7 (the EDST baseline).

    Limitations: The paths are those of edst, sorted by length. A path does not tell to which tree it belongs, so the
    routing can deadlock, although the paths of a single tree cannot. Paths are long, because the trees' height is
    not minimised.

    Examples
    --------
    >>> str(EDSTPaths())
    'edst-paths'
    """
    def __new__(cls, *, trees: Literal["all"] | int = "all", seeded: Literal["none", "bfs"] = "none") -> EDSTPaths: ...

class SPAINPaths(Spec):
    """Up to k paths per pair; using unused cables has priority over being short; SPAIN would arrange these paths in
    layers.

    Parameters
    ----------
    k
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: FatPaths App. C-B, Listing 4, lines 6 to 15 (Mudigonda et al., SPAIN, NSDI 2010).

    Limitations: A hop costs 1, plus the number of cables |E| for every earlier path of the pair that uses its cable.
    (Listing 4 starts from weights of 0, with which all paths would be equally long.) Ties go to the switches with
    the lowest ids. The search ends when it finds a path for the second time, so a pair may have fewer than k paths.

    Examples
    --------
    >>> str(SPAINPaths(k=4))
    'spain-paths:k=4'
    """
    def __new__(cls, *, k: int = 8) -> SPAINPaths: ...
