"""Typed specs of traffic patterns, for example ``Permutation(bytes="1MiB")``.

``tulle list traffics`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from collections.abc import Sequence
from datetime import timedelta
from os import PathLike
from typing import Literal

from tulle.typed_specs import Spec

class Permutation(Spec):
    """Every endpoint sends one message to another and receives one, paired at random.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.
    count
        Permutations at once, each drawn anew. Legal: 1 to 65535.

    Notes
    -----
    Source: FatPaths §II-C (random permutation), §IV-A (four random permutations in parallel).

    Limitations: No endpoint is left out or sends to itself.

    Examples
    --------
    >>> str(Permutation())
    'permutation'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        count: int = 1,
    ) -> Permutation: ...

class Uniform(Spec):
    """Every endpoint sends messages at Poisson times to endpoints drawn uniformly.

    Parameters
    ----------
    arrivals
        Arrivals λ per endpoint and second. Legal: any number above 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms.
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.

    Notes
    -----
    Source: FatPaths §II-C (random uniform), §VII-A4 (Poisson arrivals, λ = 300 per endpoint and second).

    Limitations: Open loop: a message starts at its time however many are under way.

    Examples
    --------
    >>> str(Uniform(arrivals=10000, duration='1ms', bytes='64KiB'))
    'uniform:arrivals=10000,duration=1ms,bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        arrivals: float = 300,
        duration: str | timedelta = "10ms",
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
    ) -> Uniform: ...

class Random(Spec):
    """Every endpoint (or switch) sends to so many different others, drawn at random.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.
    destinations
        Destinations X of each. Legal: 1 to 4294967295; below the senders.
    of
        Parts that draw: endpoints, or switches, of which the i-th endpoints send to the i-th ones. Legal: switches,
        endpoints.
    receive
        Whether all receive from as many as they send to, or as many as happen to draw them. Legal: even, free.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §IV (Random(X)); Flattened Clos §4 (uniform random).

    Limitations: Senders have the same number of destinations; receivers differ in how many send to them but with
    receive=even. Where switches differ in endpoints, those of the smaller serve several.

    Examples
    --------
    >>> str(Random(destinations=3))
    'random:destinations=3'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        destinations: int,
        of: Literal["switches", "endpoints"] = "endpoints",
        receive: Literal["even", "free"] = "free",
    ) -> Random: ...

class Skewed(Spec):
    """Skewed off-diagonal: rank s sends to s + offset, so p messages collide on every switch pair.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.
    offset
        Distance c from a rank to the one it sends to. Legal: 1 to 4294967295; below the endpoints. Default: half of
        the switches with endpoints, times p.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: FatPaths §II-C and §VII-B2 (adversarial: a skewed off-diagonal with a large offset, p-way collisions).

    Limitations: The paper does not give its offsets; with mapping=random it is a permutation drawn anew and collides
    no more than one.

    Examples
    --------
    >>> str(Skewed(offset=1))
    'skewed:offset=1'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        offset: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Skewed: ...

class OffDiagonal(Spec):
    """Rank s sends to rank s + offset, around the end.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.
    offset
        Distance c from a rank to its destination, or one drawn by the seed. Legal: 1 to 4294967295, or random; below
        the ranks.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: FatPaths §II-C (off-diagonals); diameter-two §4.2 (shift); Jellyfish §IV-A (random shift-N).

    Limitations: One offset; skewed has the default of FatPaths' adversarial pattern.

    Examples
    --------
    >>> str(OffDiagonal(bytes='64KiB'))
    'off-diagonal:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        offset: Literal["random"] | int = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> OffDiagonal: ...

