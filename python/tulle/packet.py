"""The packet simulator: switches, queues, transports and selectors, packet by packet."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from tulle import _tulle
from tulle._arguments import read_seed
from tulle._arrays import frozen
from tulle._defaults import LATENCY, MTU, NIC, RATE, SELECTOR, TRANSPORT
from tulle._files import read_faults
from tulle._inputs import as_fabric, as_routing, as_spec, as_workload
from tulle._value import Recorded, same_record
from tulle.columns import Columns
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing import Routing
    from tulle.workload import Workload

__all__ = ["Deadlock", "FaultReport", "HeldPort", "Profile", "Progress", "Simulation", "simulate"]

Progress = _tulle.Progress
"""How far a running simulation is.

``now`` (picoseconds), ``events``, ``link_hops``, ``finished`` of all ``flows``, packets ``delivered`` (duplicates
counted) of all ``packets``, and the ``fraction`` of the work that is done, as far as packets tell.
"""

# Picoseconds in a microsecond.
MICROSECOND = 1e6


def simulate(
    fabric: Fabric | str,
    routing: Routing | str,
    load: Workload | str,
    transport: str = TRANSPORT,
    selector: str = SELECTOR,
    *,
    rate: str = RATE,
    latency: str = LATENCY,
    mtu: str = MTU,
    queue: str | None = None,
    nic: str = NIC,
    faults: Sequence[str] = (),
    seed: int = 0,
    until: str | None = None,
    sample: str | None = None,
    threads: int | None = None,
    profile: bool = False,
    progress: Callable[[Progress], object] | None = None,
    keep_partial: bool = False,
) -> Simulation:
    """Simulates a workload over a routed fabric, packet by packet.

    All links, those of endpoints included, have one rate and one latency. Runs without the interpreter's lock, so that
    several run side by side; the result depends on the arguments alone, ``threads`` not among them.

    Parameters
    ----------
    fabric, routing, load
        The network, its routing and the messages, or the specs that make them under ``seed``.
    transport, selector
        Specs; ``tulle list transports`` and ``tulle list selectors`` show what there is.
    queue
        The spec of the queues of switch ports (``tulle list queues``); None: those that the transport is made for:
        ``trim`` for purified and ndp, ``droptail`` for tcp, ``ecn`` for dctcp and mptcp, ``pfc`` for dcqcn.
    nic
        In which order the flows of an endpoint go to its link: ``"round-robin"`` (they take turns) or ``"fifo"``.
    rate
        Of every link, with its unit: ``"100Gbps"``.
    latency
        From the end of a transmission until the packet is at the next port: ``"1us"``.
    mtu
        A full packet on the wire, its header of 64 bytes included: ``"9KB"``.
    faults
        What fails when: ``"down:links=ids:12,at=50us,until=1ms"``, ``"drop:switches=1,loss=1%"``, …; links are
        cables by the lower of their channels. ``"@FILE"`` stands for those that a file lists, one a line.
    seed
        Of all random choices.
    until
        When to cut the run off: ``"10ms"``; None: when every flow has finished.
    sample
        Time from one row of ``samples`` to the next: ``"10us"``; None for none.
    threads
        1 to 64 that share the work; None: one per processor from 4096 endpoints on, else one. With the queue ``pfc``,
        faults, messages that wait for others, or links so short that threads would only wait for each other, one does
        it in any case.
    profile
        Whether to take the times for ``profile`` of the result; costs about a hundredth.
    progress
        Called about twenty times a second with how far the run is; what it raises ends the run.
    keep_partial
        On Ctrl-C, return what happened until then, marked ``partial``, instead of raising KeyboardInterrupt.

    Raises
    ------
    tulle.SpecError
        For an unknown transport, selector, queue, nic or fault or an illegal value.
    tulle.InputError
        For a routing of another fabric, or messages that do not fit it.
    KeyboardInterrupt
        On Ctrl-C, unless ``keep_partial``.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("slimfly:q=5")
    >>> load = tulle.traffic(fabric, "permutation:bytes=64KiB", seed=1)
    >>> result = tulle.simulate(fabric, tulle.route(fabric, "minimal"), load, seed=1)
    >>> result.summary()["completed"]
    200
    """
    fabric = as_fabric(fabric, seed)
    routing, load = as_routing(fabric, routing, seed), as_workload(fabric, load, seed)
    configuration = configure(transport, selector, rate, latency, mtu, queue, nic, seed, until, faults, sample)
    if threads is not None and threads < 0:
        raise InputError(f"threads={threads} is out of range; legal: 1 to 64")
    options: RunOptions = {"threads": threads, "profile": profile, "keep_partial": keep_partial}
    core = _tulle.simulate(routing._core, load._core, configuration, options, progress)
    return Simulation(core, configuration)


def configure(
    transport: str,
    selector: str,
    rate: str,
    latency: str,
    mtu: str,
    queue: str | None,
    nic: str,
    seed: int,
    until: str | None,
    faults: Sequence[str] = (),
    sample: str | None = None,
) -> Configuration:
    """The configuration of a simulation, numbers with their units."""
    if isinstance(faults, str):
        raise InputError(f"faults={faults!r} is one text; legal: a list of them")
    transport = as_spec("transport", transport, "purified")
    queue = _tulle.default_queue(transport) if queue is None else queue
    return {
        "transport": transport,
        "selector": as_spec("selector", selector, "flowlet"),
        "queue": as_spec("queue", queue, "trim"),
        "nic": as_spec("nic", nic, "round-robin"),
        # A bare number is refused where it is read, with the unit that it may have meant.
        "rate": str(rate),
        "latency": str(latency),
        "mtu": str(mtu),
        "faults": read_faults(faults),
        "until": None if until is None else str(until),
        "sample": None if sample is None else str(sample),
        "seed": read_seed(seed),
    }


class Specs(TypedDict):
    """Canonical specs: every parameter resolved."""

    transport: str
    selector: str
    queue: str
    nic: str
    faults: list[str]


class HeldPort(TypedDict):
    """A port in a deadlock: its channel, and that one's source and target switch.

    ``since`` when it is asked to pause (picoseconds), the ``bytes`` that wait there and the ``flows`` they are of.
    """

    channel: int
    source: int
    target: int
    since: int
    bytes: int
    flows: list[int]


class Deadlock(TypedDict):
    """A cycle of paused ports, each waiting for the next: when it closed (picoseconds), its ports, all in words."""

    time: int
    ports: list[HeldPort]
    text: str


class Profile(TypedDict):
    """What a simulation took: its ``threads``, ``events`` by kind, and wall-clock ``seconds``.

    The seconds are those of ``setup``, of each kind of event (from a sample of one in 61), of ``ordering`` events, of
    ``waiting`` for other threads, and of ``gathering`` the outcome; those between setup and gathering are added over
    threads.
    """

    threads: int
    events: dict[str, int]
    seconds: dict[str, float]


class FaultReport(TypedDict):
    """What a fault did.

    ``spec`` with every parameter, ``links`` that failed (each direction counted), packets ``data_lost`` and
    ``control_lost``, flows ``stalled``, and ``time_to_recover_us`` from its start until the last of them had what was
    lost, None where one did not.
    """

    spec: str
    links: int
    data_lost: int
    control_lost: int
    stalled: int
    time_to_recover_us: float | None


class Configuration(TypedDict):
    """What a simulation needs beside fabric, routing and workload; values carry their units."""

    transport: str
    selector: str
    queue: str
    nic: str
    rate: str
    latency: str
    mtu: str
    faults: list[str]
    until: str | None
    sample: str | None
    seed: int


class RunOptions(TypedDict):
    """How a simulation is run, which changes nothing about its outcome."""

    threads: int | None
    profile: bool
    keep_partial: bool


class Simulation:
    """What a simulation found: flows as columns, counters, and a summary. Made by `tulle.simulate`."""

    def __init__(self, core: _tulle.Outcome | Recorded, configuration: Configuration) -> None:
        self._core = core
        self.configuration = configuration

    @property
    def complete(self) -> bool:
        """Whether every flow finished."""
        return self._core.complete

    @property
    def partial(self) -> bool:
        """Whether Ctrl-C ended the run and all holds what happened until then; see ``keep_partial`` of `simulate`."""
        return self._core.partial

    @property
    def end(self) -> int:
        """When the last flow finished, or the run was cut off, in picoseconds."""
        return self._core.end

    @cached_property
    def deadlock(self) -> Deadlock | None:
        """The cycle of paused ports that ended the run, None where nothing did (queue ``pfc`` only)."""
        return self._core.deadlock()

    @cached_property
    def counters(self) -> dict[str, int]:
        """What happened in the network: packets sent, delivered, trimmed, dropped; ``link_hops``, ``events``, …."""
        return self._core.counters()

    @cached_property
    def packet_time_us(self) -> dict[str, float]:
        """Where the time of packets went, all of every kind in sum, in us.

        ``waiting_at_endpoints`` and ``waiting_at_switches`` in queues, ``sending`` (their bits at the rate of links,
        at every hop), ``travelling`` (the latency of links, at every hop), ``handling`` (receiving software and
        interrupts).
        """
        return {name: time / MICROSECOND for name, time in self._core.spent().items()}

    @cached_property
    def profile(self) -> Profile | None:
        """Where the time of the simulation went, None unless asked for; no two runs give the same."""
        return self._core.profile()

    @cached_property
    def flows(self) -> Columns:
        """The flows, rows as in the workload; times in picoseconds, −1 where a flow did not get so far.

        ``source``, ``destination`` (int32), ``bytes``, ``start``, ``delivered`` (last byte arrived), ``finish`` (the
        source knows so; int64), ``hops`` (links per packet on average, endpoint links counted; float32),
        ``retransmits``, ``trimmed``, ``timeouts``, ``layer_changes`` (uint32), ``bytes_delivered`` (payload that has
        arrived, each byte counted once, of flows cut off too; int64).
        """
        return Columns({name: frozen(column) for name, column in self._core.flows().items()})

    @cached_property
    def links(self) -> Columns:
        """The links, a row per direction: channels by id, links of endpoints to their switches, and those back.

        ``source``, ``target`` (switches, −1 for an endpoint), ``endpoint`` (−1 for channels; int32), ``bytes`` sent
        (int64), ``utilisation`` (share of the time until ``end``, or until nothing was being sent any more where that
        was later; 0 to 1, float64), ``peak`` (the longest backlog: picoseconds until all that was there at some time
        had left, packets with payload that wait taken for full ones; int64).
        """
        return Columns({name: frozen(column) for name, column in self._core.links().items()})

    @cached_property
    def samples(self) -> Columns:
        """The state of the network every ``sample``, int64; no rows where none were asked for.

        ``time`` (picoseconds), since the start ``finished`` flows and packets ``data_delivered`` and ``data_failed``
        (trimmed, dropped or lost), packets ``in_flight``, the ``backlog`` of all switch ports and the ``longest`` of
        one (picoseconds).
        """
        return Columns({name: frozen(column) for name, column in self._core.samples().items()})

    @cached_property
    def faults(self) -> list[FaultReport]:
        """What each fault did, in the order given."""
        return self._core.faults()

    @cached_property
    def stalls(self) -> Columns:
        """The times during which flows waited for what faults had taken, by when they began.

        ``flow``, ``fault`` (which took the first packet; int32), ``since`` the first loss ``until`` all lost since had
        arrived (picoseconds, −1 where it did not; int64), packets ``lost`` (uint32).
        """
        return Columns({name: frozen(column) for name, column in self._core.stalls().items()})

    @cached_property
    def cut_off(self) -> list[int]:
        """The flows that faults cut off for good, ascending."""
        return self._core.cut_off()

    @cached_property
    def fct_us(self) -> NDArray[np.float64]:
        """Flow completion times, start to last acknowledgement, in us, float64 (n,); NaN for unfinished flows."""
        finish = self.flows["finish"]
        return frozen(np.where(finish < 0, np.nan, (finish - self.flows["start"]) / MICROSECOND))

    @cached_property
    def slowdown(self) -> NDArray[np.float64]:
        """Completion time over that of the flow alone, per flow, float64 (n,); NaN for unfinished flows.

        Alone means over a shortest path on an idle fabric, acknowledged, with neither window nor handshake; so 1 is the
        least but for flows of several subflows.

        Raises
        ------
        tulle.InputError
            For a flow over 253 switches or more.
        """
        return frozen(self.fct_us * MICROSECOND / self._core.ideal_fct())

    @cached_property
    def throughput_gbps(self) -> NDArray[np.float64]:
        """Payload bits over completion time per flow, in Gb/s, float64 (n,); NaN for unfinished flows."""
        return frozen(self.flows["bytes"] * 8e-3 / self.fct_us)

    def write_fct(self, path: str | PathLike[str]) -> None:
        """Writes the flows that finished as the ns-3 simulator of HPCC does (``fct.txt``); takes its place once whole.

        A line per flow, in the order in which they finished: ``sip dip sport dport size start fct standalone_fct``,
        addresses in hexadecimal (endpoint n is 0b000001 plus n in the middle two bytes), ports from 10000 on per pair
        and 100, bytes, nanoseconds. ``standalone_fct`` is what the flow takes alone over a shortest path, acknowledged,
        with neither window nor handshake; HPCC's scripts divide by it.

        Raises
        ------
        tulle.FileError
            Where it cannot be written.
        """
        from tulle._atomic_write import replacing
        from tulle._fct import fct_lines

        text = fct_lines(self.flows, self._core.ideal_fct())
        with replacing(Path(path)) as file:
            file.write(text.encode())

    def summary(self) -> dict[str, Any]:
        """Counts, and completion times and throughput over the flows that finished (None where none did).

        ``p50`` and ``p99`` interpolate linearly between order statistics.
        """
        done = self.fct_us[~np.isnan(self.fct_us)]
        speed = self.throughput_gbps[~np.isnan(self.throughput_gbps)]
        none = len(done) == 0
        return {
            "flows": len(self.fct_us),
            "completed": len(done),
            "end_us": self.end / MICROSECOND,
            "fct_us": {
                "mean": None if none else float(done.mean()),
                "p50": None if none else float(np.percentile(done, 50)),
                "p99": None if none else float(np.percentile(done, 99)),
                "max": None if none else float(done.max()),
            },
            "throughput_gbps": {
                "mean": None if none else float(speed.mean()),
                "min": None if none else float(speed.min()),
            },
            "link_hops": self.counters["link_hops"],
            "partial": self.partial,
            "faults_in_time": self.faults,
            "cut_off": self.cut_off,
            "deadlock": None if self.deadlock is None else self.deadlock["text"],
            "packet_time_us": self.packet_time_us,
            "counters": self.counters,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Simulation):
            return NotImplemented
        return self.configuration == other.configuration and same_record(self._core, other._core, without="profile")

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Simulation, (Recorded.of(self._core), self.configuration)

    def __repr__(self) -> str:
        done = int((self.flows["finish"] >= 0).sum())
        return f"<Simulation: {done} of {self.flows.num_rows} flows finished in {self.end / MICROSECOND:.6g} us>"
