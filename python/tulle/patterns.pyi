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
    """Every endpoint sends one message to a random other endpoint and receives one message.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.
    count
        Number of independent permutations that run at the same time. Legal: 1 to 65535.

    Notes
    -----
    Source: FatPaths §II-C (random permutation), §IV-A (four random permutations in parallel).

    Limitations: Every endpoint takes part, and none sends to itself.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        count: int = 1,
    ) -> Permutation: ...

class Uniform(Spec):
    """Every endpoint sends messages to uniformly random endpoints at Poisson times.

    Parameters
    ----------
    arrivals
        Rate λ of Poisson arrivals per endpoint and second. Legal: any number above 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms.
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.

    Notes
    -----
    Source: FatPaths §II-C (random uniform), §VII-A4 (Poisson arrivals, λ = 300 per endpoint and second).

    Limitations: Open loop: a message starts at its arrival time, regardless of the number of messages in flight.

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
        cdf: str | PathLike[str] | None = None,
    ) -> Uniform: ...

class Random(Spec):
    """Every endpoint (or switch) sends to a given number of different random other endpoints (or switches).

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.
    destinations
        Number of destinations X of each sender. Legal: 1 to 4294967295; below the number of senders.
    of
        The units that select destinations: endpoints or switches. If switches select, the i-th endpoint of a switch
        sends to the i-th endpoints of the selected switches. Legal: switches, endpoints.
    receive
        Number of senders of each receiver: as many as it has destinations (even), or a random number (free). Legal:
        even, free.

    Notes
    -----
    Source: Multi-Path Routing in the Jellyfish Network §IV (Random(X)); Flattened Clos (NSDI23) §4 (uniform random).

    Limitations: All senders have the same number of destinations. Receivers have different numbers of senders,
    except with receive=even. If switches have different numbers of endpoints, some endpoints of smaller switches
    receive from several endpoints of one switch.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        destinations: int,
        of: Literal["switches", "endpoints"] = "endpoints",
        receive: Literal["even", "free"] = "free",
    ) -> Random: ...

class Skewed(Spec):
    """Skewed off-diagonal: rank s sends to s + offset, so by default all endpoints of a switch send to one other
    switch.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.
    offset
        Distance c from a rank to its destination. Legal: 1 to 4294967295; below the number of endpoints. Default: p
        times half the number of switches with endpoints; p is the number of endpoints per switch.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: FatPaths §II-C and §VII-B2 (adversarial: a skewed off-diagonal with a large offset, p-way collisions).

    Limitations: FatPaths does not state its offsets. With mapping=random the pattern is a random permutation, with
    no more collisions than any other random permutation.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        offset: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Skewed: ...

class OffDiagonal(Spec):
    """Rank s sends to rank s + offset, wrapping around.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.
    offset
        Distance c from a rank to its destination; with random, the seed selects the distance. Legal: 1 to
        4294967295, or random; below the number of ranks.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: FatPaths §II-C (off-diagonals); Kathareios et al. (SC15) §4.2 (shift); Multi-Path Routing in the
    Jellyfish Network §IV-A (random shift-N).

    Limitations: All ranks have the same offset. For FatPaths' adversarial pattern use skewed, whose default offset
    is adversarial.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        offset: Literal["random"] | int = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> OffDiagonal: ...

class Shuffle(Spec):
    """Rank s sends to s with its bits rotated to the left, modulo the number of ranks.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.
    bits
        Number of bit positions of the rotation. Legal: 1 to 31.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: FatPaths §II-C (shuffle).

    Limitations: FatPaths does not define the number of bits of a rank; this pattern uses the smallest number that
    holds every rank. A rank that would send to itself does not send. The pattern is a permutation only if the number
    of ranks is a power of two.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        bits: int = 1,
        ranks: int | None = None,
        mapping: Literal["linear", "random"] = "linear",
        places: str | PathLike[str] | None = None,
    ) -> Shuffle: ...