class Shuffle(Spec):
    """Rank s sends to s with its bits rotated to the left, modulo ranks.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.
    bits
        Places i by which bits are rotated. Legal: 1 to 31.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: FatPaths §II-C (shuffle).

    Limitations: The paper's width of words is ambiguous: here the least that holds every rank. A rank that would
    send to itself does not send; a permutation only for powers of two.

    Examples
    --------
    >>> str(Shuffle(bytes='64KiB'))
    'shuffle:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        bits: int = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Shuffle: ...

class Stencil(Spec):
    """Ranks compute, exchange messages with their neighbours in a 2D or 3D torus, and wait for them, over and over.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    shape
        Sides of the grid; the last one counts fastest. Legal: sizes joined by x, each 1 to 4294967295; 2 or 3 sizes,
        whose product is ranks. Default: as square as ranks allow.
    dimensions
        Sides of the grid, without shape. Legal: 2 to 3.
    stride
        FatPaths' form: off-diagonals at ±1 and ±stride in place of a grid. Legal: 1 to 4294967295; below the ranks.
        Default: none.
    diagonals
        8 or 26 neighbours in place of 4 or 6. Legal: yes, no.
    iterations
        rounds. Legal: 1 to 65535.
    compute
        Time that a rank computes in every round before it sends. Legal: a duration, as 500ns, 1us, 10ms.
    barrier
        After every round: ranks wait for their neighbours only, for all at no cost, or over messages of 1 byte.
        Legal: no, ideal, dissemination.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: FatPaths §II-C (stencils: stride 42, or 1337 above 10,000 endpoints) and Fig. 17 (with barrier);
    diameter-two §4.4.

    Limitations: All messages are of one size, those to diagonal neighbours too. A rank that is its own neighbour
    does not send there, and one that is so twice is sent to once.

    Examples
    --------
    >>> str(Stencil(bytes='64KiB'))
    'stencil:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        shape: int | str | Sequence[int] | None = None,
        dimensions: int = 2,
        stride: int | None = None,
        diagonals: bool = False,
        iterations: int = 1,
        compute: str | timedelta = "0",
        barrier: Literal["no", "ideal", "dissemination"] = "no",
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Stencil: ...

class Incast(Spec):
    """Receivers drawn at random get messages from senders drawn at random, all at once.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.
    senders
        Endpoints that send to each receiver. Legal: 1 to 4294967295; below the endpoints. Default: all but the
        receiver.
    receivers
        Endpoints that receive. Legal: 1 to 4294967295; at most the endpoints.

    Notes
    -----
    Source: FatPaths §VIII-A; Handley et al., NDP, SIGCOMM 2017 §6 (incast).

    Limitations: Senders of different receivers are drawn apart, so an endpoint may send to several.

    Examples
    --------
    >>> str(Incast(bytes='64KiB'))
    'incast:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        senders: int | None = None,
        receivers: int = 1,
    ) -> Incast: ...

class Bisection(Spec):
    """Random bisections: halves drawn at random, every rank of one exchanges messages with one of the other.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    rounds
        Bisections, one after the other. Legal: 1 to 65535.
    both
        Messages in both directions, or one. Legal: yes, no.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 (effective bisection bandwidth, Netgauge's eBB); Hoefler, Schneider, Lumsdaine, Cluster
    2008.

    Limitations: A round starts when the one before it has ended everywhere, at no cost. Of an odd number of ranks
    one rests.

    Examples
    --------
    >>> str(Bisection(bytes='64KiB'))
    'bisection:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        rounds: int = 1,
        both: bool = True,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Bisection: ...

class WorstCase(Spec):
    """The permutation of switches that is worst for minimal routing, by topology.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Every message alike, or drawn from the pFabric web-search distribution in 20 steps with mean 1 MB. Legal:
        fixed, websearch.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.

    Notes
    -----
    Source: diameter-two §4.2: Slim Fly by overlapping pairs at distance 2 (1/(2p) of the throughput), MLFM and OFT
    by shifts of one switch (1/h, 1/k); FatPaths §II-C (worst case).

    Limitations: Slim Fly, MLFM and OFT only: elsewhere longest-matching is near the worst. Of a Slim Fly a few
    switches are left over from the overlapping pairs and paired with each other; one may rest.

    Examples
    --------
    >>> str(WorstCase())
    'worst-case'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        sizes: Literal["fixed", "websearch"] = "fixed",
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
    ) -> WorstCase: ...

class LongestMatching(Spec):
    """Endpoints (or whole switches) send along a permutation of the greatest total distance; a share takes part.

    Parameters
    ----------
    bytes
        Size of an elephant. Legal: 1 byte or more.
    of
        Parts that are paired: endpoints, or switches with all their endpoints alike. Legal: switches, endpoints.
    intensity
        Share of every switch's endpoints that send, drawn at random. Legal: above 0 and at most 1, or a percentage.
    elephants
        Share of the senders with full messages, drawn at random; the others are mice. Legal: 0 to 1 or 0% to 100%.
    ratio
        Bytes of an elephant over those of a mouse. Legal: 1 to 4294967295.
    arrivals
        Poisson arrivals λ per sender and second, each to one of the sender's destinations. Legal: any number above
        0. Default: none: one message each, at time 0.
    duration
        Messages start before this time. Legal: above 0, as 500ns, 1us, 10ms; with arrivals.

    Notes
    -----
    Source: TopoBench (Jyothi et al., SC 2016) §II-C; FatPaths §VI-C; deployment §6.4; Flattened Clos §4
    (near-worst).

    Limitations: Near-worst, not worst: distance counts, not what links are shared. One of many longest matchings,
    drawn by the seed. Where switches differ in endpoints the i-th endpoints are paired among themselves, and one
    without a partner is silent.

    Examples
    --------
    >>> str(LongestMatching(of='switches'))
    'longest-matching:of=switches'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        of: Literal["switches", "endpoints"] = "endpoints",
        intensity: float | str = 1,
        elephants: float | str = 1,
        ratio: int = 10,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
    ) -> LongestMatching: ...

