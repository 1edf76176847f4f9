"""Typed specs of topologies, for example ``SlimFly(q=19)``.

``tulle list fabrics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from tulle.typed_specs import Spec

class Clique(Spec):
    """Complete graph: every switch has a cable to every other switch.

    Parameters
    ----------
    degree
        Network radix k'; k' + 1 switches. Legal: 1 to 8191.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: degree.

    Notes
    -----
    Source: FatPaths App. A-G (fully-connected graphs; p = k').

    Limitations: The clique is a reference point, not a practical network, because the number of cables grows with
    the square of the number of switches.

    Examples
    --------
    >>> str(Clique(degree=6))
    'clique:degree=6'
    """
    def __new__(cls, *, degree: int, p: int | None = None) -> Clique: ...

class Jellyfish(Spec):
    """Random regular graph.

    Parameters
    ----------
    switches
        Switches S. Legal: 2 to 1048576.
    degree
        Network radix k'. Legal: 1 to 65534; less than switches; switches · degree must be even.
    p
        Endpoints per switch. Legal: 0 to 65535. Default: ⌈degree / 2⌉.

    Notes
    -----
    Source: Singla et al., Jellyfish, NSDI 2012; Multi-Path Routing in the Jellyfish Network, §II: RRG(N, x, y) is
    switches=N, degree=y, p=x−y; FatPaths App. A-C.

    Limitations: The choice among all regular graphs is close to uniform, but not uniform. Graphs are generated until
    one is connected, at most 100 times. Switches have no coordinates, because the graph has no structure.

    Examples
    --------
    >>> str(Jellyfish(switches=2, degree=1))
    'jellyfish:switches=2,degree=1'
    """
    def __new__(cls, *, switches: int, degree: int, p: int | None = None) -> Jellyfish: ...

class JellyfishLike(Spec):
    """The Jellyfish built from the switches of another fabric (X-JF).

    Parameters
    ----------
    spec
        The fabric X that determines the number of switches S, the network radix k' and the concentration p. Legal:
        the spec of any fabric.

    Notes
    -----
    Source: FatPaths §II-B and App. A-C, A-F (X-JF).

    Limitations: If the switches of X have different numbers of endpoints (or some have none), the maximum radix k =
    k' + p is split again into k' and p. Then k'/p is as near to 4 as an even sum of degrees allows (FatPaths App.
    A-F), so the number of endpoints changes. The graph is the one that jellyfish builds with these numbers and the
    same seed.

    Examples
    --------
    >>> str(JellyfishLike(spec='clique:degree=7'))
    'jellyfish-like:clique:degree=7'
    """
    def __new__(cls, *, spec: str) -> JellyfishLike: ...

class Xpander(Spec):
    """Random lifts of a complete graph.

    Parameters
    ----------
    degree
        Network radix k'. Legal: 1 to 8191; 3 or more unless lift=1.
    lift
        Number ℓ of copies of each switch; 2x2x2 means three successive lifts; the fabric has ℓ(k' + 1) switches.
        Legal: sizes joined by x, each 1 to 1048576; product at most 1048576. Default: degree.
    p
        Endpoints per switch. Legal: 0 to 65535. Default: ⌈degree / 2⌉.

    Notes
    -----
    Source: Valadarsky et al., Xpander, CoNEXT 2016; FatPaths App. A-D.

    Limitations: The matchings are random; tulle does not support the paper's derandomised variant. Random graphs are
    generated until one is connected, at most 100 times.

    Examples
    --------
    >>> str(Xpander(degree=5))
    'xpander:degree=5'
    """
    def __new__(
        cls, *, degree: int, lift: int | str | Sequence[int] | None = None, p: int | None = None
    ) -> Xpander: ...

class FatTree(Spec):
    """Fat tree of two or three levels, oversubscribed or not.

    Parameters
    ----------
    levels
        Levels of switches. Legal: 2 to 3.
    radix
        Ports k of every switch; leaves can have another number of ports if p is given together with uplinks or
        cores. Legal: 2 to 4096; even with levels=3. Default: from leaves, cores and p with levels=2.
    oversubscription
        Endpoints per uplink of a leaf; cannot be given together with p, uplinks or cores. Legal: any number above 0;
        radix / (1 + oversubscription) must be a whole number. Default: 1.
    pods
        With levels=3: groups of leaves and aggregation switches. Legal: 2 to 4096; at most radix. Default: radix, or
        the fewest pods with room for all leaves.
    leaves
        Switches with endpoints, spread evenly over pods. Legal: 2 to 8388608; limited by the ports of the level
        above. Default: as many as the ports of the level above allow.
    cores
        With levels=2: core switches, instead of uplinks; levels=3 uses the fewest cores that have enough ports.
        Legal: 1 to 65534. Default: uplinks / cables with levels=2.
    uplinks
        Cables from a leaf upwards. Legal: 1 to 65534; a multiple of cables. Default: cores · cables if cores is
        given, radix − p if p is given, otherwise radix / (1 + oversubscription).
    cables
        Cables between a leaf and each switch above it. Legal: 1 to 4096. Default: 1.
    p
        Endpoints per leaf, the concentration. Legal: 1 to 65534. Default: radix − uplinks.

    Notes
    -----
    Source: Leiserson 1985; FatPaths App. A-F (FT3); Slim Fly deployment (NSDI24) §7.1 (6 cores, 12 leaves, 3 cables
    between each leaf and core) and Table 4 (FT2, FT2-B, FT3).

    Limitations: Only leaves may be oversubscribed: an aggregation switch has radix/2 cables up and at most radix/2
    down. With fewer pods than radix, a core can have several cables to a pod, and still reaches every pod.

    Examples
    --------
    >>> str(FatTree(levels=3, radix=4))
    'fattree:levels=3,radix=4'
    """
    def __new__(
        cls,
        *,
        levels: int = 3,
        radix: int | None = None,
        oversubscription: float | None = None,
        pods: int | None = None,
        leaves: int | None = None,
        cores: int | None = None,
        uplinks: int | None = None,
        cables: int | None = None,
        p: int | None = None,
    ) -> FatTree: ...

class Clos(Spec):
    """Folded Clos network with the highest throughput for a limited number of switches.

    Parameters
    ----------
    hosts
        Endpoints H. Legal: 2 to 268435456.
    switches
        Maximum number of switches, N. Legal: 3 to 268435456.
    radix
        Ports of a switch. Legal: 4 to 1024.
    layers
        Layers of switches L, including the ToR switches. Legal: 2 to 8. Default: the number of layers with the
        highest throughput.

    Notes
    -----
    Source: Flattened Clos (NSDI23) App. A.3 (generation, eq. 5) and A.4, Table 4 (three layers).

    Limitations: The paper gives no construction for three or more layers. In tulle, the switches of a layer form
    pods of at most radix/2 switches, as in FatPaths App. A-F. Switches of the layer below the spines form planes.
    The spines connect each plane separately, and a plane has the minimum number of spines that have enough ports.
    The switches below a layer are divided evenly among its pods. This gives the switch counts of Table 4 for three
    layers, but not for four. The throughput (radix − h)/h counts only the ports of the ToR switches, of which h lead
    to endpoints. With two layers, the network has radix − h spines as in eq. 5, even if fewer spines with parallel
    cables are enough.

    Examples
    --------
    >>> str(Clos(hosts=60, switches=20, radix=8))
    'clos:hosts=60,switches=20,radix=8'
    """
    def __new__(cls, *, hosts: int, switches: int, radix: int, layers: int | None = None) -> Clos: ...

class FlattenedClos(Spec):
    """Random regular graph in virtual layers, for virtual up-down routing.

    Parameters
    ----------
    switches
        ToR switches N. Legal: 3 to 1048576.
    ports
        All ports of a switch: s = ports − p lead to other switches, and h = p lead to endpoints. Legal: 3 to 131069;
        ports − p must be even, and less than switches unless parallel=yes. Default: twice the sum of degrees, and p.
    layers
        Virtual layers k. Legal: 2 to 255; at most (ports − p) / 2 + 1. Default: the smallest k that satisfies eq. 4
        of the paper with ε = 0.
    degrees
        For each virtual layer j except the last, the number a_j of a switch's cables to virtual layer j + 1;
        replaces ports and layers. Legal: sizes joined by x, each 1 to 32767; k − 1 sizes. Default: (ports − p) / 2
        in equal parts; the remainder is added from both ends inwards.
    parallel
        Whether several cables may connect the same two switches, in different pairs of virtual layers. Legal: yes,
        no.
    eta
        η of virtual-layered cabling: the cables from virtual layer j to layer j + 1 go through 2ηa_j patch panels or
        optical switches. About 1/η of the switches have a cable to a given panel; they are the same switches for
        every seed. This limits the choice of random graphs. Legal: 1 to 524288; at most half the number of switches,
        rounded up. Default: unconstrained.
    panel_ports
        Ports of a panel; replaces eta. Legal: 2 to 1048576. Default: unconstrained.
    p
        Endpoints per switch h. Legal: 0 to 65535. Default: ports − 2 ⌊ports / 3⌋, about half of s.

    Notes
    -----
    Source: Flattened Clos (NSDI23) §3.1 (topology), §3.2.3 (number of layers and division of ports).

    Limitations: If eta= or panel_ports= is given, patch panels or optical circuit switches (§3.3) limit the choice
    of graphs, but they are not part of the fabric. The choice among random graphs is close to uniform, but not
    uniform. Graphs are generated until one is connected, at most 100 times. With few layers, some pairs of switches
    may have no virtual up-down path; routing reports this.

    Examples
    --------
    >>> str(FlattenedClos(switches=30, ports=12))
    'flattenedclos:switches=30,ports=12'
    """
    def __new__(
        cls,
        *,
        switches: int,
        ports: int | None = None,
        layers: int | None = None,
        degrees: int | str | Sequence[int] | None = None,
        parallel: bool = False,
        eta: int | None = None,
        panel_ports: int | None = None,
        p: int | None = None,
    ) -> FlattenedClos: ...

class File(Spec):
    """A network read from files: CSV, edge list, GraphML, JSON, netlists, ….

    Parameters
    ----------
    edges
        A file in one of these formats: CSV of cables with columns a and b (or, for example, switch_a and switch_b,
        source and target, or from and to); edge list with two names per line, and further columns that are numbers
        or have names in a header; GraphML with an optional node attribute endpoints; fabric.json, which stores the
        whole fabric; …. Legal: the path of a file of cables, for example .csv, .edges, .graphml or .json.
    nodes
        CSV of endpoints with columns node (endpoint, host) and switch (router); a row without a node describes a
        switch: its level, role and ports. Legal: the path of a .csv file. Default: none.
    p
        Endpoints per switch, if no nodes file is given. Legal: 0 to 65535. Default: 0, or as given by the files.
    format
        The format of edges. Legal: csv, edge-list, graphml, hpcc, fabric, node-link, anynet, evalnet, ibnetdiscover,
        dot, adjacency-list, matrix, metis, matrix-market, netbench, htsim, gml, gexf, pajek, graph6, sparse6,
        multiline-adjacency-list. Default: given by the file extension or the content.
    aggregation
        How to read SHARP's aggregation nodes in an InfiniBand subnet; keep: as endpoints. Legal: keep. Default: left
        out.
    both
        How to read cables that the file lists in both directions (0 1 and 1 0); merge: as one cable; parallel: as
        two cables. Legal: merge, parallel. Default: merge if every cable is listed in both directions.
    directed
        How to read a directed graph; undirected: every edge becomes a cable. Legal: undirected. Default: directed
        graphs are refused.
    component
        Part of a disconnected network to read; largest: only the connected component with the most switches. Legal:
        largest. Default: all.

    Notes
    -----
    Source: none: any network.

    Limitations: Every line or edge is one full-duplex cable. If a file lists every cable from both ends, tulle
    recognises this. Cables from a switch to itself are left out with a warning. So are switches with neither cables
    nor endpoints, except those of fabric.json. If the names are 0 to S − 1, they are the switch ids. Otherwise,
    names become labels, and ids follow their order: first numbers by value, then text (fabric.json and a few other
    formats state the order). CSV, GraphML and other formats may contain properties of links (rate, latency, length,
    medium, cost), names and ports. Other columns and attributes are ignored, and a warning names them. Paths are
    relative to the current directory. A file has at most 1 GiB.

    Examples
    --------
    >>> str(File(edges='ring.graphml'))
    'file:edges=ring.graphml'
    """
    def __new__(
        cls,
        *,
        edges: str | PathLike[str],
        nodes: str | PathLike[str] | None = None,
        p: int | None = None,
        format: Literal[
            "csv",
            "edge-list",
            "graphml",
            "hpcc",
            "fabric",
            "node-link",
            "anynet",
            "evalnet",
            "ibnetdiscover",
            "dot",
            "adjacency-list",
            "matrix",
            "metis",
            "matrix-market",
            "netbench",
            "htsim",
            "gml",
            "gexf",
            "pajek",
            "graph6",
            "sparse6",
            "multiline-adjacency-list",
        ]
        | None = None,
        aggregation: Literal["keep"] | None = None,
        both: Literal["merge", "parallel"] | None = None,
        directed: Literal["undirected"] | None = None,
        component: Literal["largest"] | None = None,
    ) -> File: ...

class SlimFly(Spec):
    """Slim Fly: MMS graph of diameter 2, 2q² switches close to the Moore bound.

    Parameters
    ----------
    q
        Order q = 4w + δ of the finite field (δ is −1, 0 or 1); network radix k' = (3q − δ)/2. Legal: 3 to 256; a
        prime power.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌈k'/2⌉.

    Notes
    -----
    Source: FatPaths (SC20) App. A-A; Slim Fly deployment (NSDI24) App. A; Kathareios et al. (SC15) §2.1.2.

    Limitations: Only prime powers q give an MMS graph. tulle uses the primitive element with the smallest number.

    Examples
    --------
    >>> str(SlimFly(q=5))
    'slimfly:q=5'
    """
    def __new__(cls, *, q: int, p: int | None = None) -> SlimFly: ...

class PolarFly(Spec):
    """PolarFly: polarity graph of diameter 2 with q² + q + 1 switches, which approaches the Moore bound for large q.

    Parameters
    ----------
    q
        Order q of the field; network radix k' = q + 1. Legal: 2 to 256; a prime power.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌈(q + 1)/2⌉.

    Notes
    -----
    Source: Lakhotia et al.: PolarFly (SC22).

    Limitations: The q + 1 quadrics (switches whose points are orthogonal to themselves) have one unused port. The
    family polarfly-extended builds the expansions.

    Examples
    --------
    >>> str(PolarFly(q=3))
    'polarfly:q=3'
    """
    def __new__(cls, *, q: int, p: int | None = None) -> PolarFly: ...

class PolarStar(Spec):
    """PolarStar: star product of a polarity graph with supernodes, diameter 3, with more switches for the same degree
    than other families of this diameter.

    Parameters
    ----------
    q
        Order q of the field; there are q² + q + 1 supernodes, each connected to q or q + 1 others. Legal: 2 to 256;
        a prime power.
    supernode
        Graph of each supernode: iq with 2d' + 2 switches, or paley with 2d' + 1 switches. Legal: iq, paley.
    d
        Degree d' of a supernode; k' = q + 1 + d'. Legal: 2 to 256; iq: 3, 4, 7, 8, …; paley: 2d' + 1 is a prime
        power, d' is even. Default: 3 for iq, 2 for paley.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌊k'/3⌋.

    Notes
    -----
    Source: Lakhotia et al.: PolarStar (SPAA24, arXiv 2302.07217) §6; Bermond et al. (1984).

    Limitations: For the average path length, tulle computes only a lower bound. With paley, switch 0 of each
    quadric's supernode has an unused port, and the other switches of this supernode are connected in pairs as in the
    authors' generator. Each supernode has its own rack or racks. The cables between two supernodes are separate
    cables, not one bundle.

    Examples
    --------
    >>> str(PolarStar(q=3))
    'polarstar:q=3'
    """
    def __new__(
        cls, *, q: int, supernode: Literal["iq", "paley"] = "iq", d: int | None = None, p: int | None = None
    ) -> PolarStar: ...

class PolarFlyExtended(Spec):
    """Extended PolarFly: copies of the rack of quadrics (diameter 2) or of other racks (diameter 3).

    Parameters
    ----------
    q
        Order of the field. Legal: 3 to 256; an odd prime power.
    quadrics
        Copies of the rack of quadrics, q + 1 switches each. Legal: 0 to 64.
    clusters
        Copies of other racks, q switches each; at most one copy per rack. Legal: 0 to 256; 0 to q.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌈k'/2⌉.

    Notes
    -----
    Source: Lakhotia et al.: PolarFly (SC22, arXiv 2208.01695) §VI, expansion.

    Limitations: The order q must be odd. A copy of the quadrics adds two ports to each neighbour of a quadric. A
    copy of another rack adds one port to most switches. With copies of other racks, tulle computes only a lower
    bound of the average path length; the length is below 2, as in the paper. Copies of switches with two quadrics as
    neighbours have two cables to centers of racks that they would not reach otherwise, as in the authors' generator.

    Examples
    --------
    >>> str(PolarFlyExtended(q=5))
    'polarfly-extended:q=5'
    """
    def __new__(cls, *, q: int, quadrics: int = 0, clusters: int = 0, p: int | None = None) -> PolarFlyExtended: ...

class Bundlefly(Spec):
    """Bundlefly: star product of an MMS graph with Paley graphs, diameter 3, cables between supernodes in bundles.

    Parameters
    ----------
    q
        Order q = 4w + δ of the finite field of the MMS graph (δ is −1, 0 or 1); the fabric has 2q² supernodes.
        Legal: 3 to 256; a prime power.
    r
        Number r of switches per supernode (a Paley graph); network radix k' = (3q − δ)/2 + (r − 1)/2. Legal: 5 to
        509; a prime power, 1 modulo 4.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌊k'/3⌋.

    Notes
    -----
    Source: Lei et al.: Bundlefly (ICS20).

    Limitations: For the average path length, tulle computes only a lower bound. Cost estimates count every cable of
    a bundle as a separate cable; multicore fibres are not supported.

    Examples
    --------
    >>> str(Bundlefly(q=3, r=5))
    'bundlefly:q=3,r=5'
    """
    def __new__(cls, *, q: int, r: int, p: int | None = None) -> Bundlefly: ...

class SpectralFly(Spec):
    """SpectralFly: LPS Ramanujan graph, whose spectral gap is nearly the largest for its degree.

    Parameters
    ----------
    k
        Network radix k' = r + 1 of LPS(r, q). Legal: 4 to 8192; an odd prime r plus 1, r not q.
    q
        Order of the field, above 2√r. Legal: 3 to 811; an odd prime.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌊k'/3⌋.

    Notes
    -----
    Source: Aksoy et al.: SpectralFly (arXiv 2104.11725) §3; Lubotzky, Phillips, Sarnak: Ramanujan graphs (1988).

    Limitations: The paper's p is called r in tulle, with k = r + 1. If r is not a square modulo q, the graph is
    bipartite and has q³ − q switches; otherwise it has half as many. With more than 2¹⁹ channels, tulle computes
    only bounds of the diameter and of the average path length.

    Examples
    --------
    >>> str(SpectralFly(k=4, q=5))
    'spectralfly:k=4,q=5'
    """
    def __new__(cls, *, k: int, q: int, p: int | None = None) -> SpectralFly: ...

class OFT(Spec):
    """Two-level orthogonal fat tree: diameter 2 between edge switches, by default 2k³ − 2k² + 2k endpoints.

    Parameters
    ----------
    k
        Network radix of edge switches. Legal: 3 to 257; a prime power plus one.
    p
        Endpoints per edge switch (L0 and L2). Legal: 1 to 8191. Default: k.

    Notes
    -----
    Source: Kathareios et al. (SC15) §2.2.4 with Table 2.

    Limitations: Two edge switches have only one minimal path, except if they have the same index in L0 and L2; then
    they have k minimal paths.

    Examples
    --------
    >>> str(OFT(k=4))
    'oft:k=4'
    """
    def __new__(cls, *, k: int, p: int | None = None) -> OFT: ...

class MLFM(Spec):
    """Multi-layer full mesh: diameter 2 between local switches, by default h³ + h² endpoints.

    Parameters
    ----------
    h
        Network radix h of local switches; a layer has h + 1 local switches. Legal: 1 to 1024.
    l
        Number of layers l; global switches have 2l ports. Legal: 1 to 1024. Default: h.
    p
        Endpoints per local switch. Legal: 1 to 8191. Default: h.

    Notes
    -----
    Source: Kathareios et al. (SC15) §2.2.3.

    Limitations: Two local switches of different columns have only one minimal path; two switches of the same column
    have h minimal paths.

    Examples
    --------
    >>> str(MLFM(h=3))
    'mlfm:h=3'
    """
    def __new__(cls, *, h: int, l: int | None = None, p: int | None = None) -> MLFM: ...

class SSPT(Spec):
    """Stacked single-path trees, diameter 2: two lower switches of a tree have exactly one upper switch in common.

    Parameters
    ----------
    r1
        Network radix of lower switches. Legal: 1 to 1024.
    r2
        Number of cables from an upper switch to each tree. Legal: 2 to 1024; tulle must know a single-path tree with
        this r1 and r2.
    copies
        Number of stacked trees; by default, upper switches get 2·r1 ports. Legal: 1 to 1024. Default: 2·r1/r2.
    p
        Endpoints per lower switch. Legal: 1 to 8191. Default: r1.

    Notes
    -----
    Source: Kathareios et al. (SC15) §2.2.2.

    Limitations: Known trees: r2=2 with any r1 (complete graph); r2=r1 with r1-1 a prime power (projective plane);
    for prime powers q and r1=(q^n-1)/(q-1), r2=q (affine space) and r2=q+1 (projective space); r2=3 with r1 mod 3
    not 2 (Steiner triple systems).

    Examples
    --------
    >>> str(SSPT(r1=3, r2=3))
    'sspt:r1=3,r2=3'
    """
    def __new__(cls, *, r1: int, r2: int, copies: int | None = None, p: int | None = None) -> SSPT: ...

class Dragonfly(Spec):
    """Dragonfly: fully connected groups of switches, connected by global cables, diameter 3.

    Parameters
    ----------
    p
        Endpoints per switch; if only p is given, the network is balanced: a = 2p = 2h. Legal: 0 to 4095.
    a
        Switches per group. Legal: 1 to 8191. Default: 2p.
    h
        Global ports per switch. Legal: 0 to 8191. Default: p.
    g
        groups. Legal: 1 to 67092482; 1 to a·h + 1. Default: a·h + 1.
    arrangement
        Rule for the global ports of a group: they lead to the other groups in ascending order from group 0
        (absolute), in ascending order from the next group (relative), or in descending order from the previous group
        (palm-tree). Legal: absolute, relative, palm-tree.

    Notes
    -----
    Source: Kim et al. (ISCA08) §3.1; FatPaths (SC20) App. A-B.

    Limitations: To reproduce the figures of FatPaths, use arrangement=absolute; the simulator CAMINOS uses
    palm-tree. If g < a·h + 1, cables on the remaining global ports are spread evenly over the pairs of groups. If g
    and the number of remaining ports per group are odd, one port per group stays unused. If g = 1, all global ports
    stay unused.

    Examples
    --------
    >>> str(Dragonfly(p=2))
    'dragonfly:p=2'
    """
    def __new__(
        cls,
        *,
        p: int,
        a: int | None = None,
        h: int | None = None,
        g: int | None = None,
        arrangement: Literal["absolute", "relative", "palm-tree"] = "absolute",
    ) -> Dragonfly: ...

class DragonflyMap(Spec):
    """Dragonfly with fully connected groups, whose global cables are listed in a file.

    Parameters
    ----------
    a
        Switches per group. Legal: 1 to 8191.
    map
        A CSV file with the header `group,switch,to_group,to_switch` and one line per global cable; groups, and the
        switches of each group, are numbered from 0. Legal: the path of a .csv file.
    p
        Endpoints per switch. Legal: 0 to 4095.
    g
        groups. Legal: 1 to 67092482. Default: the largest group number in the map plus one.

    Notes
    -----
    Source: Kim et al. (ISCA08) §3.1; Hastings et al.: Comparing global link arrangements (CLUSTER15).

    Limitations: Every line of the map is one full-duplex cable; a repeated line is a parallel cable. All groups are
    fully connected and have the same size. The average path length has no closed form. If the map connects every two
    groups directly, the diameter is at most three; otherwise it has no closed form either.

    Examples
    --------
    >>> str(DragonflyMap(a=2, map='global.map.csv'))
    'dragonfly-map:a=2,map=global.map.csv'
    """
    def __new__(cls, *, a: int, map: str | PathLike[str], p: int = 1, g: int | None = None) -> DragonflyMap: ...

class Megafly(Spec):
    """Megafly (Dragonfly+): leaf-spine groups with global cables between spines, diameter 3 between leaves.

    Parameters
    ----------
    leaves
        Leaf switches per group; if only leaves is given, switches have 2·leaves ports. Legal: 1 to 1024.
    spines
        Spine switches per group. Legal: 1 to 1024. Default: leaves.
    h
        Global ports per spine. Legal: 0 to 1024. Default: leaves.
    p
        Endpoints per leaf. Legal: 1 to 8191. Default: spines.
    g
        groups. Legal: 1 to 67092482; 1 to spines·h + 1. Default: spines·h + 1.
    arrangement
        Rule for the global ports of a group: they lead to the other groups in ascending order from group 0
        (absolute), in ascending order from the next group (relative), or in descending order from the previous group
        (palm-tree). Legal: absolute, relative, palm-tree.

    Notes
    -----
    Source: Flajslik et al.: Megafly (ISC18); Shpiner et al.: Dragonfly+ (HiPINEB17).

    Limitations: If a group has more global ports than there are other groups, the remaining ports are used as in
    dragonfly. Each leaf has exactly one cable to each spine of its group.

    Examples
    --------
    >>> str(Megafly(leaves=2))
    'megafly:leaves=2'
    """
    def __new__(
        cls,
        *,
        leaves: int,
        spines: int | None = None,
        h: int | None = None,
        p: int | None = None,
        g: int | None = None,
        arrangement: Literal["absolute", "relative", "palm-tree"] = "absolute",
    ) -> Megafly: ...

class HyperX(Spec):
    """HyperX (Hamming graph, flattened butterfly): complete graphs along every line of a grid.

    Parameters
    ----------
    shape
        Switches per dimension, S. Legal: sizes joined by x, each 2 to 8191; 1 to 20 sizes.
    p
        Endpoints per switch. Legal: 0 to 8191. Default: ⌈k'/dimensions⌉.
    width
        Parallel cables per dimension, K. Legal: sizes joined by x, each 1 to 64; one per dimension. Default: 1x1x….

    Notes
    -----
    Source: Ahn et al.: HyperX (SC09); FatPaths (SC20) App. A-E and Table V.

    Limitations: The paper's relative link capacities K must be whole numbers; they become parallel cables. Sizes are
    at least 2.

    Examples
    --------
    >>> str(HyperX(shape=2))
    'hyperx:shape=2'
    """
    def __new__(
        cls, *, shape: int | str | Sequence[int], p: int | None = None, width: int | str | Sequence[int] | None = None
    ) -> HyperX: ...

class Torus(Spec):
    """Torus (k-ary n-cube): rings along every line of a grid.

    Parameters
    ----------
    shape
        Switches per dimension, S. Legal: sizes joined by x, each 2 to 8191; 1 to 20 sizes.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5.

    Limitations: A ring of two switches has one cable, not two. Sizes are at least 2.

    Examples
    --------
    >>> str(Torus(shape=2))
    'torus:shape=2'
    """
    def __new__(cls, *, shape: int | str | Sequence[int], p: int = 1) -> Torus: ...

class TwistedTorus(Spec):
    """Twisted torus: the cables that close rings are shifted along the first dimension, which shortens paths in tori
    with unequal sides.

    Parameters
    ----------
    shape
        Switches per dimension, S. Legal: sizes joined by x, each 2 to 8191; 1 to 20 sizes.
    twist
        For each dimension except the first, a shift: the cables that close the rings of this dimension are shifted
        by this number of positions along the first dimension. Legal: sizes joined by x, each 0 to 8191; one per
        dimension except the first, each below the first size. Default: half of the first size.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: Cámara et al.: Twisted torus topologies (IEEE TPDS 21, 2010); Jouppi et al.: TPU v4 (ISCA23) §2.8.

    Limitations: A ring of two switches without a twist is one cable, not two. Shifts are possible only along the
    first dimension. With more than 2¹⁹ channels, the closed forms have no diameter, and only a lower bound of the
    average path length.

    Examples
    --------
    >>> str(TwistedTorus(shape='4x2'))
    'twisted-torus:shape=4x2'
    """
    def __new__(
        cls, *, shape: int | str | Sequence[int], twist: int | str | Sequence[int] | None = None, p: int = 1
    ) -> TwistedTorus: ...

class Mesh(Spec):
    """Mesh (k-ary n-mesh): paths along every line of a grid.

    Parameters
    ----------
    shape
        Switches per dimension, S. Legal: sizes joined by x, each 2 to 8191; 1 to 20 sizes.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5.

    Limitations: Switches at the border have fewer network ports. Sizes are at least 2.

    Examples
    --------
    >>> str(Mesh(shape=2))
    'mesh:shape=2'
    """
    def __new__(cls, *, shape: int | str | Sequence[int], p: int = 1) -> Mesh: ...

class Hypercube(Spec):
    """Hypercube (binary n-cube): 2^n switches, connected if their ids differ in one bit.

    Parameters
    ----------
    dimensions
        Bits n of a switch's id; network radix k' = n. Legal: 1 to 20.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5.

    Limitations: Dimension 0 is the highest bit of a switch's id, as in a grid of shape 2x2x….

    Examples
    --------
    >>> str(Hypercube(dimensions=4))
    'hypercube:dimensions=4'
    """
    def __new__(cls, *, dimensions: int, p: int = 1) -> Hypercube: ...

class HammingMesh(Spec):
    """HammingMesh: boards of accelerators in a mesh; switches along rows and columns connect the edges of the boards.

    Parameters
    ----------
    board
        Rows and columns of accelerators on a board. Legal: sizes joined by x, each 1 to 64; two sizes.
    boards
        Rows and columns of boards. Legal: sizes joined by x, each 1 to 4096; two sizes.
    p
        Endpoints per accelerator. Legal: 1 to 64.
    k
        Ports of the switches in the networks of rows and columns. Legal: 4 to 1024; a multiple of 4.

    Notes
    -----
    Source: Hoefler et al.: HammingMesh (SC22, arXiv 2209.01346) §III.

    Limitations: Only one of the paper's four planes is built. An accelerator is modelled, counted and priced as a
    switch with an endpoint, whose rate is that of one link. The network of a row or column is one switch if this
    switch has two ports for every board. Otherwise it is a fat tree of two levels at full bandwidth; tapered trees
    are not supported. A row or column with a single board has no network.

    Examples
    --------
    >>> str(HammingMesh(board='2x2', boards='4x4'))
    'hammingmesh:board=2x2,boards=4x4'
    """
    def __new__(
        cls, *, board: int | str | Sequence[int], boards: int | str | Sequence[int], p: int = 1, k: int = 64
    ) -> HammingMesh: ...

class Circulant(Spec):
    """Circulant graph (chordal ring, distributed loop): a circle of switches with chords of given lengths.

    Parameters
    ----------
    switches
        Switches n in a circle. Legal: 5 to 268435456.
    jumps
        Distances (jumps) along the circle between the two switches of a cable. Legal: sizes joined by x, each 1 to
        134217728; ascending, at most n/2; all jumps and n must have no common divisor. Default: m x m+1, where m is
        the smallest diameter with two jumps.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: Bermond, Comellas, Hsu: Distributed loop computer networks, a survey (J. Parallel Distrib. Comput. 24,
    1995).

    Limitations: With more than 2¹⁹ channels, the closed forms have no diameter, and only a lower bound of the
    average path length.

    Examples
    --------
    >>> str(Circulant(switches=5))
    'circulant:switches=5'
    """
    def __new__(cls, *, switches: int, jumps: int | str | Sequence[int] | None = None, p: int = 1) -> Circulant: ...

class DeBruijn(Spec):
    """Undirected de Bruijn graph: words of n letters, connected if dropping the first letter and appending one gives
    the other; diameter n.

    Parameters
    ----------
    d
        Number of letters d; network radix k' = 2d if n is at least 3. Legal: 2 to 4096.
    n
        Length n of a word, which equals the diameter; the graph has dⁿ switches. Legal: 1 to 28.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: de Bruijn (1946); Pradhan, Reddy: A fault-tolerant communication architecture (IEEE Trans. Comput. 31,
    1982).

    Limitations: A cable from a switch to itself is left out, and so is a second cable between two switches, so some
    switches have unused ports. For the average path length, tulle computes only a lower bound.

    Examples
    --------
    >>> str(DeBruijn(d=2, n=4))
    'debruijn:d=2,n=4'
    """
    def __new__(cls, *, d: int, n: int, p: int = 1) -> DeBruijn: ...

class Kautz(Spec):
    """Undirected Kautz graph: words of n letters without equal adjacent letters, connected if dropping the first letter
    and appending one gives the other; diameter n.

    Parameters
    ----------
    d
        Number d of letters that may follow each letter; the alphabet has d + 1 letters; network radix k' = 2d if n
        is at least 3. Legal: 2 to 4096.
    n
        Length n of a word, which equals the diameter; the graph has (d + 1)·dⁿ⁻¹ switches. Legal: 1 to 28.
    p
        Endpoints per switch. Legal: 0 to 8191.

    Notes
    -----
    Source: Kautz (1968); Imase, Itoh: A design for directed graphs with minimum diameter (IEEE Trans. Comput. 32,
    1983).

    Limitations: A second cable between two switches is left out, so switches whose words alternate between two
    letters have an unused port. For the average path length, tulle computes only a lower bound.

    Examples
    --------
    >>> str(Kautz(d=2, n=3))
    'kautz:d=2,n=3'
    """
    def __new__(cls, *, d: int, n: int, p: int = 1) -> Kautz: ...

class Star(Spec):
    """Star: a single crossbar switch with all endpoints, an upper bound on performance.

    Parameters
    ----------
    endpoints
        Endpoints, N. Legal: 1 to 16777216.

    Notes
    -----
    Source: FatPaths (SC20) App. D (baseline).

    Limitations: The star is a reference point, not a practical network: no real switch has a port for every endpoint
    of a large network.

    Examples
    --------
    >>> str(Star(endpoints=8))
    'star:endpoints=8'
    """
    def __new__(cls, *, endpoints: int) -> Star: ...