class Stencil(Spec):
    """Ranks repeatedly compute, exchange messages with their neighbours in a 2D or 3D torus, and wait for the messages
    to arrive.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    shape
        Side lengths of the grid; the last dimension varies fastest. Legal: sizes joined by x, each 1 to 4294967295;
        2 or 3 sizes, whose product is the number of ranks. Default: as square as the number of ranks allows.
    dimensions
        Number of dimensions of the grid, if shape= is not given. Legal: 2 to 3.
    stride
        Stride of FatPaths' form of the stencil: neighbours at offsets ±1 and ±stride instead of a grid. Legal: 1 to
        4294967295; below the number of ranks. Default: none.
    diagonals
        Also send to diagonal neighbours: 8 or 26 neighbours instead of 4 or 6. Legal: yes, no.
    iterations
        Number of rounds. Legal: 1 to 65535.
    compute
        Computing time of a rank in every round, before it sends. Legal: a duration, for example 500ns, 1us or 10ms.
    barrier
        Barrier after every round: ranks wait for their neighbours only (no), for all ranks with an instant barrier
        (ideal), or for all ranks by messages of 1 byte (dissemination). Legal: no, ideal, dissemination.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: FatPaths §II-C (stencils: stride 42, or 1337 above 10,000 endpoints) and Fig. 17 (with barrier);
    Kathareios et al. (SC15) §4.4.

    Limitations: All messages have the same size, including those to diagonal neighbours. If a rank is its own
    neighbour, it does not send to itself. If a rank is a neighbour twice, it gets only one message.

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
    """Many random senders send to one receiver at the same time; there can be several random receivers.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.
    senders
        Number of endpoints that send to each receiver. Legal: 1 to 4294967295; below the number of endpoints.
        Default: all except the receiver.
    receivers
        Number of receiving endpoints. Legal: 1 to 4294967295; at most the number of endpoints.

    Notes
    -----
    Source: FatPaths §VIII-A; Handley et al., NDP, SIGCOMM 2017 §6 (incast).

    Limitations: Senders are selected independently for each receiver, so an endpoint may send to several receivers.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
        senders: int | None = None,
        receivers: int = 1,
    ) -> Incast: ...

class Bisection(Spec):
    """Random bisections: ranks of one random half exchange messages with ranks of the other half.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    rounds
        Number of bisections; they run one after the other. Legal: 1 to 65535.
    both
        Send in both directions between the halves, not only in one. Legal: yes, no.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 (effective bisection bandwidth, Netgauge's eBB); Hoefler, Schneider,
    Lumsdaine, Cluster 2008.

    Limitations: A bisection starts when all messages of the previous bisection have arrived; no messages are sent
    for this synchronisation. If the number of ranks is odd, each bisection leaves out one random rank.

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
    """The permutation of switches that is the worst case for minimal routing on the topology.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    sizes
        Distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search
        distribution, in 20 steps with a mean of 1 MB (websearch). Legal: fixed, websearch; or cdf=FILE.
    cdf
        File with your own distribution of sizes: a row per size, with the size and the share of messages of at most
        this size; sizes between two rows are interpolated. Legal: the path of a text file. Default: none.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.

    Notes
    -----
    Source: Kathareios et al. (SC15) §4.2: on a Slim Fly, pairs of switches at distance 2 with overlapping paths
    (throughput 1/(2p)); on an MLFM and an OFT, shifts by one switch (throughput 1/h and 1/k); FatPaths §II-C (worst
    case).

    Limitations: Only for Slim Fly, MLFM and OFT. On other fabrics longest-matching is near the worst case. On a Slim
    Fly a few switches are in no overlapping pair; they are paired with each other, and one switch may have no
    partner.

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
        cdf: str | PathLike[str] | None = None,
        arrivals: float | None = None,
        duration: str | timedelta = "10ms",
    ) -> WorstCase: ...