class AllToAll(Spec):
    """Every rank sends one message to every other, all posted at once.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    within
        Whether ranks on one switch send to each other. Legal: yes, no.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 and App. C.1 (custom alltoall); diameter-two §4.4; Flattened Clos §6.1 (within=no).

    Limitations: n(n − 1) messages: ranks= keeps them few on large fabrics.

    Examples
    --------
    >>> str(AllToAll(within=False))
    'all-to-all:within=no'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "64KiB",
        within: bool = True,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> AllToAll: ...

class AllReduce(Spec):
    """Every rank ends with the sum of all vectors.

    Parameters
    ----------
    bytes
        Size of every vector. Legal: 1 byte or more.
    algorithm
        Reduce-scatter and allgather around a ring, whole vectors over doubling distances, or halving and doubling.
        Legal: ring, recursive-doubling, rabenseifner.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 (IMB Allreduce); Thakur, Rabenseifner, Gropp, IJHPCA 2005; Patarasuk, Yuan, JPDC 2009
    (ring).

    Limitations: Reducing takes no time. Blocking rounds: a rank goes on when its message has arrived and its
    partner's has come.

    Examples
    --------
    >>> str(AllReduce(bytes='64KiB'))
    'allreduce:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        algorithm: Literal["ring", "recursive-doubling", "rabenseifner"] = "ring",
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> AllReduce: ...

class Broadcast(Spec):
    """Every rank ends with the vector of the root, over a binomial tree.

    Parameters
    ----------
    bytes
        Size of the vector. Legal: 1 byte or more.
    root
        Rank that has the vector. Legal: 0 to 4294967295; below the ranks.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 (IMB Bcast); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.2.

    Limitations: The whole vector in one message per edge of the tree; a rank sends to its next child when the one
    before has it.

    Examples
    --------
    >>> str(Broadcast(bytes='64KiB'))
    'broadcast:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        root: int = 0,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Broadcast: ...

class AllGather(Spec):
    """Every rank ends with the blocks of all.

    Parameters
    ----------
    bytes
        Size of every block. Legal: 1 byte or more.
    algorithm
        Blocks around a ring, or all blocks so far over doubling distances. Legal: ring, bruck.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.1; Bruck et al., TPDS 1997.

    Limitations: Blocking rounds: a rank goes on when its message has arrived and its partner's has come.

    Examples
    --------
    >>> str(AllGather(bytes='4KiB'))
    'allgather:bytes=4KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "64KiB",
        algorithm: Literal["ring", "bruck"] = "ring",
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> AllGather: ...

