"""Typed specs of routing schemes, for example ``Random(layers=9, rho=0.6)``.

``tulle list routings`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from collections.abc import Sequence
from typing import Literal

from tulle.typed_specs import Spec

class Minimal(Spec):
    """One layer with all shortest next hops, like those that OSPF with ECMP installs.

    Parameters
    ----------
    weight
        Metric that paths minimise: hops, or the sum of link latencies or costs. Legal: hops, latency, cost.

    Notes
    -----
    Source: FatPaths §VII-A3 (the ECMP baseline); Kathareios et al. (SC15) §3.1; weight=latency: the routing function
    min of BookSim2 on anynet, which uses only one of the next hops; weight=cost: OSPF (RFC 2328 §16).

    Limitations: In many low-diameter fabrics, most pairs have only one shortest path, and the scheme minimal uses no
    other paths. weight=latency needs the latency of every link between switches; it uses a link of latency 0 only if
    this link reduces the number of remaining hops. weight=cost needs the cost of every such link, in both
    directions.

    Examples
    --------
    >>> str(Minimal())
    'minimal'
    """
    def __new__(cls, *, weight: Literal["hops", "latency", "cost"] = "hops") -> Minimal: ...

class Hierarchical(Spec):
    """One layer of all next hops on the paths with the fewest global cables and, among these, the fewest hops; most
    paths are local, global, local.

    Notes
    -----
    Source: Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1 (minimal routing);
    Shpiner et al.: Dragonfly+ (HiPINEB17).

    Limitations: The fabric must have groups that are connected by cables of class global, like dragonfly and
    megafly. A path has two global cables only if no path has fewer. The scheme minimal, in contrast, uses two global
    cables in a row if this saves a hop. If all cables between two groups have failed, paths take as many global
    cables as they need.

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
        Number of layers n; if a pair has several shortest paths, its layers can use different ones. Legal: 1 to 255.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §5.2, the DFSSSP baseline (reference [36] of this paper); Hoefler et al.,
    HotI 2009.

    Limitations: The scheme uses minimal paths only. Destinations are routed one after another in random order. The
    balance counts only destinations that are already routed, so the first destinations are hardly balanced. The load
    of a link is its number of routes between endpoints, not the traffic of an application.

    Examples
    --------
    >>> str(Balanced())
    'balanced'
    """
    def __new__(cls, *, layers: int = 1) -> Balanced: ...

class Random(Spec):
    """One layer with all links, and further layers with a random part of the links; shortest paths within each layer.

    Parameters
    ----------
    layers
        Number of layers n, including layer 0, which contains all links of the fabric. Legal: 1 to 255.
    rho
        Fraction ρ of the cables that each layer except layer 0 contains. Legal: above 0 and at most 1, or a
        percentage.
    sampling
        Exact: ⌊ρ·cables⌋ cables per layer; bernoulli: each cable with probability ρ. Legal: exact, bernoulli.
    acyclic
        Whether each layer except layer 0 uses its cables in one direction only, from the earlier to the later switch
        in a random order of the switches. Legal: true, false.

    Notes
    -----
    Source: FatPaths §V-B2, Listing 1; one random shortest next hop, §V-C.

    Limitations: The paths of different layers may share links, because the scheme does not make them disjoint. With
    acyclic=false, the links of a layer are selected again until they connect all switches. In an acyclic layer,
    about half of the pairs, or more, have no path; their packets follow layer 0 until they reach a switch with a
    path in the layer.

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
    """One layer with all links, and further layers (acyclic or not) built from paths of chosen lengths that overlap
    little.

    Parameters
    ----------
    layers
        Number of layers n, including layer 0, which contains all links of the fabric. Legal: 1 to 255.
    min_hops
        Minimum hops of a placed path (L_min); above the diameter, all placed paths are longer than shortest paths.
        Legal: 2 to 6.
    max_hops
        Maximum hops of a placed path (L_max). Legal: 2 to 6. Default: min_hops.
    paths
        Maximum number of paths placed per layer (M). Legal: 1 to 4294967295, or all.
    acyclic
        Whether each layer except layer 0 uses its cables in one direction only, from the earlier to the later switch
        in a random order of the switches. Legal: true, false.

    Notes
    -----
    Source: FatPaths §V-B3, Listing 2; one random shortest next hop, §V-C.

    Limitations: By default, each layer except layer 0 uses its links in one direction only, from the earlier to the
    later switch in a random order of the switches. About half of the pairs, or more, then have no path in such a
    layer. Their packets follow layer 0 until they reach a switch with a path in the layer, so few pairs gain
    disjoint paths. With acyclic=false, links are used in both directions. Layers then become similar if many paths
    are placed; they differ if `paths` is about a fifth of the number of cables. Packets use shortest paths over the
    links of the layer. These paths may be shorter or longer than the placed paths.

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
    """One layer of minimal paths, and further layers of longer paths with chosen numbers of hops, balanced over the
    links.

    Parameters
    ----------
    layers
        Number of layers n, including the minimal one. Legal: 1 to 255.
    lengths
        Numbers of hops that paths in the non-minimal layers may have; a pair uses only paths that are longer than
        its shortest path. Legal: sizes joined by x, each 2 to 6; ascending.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §4.3, Algorithm 1, and App. B.1.

    Limitations: The scheme is greedy: the paths of earlier pairs restrict the paths of later pairs. If a layer has
    no path of an allowed length for a pair, the pair uses a minimal path in this layer. Next hops that paths of
    other pairs have fixed may lengthen this path, but to at most the longest allowed length, or the diameter if that
    is larger. For pairs of switches without endpoints, the scheme does not search longer paths. The time grows as
    the network radix to the power of (longest length − 1).

    Examples
    --------
    >>> str(AlmostMinimal(layers=4))
    'almost-minimal:layers=4'
    """
    def __new__(cls, *, layers: int = 4, lengths: int | str | Sequence[int] = 3) -> AlmostMinimal: ...

class Spread(Spec):
    """Layers from a local search: paths enter every destination over different cables, and the paths of a pair share
    few cables; layer 0 has minimal paths.

    Parameters
    ----------
    layers
        Number of layers n, including the layer of minimal paths. Legal: 1 to 64.
    limit
        Maximum hops of a path: a number (pairs farther apart use minimal paths), or minimal plus a number; auto: the
        smallest limit that leaves enough disjoint paths; with aim=throughput, there is one such limit for each
        distance between two switches. Legal: 1 to 254, minimal+1 to minimal+9, or auto.
    aim
        Goal for each pair; throughput: few of its paths share a cable; disjoint: three disjoint paths if possible;
        further ones count less. Legal: throughput, disjoint.
    effort
        Maximum number of rounds of local search; each round visits all destinations. Legal: 0 to 1000.

    Notes
    -----
    Source: designed for tulle; its aims are disjoint almost-minimal paths per pair: about k' paths, where k' is the
    network radix (FatPaths §IV, Fig. 11), and at least three (Slim Fly deployment (NSDI24) §4.2).

    Limitations: The scheme is a heuristic without a bound on its distance from the optimum. It balances the paths
    between switches over the links, whatever number of endpoints the switches have. Without virtual channels, its
    layers can deadlock. In fabrics of more than 800 switches, the search is shorter: it examines only twelve ports
    of a switch (or as many as there are layers, if that is more), and makes fewer rounds. With the default effort
    and 1,400 switches or more, it makes one round.

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
    """Layers with several next hops per destination; a next hop may be nearer to the destination, equally near or (at
    some switches) farther away.

    Parameters
    ----------
    layers
        Number of layers n; if there are several, all of them can have non-minimal paths. Legal: 1 to 16.
    limit
        Maximum hops of a path; auto: twice the diameter plus one. Legal: 1 to 254, or auto.
    share
        Target number of disjoint paths between two switches, as a fraction of the ports of the switch with fewer
        ports. Legal: above 0 and at most 1, or a percentage.
    effort
        Maximum number of rounds of the search that gives switches more disjoint paths. Legal: 0 to 1000.
    shares
        Sum of the shares (weights) of a pair's layers, and of a group's ports; the shares spread the traffic of each
        pair over many links; none: all shares are equal. Legal: 16 to 255, or none.

    Notes
    -----
    Source: designed for tulle; its aim is about k' disjoint almost-minimal paths per pair, where k' is the network
    radix (FatPaths §IV, Fig. 11), in few tables.

    Limitations: The switches must support equal-cost groups; InfiniBand's tables hold one port per destination. Of
    the deadlock schemes, dfsssp usually needs more virtual channels than hardware has, and hops needs one virtual
    channel per hop. The routing is a heuristic without a bound on its distance from the optimum. Shares do not
    depend on the traffic. In fabrics of more than 800 switches, the search makes one round. It then considers only
    switches with too few ports toward the destination, and only if they lack more than an eighth of the target
    number of paths.

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
    """One layer with all links and one layer per VLAN: disjoint paths per destination, grouped into trees and merged
    into forests.

    Parameters
    ----------
    paths
        Maximum number k of paths per pair of switches; they share as few cables as possible, and among equally
        disjoint paths, the shortest are used. Legal: 1 to 16.
    layers
        Maximum number of layers n, including layer 0 with all links; the other layers are the VLANs that connect the
        most pairs. Legal: 1 to 4095, or all.

    Notes
    -----
    Source: FatPaths appendix C-B, Listing 4; Mudigonda et al.: SPAIN, NSDI 2010.

    Limitations: In low-diameter fabrics, the scheme needs about as many VLANs as the fabric has switches, and a
    table for each VLAN; with fewer layers, some of the k paths of a pair are missing. Merging is greedy in random
    order. If a VLAN does not connect a pair, the packets of this pair follow layer 0 until they reach the
    destination's tree in the VLAN. Ties between paths are broken in the same way for all sources of a destination,
    so that fewer trees are needed.

    Examples
    --------
    >>> str(SPAIN())
    'spain'
    """
    def __new__(cls, *, paths: int = 3, layers: Literal["all"] | int = "all") -> SPAIN: ...

class PAST(Spec):
    """One spanning tree per destination: breadth-first from the destination or, with trees=valiant, from a random
    switch.

    Parameters
    ----------
    trees
        Choice among the shortest next hops when a tree is built; bfs: the switch that the breadth-first search found
        first; random: uniformly at random; weighted: at random, and less often a switch that has many endpoints
        below it in earlier trees; valiant: random trees whose roots are random switches. Legal: bfs, random,
        weighted, valiant.
    layers
        Addresses per switch, each with its own tree; a layer consists of one address of every switch. Legal: 1 to
        255.

    Notes
    -----
    Source: FatPaths appendix C-C, Listing 5; Stephens et al.: PAST, CoNEXT 2012.

    Limitations: PAST has a tree per host. In tulle, each switch has one tree per layer, and all its hosts share
    these trees. With trees=bfs, all layers would have the same trees. With trees=valiant, paths are not minimal, not
    even in layer 0.

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
        Choice among equally good next hops; dmodk: by the number of the destination (D-mod-k); random: one at
        random; all: all of them (ECMP). Legal: dmodk, random, all.
    layers
        Number of layers n, each with different choices; with dmodk, a layer consists of one address of every switch.
        Legal: 1 to 255.
    levels
        Source of the switches' levels; given: the fabric; roles, names: the roles or names of switches; distance:
        the hops to the nearest switch with endpoints; auto: the first of these sources that gives different levels
        to the two switches of every cable. Legal: auto, given, roles, names, distance.

    Notes
    -----
    Source: Kathareios et al. (SC15) §3, FatPaths §VII-A3 (fat trees); D-mod-k: Zahavi, Fat-tree routing and node
    ordering providing contention free traffic for MPI global collectives, JPDC 2012.

    Limitations: A switch forwards down if the destination is below it, otherwise up. So paths between switches with
    endpoints are up-down paths and cannot deadlock. To some switches without endpoints (spines), no up-down path may
    exist; packets then use the shortest path to a switch at which an up-down path begins. In one layer, D-mod-k
    routes all traffic to a switch over one common ancestor, so it balances links only if there are as many layers as
    endpoints per switch. With levels=roles or names, every role or name must contain a known word, for example tor,
    leaf, aggregation, spine or core.

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
        Number of edge-disjoint trees; all: the maximum number in the fabric, which is about s/2 or less if every
        switch is connected to s other switches. Legal: 1 to 255, or all.
    seeded
        Initial trees of the search: none, or breadth-first trees (bfs), over links that earlier trees do not use;
        with bfs, paths are shorter. Legal: none, bfs.

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
    Source: Multi-Path Routing in the Jellyfish Network §II, Fig. 2 (Yen's algorithm; candidates that a round does
    not use remain for later rounds); FatPaths App. C-D.

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

    Limitations: Paths of a pair may share cables. All choices among equally long paths are equally likely. (The
    paper uses Dijkstra's algorithm with random next hops, and does not state the distribution.) If a pair has too
    many such paths to list, the scheme builds paths from random next hops, which is not uniform. A pair has fewer
    than k paths if there are no more.

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

    Limitations: The scheme is greedy, like edksp. At each switch, all next hops on shortest paths are equally
    likely. Whole paths are therefore not equally likely: paths through switches with few next hops are more likely.

    Examples
    --------
    >>> str(REDKSP(k=8))
    'redksp:k=8'
    """
    def __new__(cls, *, k: int = 8) -> REDKSP: ...

class LLSKR(Spec):
    """All simple paths that are at most spread hops longer than the shortest, with a minimum and a maximum number per
    pair; ties go to the switches with the lowest ids.

    Parameters
    ----------
    spread
        Maximum number of hops by which a path may be longer than the shortest path of its pair. Legal: 0 to 254.
    min
        Minimum number of paths per pair; if fewer paths are within the spread, longer paths are added. Legal: 1 to
        255; at most max. Default: 4, or max if it is smaller.
    max
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: Yuan et al., A New Routing Scheme for Jellyfish and its Performance with HPC Workloads, SC 2013, as
    described in Multi-Path Routing in the Jellyfish Network §II: use all short paths if a pair has many, and no long
    paths if it has few short ones.

    Limitations: The thresholds (spread, min and max) are parameters; their defaults are tulle's choice. Ties are
    broken as in ksp, which favours switches with low ids. A pair has fewer than min paths if there are no more.

    Examples
    --------
    >>> str(LLSKR())
    'llskr'
    """
    def __new__(cls, *, spread: int = 1, min: int | None = None, max: int = 16) -> LLSKR: ...

class Disjoint(Spec):
    """Per pair, a maximum set of edge-disjoint paths of bounded length, computed exactly.

    Parameters
    ----------
    spread
        Maximum number of hops by which a path may be longer than the shortest path of its pair. Legal: 0 to 254.
    k
        Maximum number of paths per pair; if there are more, the scheme uses the shortest ones. Legal: 1 to 255.

    Notes
    -----
    Source: FatPaths §IV-B1 (the count of disjoint paths); a maximum flow in a network with one copy of every switch
    per hop, and branch and bound over the cables that this flow crosses twice.

    Limitations: If a pair has several largest sets, the scheme uses any of them, not the one with the fewest hops.
    For paths of up to three hops, a maximum flow gives the set. From five hops on, the problem is NP-hard. If 20,000
    max-flow computations are not enough for a pair, the result is an error.

    Examples
    --------
    >>> str(Disjoint())
    'disjoint'
    """
    def __new__(cls, *, spread: int = 1, k: int = 255) -> Disjoint: ...

class VirtualUpDown(Spec):
    """The maximum number of edge-disjoint virtual up-down paths per pair, with the least total length; deadlock-free
    with one VC.

    Parameters
    ----------
    min_paths
        Minimum number of paths per pair; a pair with fewer paths is an error (with 0, pairs may have no path).
        Legal: 0 to 65535.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §3.2, App. A.1 (Algorithm 1), A.2.

    Limitations: The fabric must have virtual layers. Their number is a parameter of the fabric (strategy (*) of
    Flattened Clos §3.2.3 chooses the least number k of eq. 4, or k + 1 if pairs have fewer than min_paths paths). An
    edge is a channel, so two paths of a pair may use the two directions of a cable. Path lengths count hops; the
    paper counts switches, which gives one more. If a pair has several best sets of paths, the order of ports
    decides.

    Examples
    --------
    >>> str(VirtualUpDown(min_paths=0))
    'virtual-updown:min_paths=0'
    """
    def __new__(cls, *, min_paths: int = 1) -> VirtualUpDown: ...

class EDSTPaths(Spec):
    """For each pair, one path in each edge-disjoint spanning tree, the shortest path first.

    Parameters
    ----------
    trees
        Number of edge-disjoint trees; all: the maximum number in the fabric, which is about s/2 or less if every
        switch is connected to s other switches. Legal: 1 to 255, or all.
    seeded
        Initial trees of the search: none, or breadth-first trees (bfs), over links that earlier trees do not use;
        with bfs, paths are shorter. Legal: none, bfs.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §4.1, App. A.5.3, Table 7 (the EDST baseline).

    Limitations: The paths are those of edst, sorted by length. The routing does not store to which tree a path
    belongs, so it can deadlock, although the paths of a single tree cannot. Paths are long, because the trees'
    height is not minimised.

    Examples
    --------
    >>> str(EDSTPaths())
    'edst-paths'
    """
    def __new__(cls, *, trees: Literal["all"] | int = "all", seeded: Literal["none", "bfs"] = "none") -> EDSTPaths: ...

class SPAINPaths(Spec):
    """Up to k paths per pair, which prefer unused cables to short routes; these are SPAIN's paths before it groups them
    into layers.

    Parameters
    ----------
    k
        Maximum number of paths per pair. Legal: 1 to 255.

    Notes
    -----
    Source: FatPaths App. C-B, Listing 4, lines 6 to 15 (Mudigonda et al., SPAIN, NSDI 2010).

    Limitations: A hop costs 1. For every earlier path of the pair over the same cable, it costs |E| more, where |E|
    is the number of cables in the fabric. (Listing 4 starts with weights of 0, so that all paths would cost the
    same.) Ties go to the switches with the lowest ids. The search ends when it finds a path for the second time, so
    a pair may have fewer than k paths.

    Examples
    --------
    >>> str(SPAINPaths(k=4))
    'spain-paths:k=4'
    """
    def __new__(cls, *, k: int = 8) -> SPAINPaths: ...