class LongestMatching(Spec):
    """Endpoints (or whole switches) send along a permutation of maximal total distance; optionally only a fraction of
    the endpoints sends.

    Parameters
    ----------
    bytes
        Size of a long flow (elephant). Legal: 1 byte or more.
    of
        The units that are paired: single endpoints, or switches with all their endpoints. Legal: switches,
        endpoints.
    intensity
        Fraction of every switch's endpoints that send; the endpoints are chosen at random. Legal: above 0 and at
        most 1, or a percentage.
    elephants
        Fraction of the senders whose flows are long (elephants); the senders are chosen at random, and the others
        send short flows (mice). Legal: 0 to 1 or 0% to 100%.
    ratio
        Size of a long flow divided by the size of a short flow. Legal: 1 to 4294967295.
    arrivals
        Rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations.
        Legal: any number above 0. Default: none: one message to each destination, at time 0.
    duration
        End of the arrivals: messages start before this time. Legal: above 0, for example 500ns, 1us or 10ms; with
        arrivals.

    Notes
    -----
    Source: TopoBench (Jyothi et al., SC 2016) §II-C; FatPaths §VI-C; Slim Fly deployment (NSDI24) §6.4; Flattened
    Clos (NSDI23) §4 (near-worst).

    Limitations: Near the worst case, but not always the worst: the pattern maximises distances and ignores shared
    links. The seed determines one of many longest matchings. If switches have different numbers of endpoints, the
    i-th endpoints are paired with each other, and an endpoint without a partner does not send.

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
    """Every rank sends one message to every other rank, all at the same time.

    Parameters
    ----------
    bytes
        Size of every message. Legal: 1 byte or more.
    within
        Allow messages between ranks on the same switch. Legal: yes, no.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 and App. C.1 (custom alltoall); Kathareios et al. (SC15) §4.4;
    Flattened Clos (NSDI23) §6.1 (within=no).

    Limitations: n ranks send up to n(n − 1) messages. Use ranks= on large fabrics.

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
    """At the end every rank has the sum of all vectors.

    Parameters
    ----------
    bytes
        Size of every vector. Legal: 1 byte or more.
    algorithm
        Algorithm: reduce-scatter and allgather around a ring, exchange of whole vectors over doubling distances, or
        recursive halving and doubling (rabenseifner). Legal: ring, recursive-doubling, rabenseifner.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 (IMB Allreduce); Thakur, Rabenseifner, Gropp, IJHPCA 2005; Patarasuk,
    Yuan, JPDC 2009 (ring).

    Limitations: Reductions take no time. Rounds are blocking: a rank starts its next round when its send and its
    receive have completed.

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
    """Every rank receives the vector of the root, over a binomial tree.

    Parameters
    ----------
    bytes
        Size of the vector. Legal: 1 byte or more.
    root
        Rank that has the vector. Legal: 0 to 4294967295; below the number of ranks.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 (IMB Bcast); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.2.

    Limitations: Each edge of the tree carries the whole vector in one message. A rank sends to its next child when
    the previous child has received the vector.

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
    """At the end every rank has the blocks of all ranks.

    Parameters
    ----------
    bytes
        Size of every block. Legal: 1 byte or more.
    algorithm
        Algorithm: blocks go around a ring, or (bruck) members send all blocks that they have over doubling
        distances. Legal: ring, bruck.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.1; Bruck et
    al., TPDS 1997.

    Limitations: Rounds are blocking: a rank starts its next round when its send and its receive have completed.

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
    """At the end every rank has its part of the sum of all vectors.

    Parameters
    ----------
    bytes
        Size of every vector. Legal: 1 byte or more.
    algorithm
        Algorithm: partial sums go around a ring, or members exchange halves over halving distances. Legal: ring,
        recursive-halving.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.3.

    Limitations: For recursive halving the number of ranks must be a power of two. Reductions take no time. Rounds
    are blocking: a rank starts its next round when its send and its receive have completed.

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
    """Training of ResNet-152: every rank has a shard of the data, and gradients are allreduced in 10 buckets.

    Parameters
    ----------
    iterations
        Number of training iterations. Legal: 1 to 65535.
    algorithm
        Allreduce algorithm. Legal: ring, recursive-doubling, rabenseifner.
    size
        Factor on all sizes. Legal: any number above 0; at most 1e6.
    time
        Factor by which all computing times are multiplied. Legal: any number above 0; at most 1e6.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of
    spcl/DNN-cpp-proxies.

    Limitations: Allreduces run concurrently with each other and with the computation of the next buckets. Each rank
    trains on 128 images.

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
    """Training of CosmoFlow: every operator is divided among 4 ranks, and each group of 4 ranks has a shard of the
    data.

    Parameters
    ----------
    iterations
        Number of training iterations. Legal: 1 to 65535.
    algorithm
        Allreduce algorithm. Legal: ring, recursive-doubling, rabenseifner.
    size
        Factor on all sizes. Legal: any number above 0; at most 1e6.
    time
        Factor by which all computing times are multiplied. Legal: any number above 0; at most 1e6.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of
    spcl/DNN-cpp-proxies.

    Limitations: The number of ranks must be a multiple of 4. Allgathers use the ring algorithm; reduce-scatters use
    recursive halving. Allreduces run concurrently with the backward pass.

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
    """Training of GPT-3: a pipeline of stages with one layer each, whose operators are divided among several ranks; one
    pipeline per shard of the data.

    Parameters
    ----------
    stages
        Number of pipeline stages; each stage has one layer. Legal: 1 to 65535.
    shards
        Number of ranks that divide the work of each operator. Legal: 1 to 65535.
    batches
        Number of micro-batches per iteration; each is one sequence of 2048 tokens. Legal: 1 to 65535. Default:
        stages.
    iterations
        Number of training iterations. Legal: 1 to 65535.
    algorithm
        Allreduce algorithm. Legal: ring, recursive-doubling, rabenseifner.
    size
        Factor on all sizes. Legal: any number above 0; at most 1e6.
    time
        Factor by which all computing times are multiplied. Legal: any number above 0; at most 1e6.
    ranks
        Number of ranks (processes); they are placed on the first endpoints of the mapping. Legal: 2 to 4294967295;
        at most the number of endpoints. Default: one per endpoint, or one per line of the file places=.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Slim Fly deployment (NSDI24) §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of
    spcl/DNN-cpp-proxies.

    Limitations: The number of ranks must be a multiple of stages times shards. All micro-batches pass forward, then
    all pass backward. In the original proxy a stage sends to the next stage before it has received; in this pattern
    a stage sends after it has computed. The Slim Fly deployment and HammingMesh papers do not say how their 40 to
    200 ranks were divided.

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

class WithBackground(Spec):
    """A traffic and a background traffic at the same time.

    Parameters
    ----------
    of
        Traffic in the foreground; in quotes if it contains commas. Its messages are the first rows. With the same
        seed, they are the same as without background. Legal: the spec of any traffic.
    background
        Traffic in the background; in quotes if it contains commas. Its random numbers differ from those of the
        foreground. Legal: the spec of any traffic.

    Notes
    -----
    Source: none: any two traffics.

    Limitations: Neither traffic waits for the other. The background does not stop when the foreground ends.

    Examples
    --------
    >>> str(WithBackground(of='incast', background='uniform:bytes=64KiB,arrivals=10000,duration=300us'))
    'with-background:of=incast,background="uniform:bytes=64KiB,arrivals=10000,duration=300us"'
    """
    def __new__(cls, *, of: str, background: str) -> WithBackground: ...

class File(Spec):
    """Messages from a CSV file, one per row, as written by tulle stress -o.

    Parameters
    ----------
    messages
        File with the columns source and destination (ranks), bytes, and optionally start (picoseconds); sizes and
        times may have units. The file name can also be given directly after the colon (file:NAME). Legal: the path
        of a .csv file.
    bytes
        Payload of all messages, for a file without the column bytes. Legal: 1 byte or more. Default: the column
        bytes.
    self
        Allow messages from an endpoint to itself, for example fixed points of a permutation. Legal: yes, no.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: none: any messages.

    Limitations: Messages have starts but no dependencies. The result columns of tulle simulate -o and tulle exchange
    -o are ignored with a warning; other columns are errors. Messages from an endpoint to itself use no link, and the
    packet simulator does not accept them. tulle throughput also reads a traffic matrix: file:matrix=NAME.csv.

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
    """A text or binary GOAL schedule: sends, receives and computations with dependencies.

    Parameters
    ----------
    file
        Name of the schedule file. Legal: the path of a GOAL schedule.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS.

    Limitations: Processors and network interfaces are not modelled, so a ready operation starts immediately. A send
    ends when its message has arrived. A receive from any rank or with any tag is an error. A message of 0 bytes
    becomes a message of 1 byte.

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
        Name of the matrix file. Legal: the path of a .cm file.
    start
        Unit of starts; older files, whose connections have no ids, use microseconds. Legal: ps, us. Default: us if
        no connection has an id, otherwise ps.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Handley et al., NDP, SIGCOMM 2017; csg-htsim.

    Limitations: Endless flows and failures are errors. A trigger fires when the messages that set it have arrived.

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
        Name of the flow file. Legal: the path of a flow file.
    mapping
        Order of ranks: rank i on endpoint i, or a random order. Legal: linear, random.
    places
        File with the endpoint of every rank, one per line, instead of mapping=. Legal: the path of a text file.
        Default: none.

    Notes
    -----
    Source: Li et al., HPCC, SIGCOMM 2019; Flattened Clos (NSDI23) §5.2.

    Limitations: Priorities and ports are ignored.

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