class ReduceScatter(Spec):
    """Every rank ends with its part of the sum of all vectors.

    Parameters
    ----------
    bytes
        Size of every vector. Legal: 1 byte or more.
    algorithm
        Partial sums around a ring, or halves over halving distances. Legal: ring, recursive-halving.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.3.

    Limitations: Recursive halving needs a power of two of ranks. Reducing takes no time. Blocking rounds: a rank
    goes on when its message has arrived and its partner's has come.

    Examples
    --------
    >>> str(ReduceScatter(bytes='64KiB'))
    'reduce-scatter:bytes=64KiB'
    """
    def __new__(
        cls,
        *,
        bytes: int | str = "1MiB",
        algorithm: Literal["ring", "recursive-halving"] = "ring",
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> ReduceScatter: ...

class ResNet152(Spec):
    """ResNet-152 under training: every rank has a shard of the data; gradients are allreduced in 10 buckets.

    Parameters
    ----------
    iterations
        Training steps. Legal: 1 to 65535.
    algorithm
        Algorithm of allreduces. Legal: ring, recursive-doubling, rabenseifner.
    size
        Factor to all sizes. Legal: any number above 0; at most 1e6.
    time
        Factor to all times of computations. Legal: any number above 0; at most 1e6.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of
    spcl/DNN-cpp-proxies.

    Limitations: Allreduces run beside the computation of the next buckets and beside each other. 128 images per
    rank.

    Examples
    --------
    >>> str(ResNet152(size=0.001, time=0.001))
    'resnet152:size=0.001,time=0.001'
    """
    def __new__(
        cls,
        *,
        iterations: int = 1,
        algorithm: Literal["ring", "recursive-doubling", "rabenseifner"] = "ring",
        size: float = 1,
        time: float = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> ResNet152: ...

class CosmoFlow(Spec):
    """CosmoFlow under training: 4 ranks share every operator, groups of 4 have shards of the data.

    Parameters
    ----------
    iterations
        Training steps. Legal: 1 to 65535.
    algorithm
        Algorithm of allreduces. Legal: ring, recursive-doubling, rabenseifner.
    size
        Factor to all sizes. Legal: any number above 0; at most 1e6.
    time
        Factor to all times of computations. Legal: any number above 0; at most 1e6.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of
    spcl/DNN-cpp-proxies.

    Limitations: Ranks are a multiple of 4. Allgathers go around rings, reduce-scatters halve; allreduces run beside
    the backward pass.

    Examples
    --------
    >>> str(CosmoFlow(size=0.01, time=0.001, ranks=40))
    'cosmoflow:size=0.01,time=0.001,ranks=40'
    """
    def __new__(
        cls,
        *,
        iterations: int = 1,
        algorithm: Literal["ring", "recursive-doubling", "rabenseifner"] = "ring",
        size: float = 1,
        time: float = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> CosmoFlow: ...

class GPT3(Spec):
    """GPT-3 under training: a pipeline of stages of one layer each, whose operators are shared, once per shard of the
    data.

    Parameters
    ----------
    stages
        Stages of the pipeline, a layer each. Legal: 1 to 65535.
    shards
        Ranks that share every operator. Legal: 1 to 65535.
    batches
        Micro-batches of an iteration, of one sequence of 2048. Legal: 1 to 65535. Default: stages.
    iterations
        Training steps. Legal: 1 to 65535.
    algorithm
        Algorithm of allreduces. Legal: ring, recursive-doubling, rabenseifner.
    size
        Factor to all sizes. Legal: any number above 0; at most 1e6.
    time
        Factor to all times of computations. Legal: any number above 0; at most 1e6.
    ranks
        Ranks (processes); the first ones of the mapping take part. Legal: 2 to 4294967295; at most the endpoints.
        Default: as many as endpoints, or as lines in places.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: deployment §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of
    spcl/DNN-cpp-proxies.

    Limitations: Ranks are a multiple of stages times shards. All micro-batches go forward, then all back; the proxy
    sends to the next stage before it has received, here a stage sends what it has computed. The papers do not say
    how 40 to 200 ranks were divided.

    Examples
    --------
    >>> str(GPT3(stages=2, shards=1, size=0.001, time=0.001))
    'gpt3:stages=2,shards=1,size=0.001,time=0.001'
    """
    def __new__(
        cls,
        *,
        stages: int = 10,
        shards: int = 4,
        batches: int | None = None,
        iterations: int = 1,
        algorithm: Literal["ring", "recursive-doubling", "rabenseifner"] = "ring",
        size: float = 1,
        time: float = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> GPT3: ...

class File(Spec):
    """Messages as CSV, a row each, as tulle stress -o writes them.

    Parameters
    ----------
    messages
        The file, also alone after the colon: columns source and destination (ranks), bytes, and start (picoseconds;
        may be missing); sizes and times may have units. Legal: the path of a .csv file.
    bytes
        Payload of all messages, in place of the column. Legal: 1 byte or more. Default: the column bytes.
    self
        Whether messages to oneself, as of a permutation with fixed points, are taken. Legal: yes, no.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: none: any messages.

    Limitations: Messages wait for nothing but their start; other columns are refused; messages to oneself take no
    link, and the packet simulator refuses them.

    Examples
    --------
    >>> str(File(messages='pair.csv'))
    'file:messages=pair.csv'
    """
    def __new__(
        cls,
        *,
        messages: str | PathLike[str],
        bytes: int | str | None = None,
        self: bool = False,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> File: ...

class GOAL(Spec):
    """A GOAL schedule, text or binary: sends, receives and computations that require each other.

    Parameters
    ----------
    file
        The file. Legal: the path of a GOAL schedule.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS.

    Limitations: Processors and interfaces are not modelled: what is ready goes on at once. A send ends when its
    message has arrived. Receives of any rank or tag are refused; messages of 0 bytes become 1 byte.

    Examples
    --------
    >>> str(GOAL(file='pair.goal'))
    'goal:file=pair.goal'
    """
    def __new__(
        cls,
        *,
        file: str | PathLike[str],
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> GOAL: ...

class Htsim(Spec):
    """A connection matrix of htsim: connections with sizes, start times and triggers.

    Parameters
    ----------
    file
        The file. Legal: the path of a .cm file.
    start
        Unit of starts; files from before connections had ids have microseconds. Legal: ps, us. Default: us if no
        connection has an id, otherwise ps.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: Handley et al., NDP, SIGCOMM 2017; csg-htsim.

    Limitations: Endless flows and failures are refused; a trigger fires when its messages have arrived.

    Examples
    --------
    >>> str(Htsim(file='pair.cm'))
    'htsim:file=pair.cm'
    """
    def __new__(
        cls,
        *,
        file: str | PathLike[str],
        start: Literal["ps", "us"] | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Htsim: ...

class HPCC(Spec):
    """A flow file of the HPCC simulator: flows with sizes and start times.

    Parameters
    ----------
    file
        The file. Legal: the path of a flow file.
    mapping
        Rank i on endpoint i, or ranks on endpoints in random order. Legal: linear, random.
    places
        Endpoint of every rank, one a line, in place of mapping. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: Li et al., HPCC, SIGCOMM 2019; Flattened Clos §5.2.

    Limitations: Priorities and ports are read and not used.

    Examples
    --------
    >>> str(HPCC(file='pair.flows'))
    'hpcc:file=pair.flows'
    """
    def __new__(
        cls,
        *,
        file: str | PathLike[str],
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> HPCC: ...
