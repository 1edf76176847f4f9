"""Results of a packet simulation."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.html_summary import Overview, Shown, flat
from tulle._internal.results import Recorded, same_record
from tulle.columns import Columns

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.packet.options import Configuration

Progress = _tulle.Progress
"""The progress of a running simulation.

The fields are the simulated time ``now`` (picoseconds), ``events``, ``link_hops``, ``finished`` flows of all ``flows``,
packets ``delivered`` (including duplicates) of all ``packets``, and the completed ``fraction`` of the work, estimated
by packets.
"""

# Picoseconds in a microsecond.
MICROSECOND = 1e6

_FLOW_UNITS = dict.fromkeys(("start", "delivered", "finish"), "ps")
_STALL_UNITS = dict.fromkeys(("since", "until"), "ps")
_LINK_SAMPLE_UNITS = {"time": "ps", "queue": "bytes"}
_SAMPLE_UNITS = dict.fromkeys(("time", "backlog", "longest"), "ps")


class HeldPort(TypedDict):
    """A port in a deadlock: its channel, with the channel's source and target switch.

    ``lane`` is the paused virtual lane; None without virtual lanes. ``since`` is the time at which the target switch
    requested the pause (picoseconds), ``bytes`` is the number of bytes that wait at the port, and ``flows`` are the
    flows to which these bytes belong.
    """

    channel: int
    lane: int | None
    source: int
    target: int
    since: int
    bytes: int
    flows: list[int]


class Deadlock(TypedDict):
    """A cycle of paused ports, each waiting for the next.

    ``time`` is when the last pause of the cycle was requested (picoseconds). ``ports`` are in the order of the cycle.
    ``text`` describes the deadlock.
    """

    time: int
    ports: list[HeldPort]
    text: str


class Profile(TypedDict):
    """The cost of a simulation: its ``threads``, ``events`` by kind, and wall-clock ``seconds``.

    ``seconds`` has the time of ``setup``, of each kind of event (estimated from one event in 61), of ``ordering``
    events, of ``waiting`` for other threads, and of ``gathering`` the outcome. All times except ``setup`` and
    ``gathering`` are summed over threads.
    """

    threads: int
    events: dict[str, int]
    seconds: dict[str, float]


class FaultReport(TypedDict):
    """The effects of a fault.

    ``spec`` is the fault spec with every parameter. ``links`` is the number of failed links; each direction counts.
    ``data_lost`` and ``control_lost`` are the numbers of lost data packets and control packets. ``stalled`` is the
    number of stalled flows. ``time_to_recover_us`` is the time from the fault's start until the last stalled flow had
    received its lost packets; 0 if no flow stalled, None if a flow never received them.
    """

    spec: str
    links: int
    data_lost: int
    control_lost: int
    stalled: int
    time_to_recover_us: float | None


class Simulation(Shown):
    """The result of a simulation: flows as columns, counters, and a summary. Made by `tulle.simulate`."""

    def __init__(self, core: _tulle.Outcome | Recorded, configuration: Configuration, fabric: Fabric) -> None:
        self._core = core
        self.configuration = configuration
        self.fabric: Fabric = fabric
        """The simulated network."""

    @property
    def complete(self) -> bool:
        """Whether every flow finished."""
        return self._core.complete

    @property
    def partial(self) -> bool:
        """Whether Ctrl-C ended the run early; results then cover the time until Ctrl-C.

        See ``keep_partial`` of `simulate`.
        """
        return self._core.partial

    @property
    def end(self) -> int:
        """Time at which the last flow finished or the run stopped, in picoseconds."""
        return self._core.end

    @property
    def num_lanes(self) -> int:
        """Number of virtual lanes per port; 1 without a plan of virtual channels."""
        return self._core.num_lanes

    @property
    def deadlock_scheme(self) -> str | None:
        """The deadlock scheme that assigned the virtual lanes, with its parameters; None without virtual lanes."""
        return self._core.scheme

    @cached_property
    def deadlock(self) -> Deadlock | None:
        """The cycle of paused ports that ended the run, or None; only with the queue ``pfc``."""
        return self._core.deadlock()

    @cached_property
    def counters(self) -> dict[str, int]:
        """Counters of the whole run. Data packets have payload; control packets are acknowledgements, pulls and others.

        Data packets: ``data_sent`` is the sum of ``data_delivered`` (including duplicates), ``data_trimmed``,
        ``data_dropped`` (by queues), ``data_lost`` (by faults) and ``data_in_flight`` (at the end). Control
        packets: a trimmed packet continues as a control packet, so ``control_sent`` plus ``data_trimmed`` is the sum of
        ``control_delivered``, ``control_dropped``, ``control_lost`` and ``control_in_flight``.

        ``retransmitted`` is the part of ``data_sent`` that was sent again. ``pulls`` is the part of ``control_sent``
        that are pulls; pulls in acknowledgements are not counted. ``timeouts`` counts retransmission timers that fired,
        ``marked`` data packets that arrived with a congestion mark, ``pauses`` pause frames of switches, ``link_hops``
        the links that all packets crossed, and ``events`` the simulated events.
        """
        return self._core.counters()

    @cached_property
    def packet_time_us(self) -> dict[str, float]:
        """Time that packets spent, in us, summed over all packets, by cause.

        The causes are ``waiting_at_endpoints`` and ``waiting_at_switches`` (in queues), ``sending`` (transmission of
        the packet's bits at every hop), ``travelling`` (link latency at every hop) and ``handling`` (receiving software
        and interrupts).
        """
        return {name: time / MICROSECOND for name, time in self._core.spent().items()}

    @cached_property
    def profile(self) -> Profile | None:
        """Computing time of the simulation, which differs from run to run; None without the option ``profile``."""
        return self._core.profile()

    @cached_property
    def flows(self) -> Columns:
        """The flows, with rows as in the workload; times in picoseconds, −1 if a flow did not reach that point.

        The columns are ``source``, ``destination`` (int32), ``bytes``, ``start``, ``delivered`` (last byte arrived,
        and handled if ``software`` or ``gap`` is not 0), ``finish`` (last acknowledgement at the source, or
        ``delivered`` if that is later; int64), ``hops`` (mean links per packet, including endpoint links; float32),
        ``retransmits``, ``trimmed``, ``timeouts``, ``layer_changes`` (uint32), ``bytes_delivered`` (distinct payload
        that has arrived, also of unfinished flows; int64). Files of ``tulle simulate -o`` also have `slowdown`.
        """
        return Columns({name: frozen(column) for name, column in self._core.flows().items()}, _FLOW_UNITS)

    @cached_property
    def links(self) -> Columns:
        """The links, one row per direction: channels by id, then endpoints to switches, then switches to endpoints.

        The columns are ``source``, ``target`` (switches, −1 for an endpoint), ``endpoint`` (−1 for channels; int32),
        ``bytes`` sent (int64), ``utilisation`` (busy fraction of the time until ``end``, or until the last packet was
        sent if that was later; 0 to 1, float64), ``peak`` (the longest backlog in picoseconds of sending time, where
        every waiting packet with payload counts as a full packet; int64).
        """
        return Columns({name: frozen(column) for name, column in self._core.links().items()}, {"peak": "ps"})

    @cached_property
    def samples(self) -> Columns:
        """The state of the network at every sampling time, int64; no rows unless the option ``sample`` is set.

        ``time`` is the time of the sample (picoseconds). Three columns count since the start: ``finished`` flows, and
        the packets ``data_delivered`` and ``data_failed`` (trimmed, dropped or lost). Three columns describe the
        state at this time: the packets ``in_flight``, the total ``backlog`` of switch ports, and the ``longest``
        backlog of a port (both in picoseconds).
        """
        return Columns({name: frozen(column) for name, column in self._core.samples().items()}, _SAMPLE_UNITS)

    @cached_property
    def link_samples(self) -> Columns:
        """The state of the links of the option ``sample_links`` at every sampling time; no rows without the option.

        Rows are ordered by time, and then as the links were given. With n links, ``samples["queue"].reshape(-1, n)`` is
        an array (times, n). In addition to the sampling times, there is a sample at the end of the run.

        The columns are the ``time`` of the sample (picoseconds, int64); the ``link``, its row in `links`; ``source``,
        ``target`` and ``endpoint`` as in `links` (int32); ``bytes`` sent since the start (int64); the ``queue`` of the
        port: the bytes of waiting packets, and of the rest of the packet that is being sent (int64); the
        ``utilisation``, the fraction of the time since the previous sample in which the link was busy (0 to 1,
        float64). The utilisation times the link's rate, summed over time, gives the bytes.
        """
        return Columns({name: frozen(column) for name, column in self._core.link_samples().items()}, _LINK_SAMPLE_UNITS)

    @cached_property
    def faults(self) -> list[FaultReport]:
        """The effects of each fault, in the order given."""
        return self._core.faults()

    @cached_property
    def stalls(self) -> Columns:
        """Periods in which flows waited for packets that faults had destroyed, ordered by start.

        The columns are ``flow``, ``fault`` (the fault that destroyed the first packet; int32), ``since`` (time of the
        first loss), ``until`` (time at which all lost packets had arrived, −1 if they did not; both in picoseconds,
        int64), and ``lost`` (number of lost packets, uint32).
        """
        return Columns({name: frozen(column) for name, column in self._core.stalls().items()}, _STALL_UNITS)

    @cached_property
    def cut_off(self) -> list[int]:
        """Flows that faults disconnected for good, ascending."""
        return self._core.cut_off()

    @cached_property
    def fct_us(self) -> NDArray[np.float64]:
        """Flow completion times, start to last acknowledgement, in us, float64 (n,); NaN for unfinished flows."""
        finish = self.flows["finish"]
        return frozen(np.where(finish < 0, np.nan, (finish - self.flows["start"]) / MICROSECOND))

    @cached_property
    def slowdown(self) -> NDArray[np.float64]:
        """Slowdown per flow: completion time divided by that of the flow alone, float64 (n,); NaN for unfinished flows.

        The flow's time alone is its time over a shortest path on an idle fabric, until the last acknowledgement,
        without window limit or handshake. The slowdown is at least 1, except for flows with several subflows, and for
        flows over a path with more hops but faster links.

        Raises
        ------
        tulle.InputError
            If the switches of a flow are more than 254 hops apart.
        """
        return frozen(self.fct_us * MICROSECOND / self._core.ideal_fct())

    @cached_property
    def throughput_gbps(self) -> NDArray[np.float64]:
        """Payload bits divided by completion time, per flow, in Gb/s, float64 (n,); NaN for unfinished flows."""
        return frozen(self.flows["bytes"] * 8e-3 / self.fct_us)

    def _of_flows(self, of: str) -> NDArray[np.float64]:
        """Return the values of flows that a plot shows, with NaN for unfinished flows."""
        from tulle.plot.flows import read_of

        values = {"fct": "fct_us", "slowdown": "slowdown", "throughput": "throughput_gbps"}
        found: NDArray[np.float64] = getattr(self, values[read_of(of)])
        return found

    def plot_cdf(self, of: str = "fct", *, label: str | None = None, ax: Axes | None = None) -> Figure:
        """Draw the distribution over flows: the share of flows with a value at or below x.

        The share is of all flows, so the line ends below 1 if some flows are unfinished.

        Parameters
        ----------
        of
            ``fct`` (completion time, µs), ``slowdown`` or ``throughput`` (Gb/s).
        label
            The name of the line in the legend; None: no legend.
        ax
            Axes of matplotlib to draw on; every further line on them gets the next colour and dash. None: a new figure,
            as wide as a column of a paper.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError
            For another value of `of`.
        tulle.InputError
            If no flow finished.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.plot.flows import plot_cdf

        return plot_cdf(self._of_flows(of), of, label, ax=ax)

    def plot_fct_by_size(self, of: str = "fct", *, label: str | None = None, ax: Axes | None = None) -> Figure:
        """Draw the median and the 99th percentile of a property of finished flows over the message size.

        If there are more than ten different sizes, flows are grouped into ten bins with about equally many flows. A
        point is at the median size of its bin.

        Parameters
        ----------
        of, ax
            As in `plot_cdf`.
        label
            The beginning of the names of both lines in the legend; None: ``median`` and ``99th percentile``.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError, tulle.InputError, tulle.MissingDependencyError
            As in `plot_cdf`.
        """
        from tulle.plot.flows import plot_by_size

        return plot_by_size(self.flows["bytes"], self._of_flows(of), of, label, ax=ax)

    def plot_load(self, on: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw the utilisation of every channel as a heat map: the fraction of the time in which it was busy.

        Parameters
        ----------
        on, ax
            As in `tulle.Routing.plot_load`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError, tulle.InputError, tulle.MissingDependencyError
            As in `tulle.Routing.plot_load`.
        """
        from tulle.plot.load import plot_load

        # Channels come first, in the order of their ids; links of endpoints follow.
        load = 100 * self.links["utilisation"][: len(self.fabric.channels)]
        return plot_load(self.fabric, load, "utilisation (% of the time)", on, ax=ax)

    def plot_timeseries(self, of: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw queue and utilisation of sampled links over time, with a line per link.

        The simulation needs the options ``sample``, the time between samples, and ``sample_links``, the links. A
        utilisation is the mean over the time since the previous sample.

        Parameters
        ----------
        of
            ``queue`` (kB) or ``utilisation`` (%). None: both, one below the other.
        ax
            Axes of matplotlib to draw on, with `of`. None: a new figure, as wide as a column of a paper.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError
            For another value of `of`.
        tulle.InputError
            For a simulation that sampled no links, or `ax` without `of`.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.

        Examples
        --------
        >>> import tulle
        >>> result = tulle.simulate(
        ...     "clique:degree=3",
        ...     "minimal",
        ...     "incast:bytes=64KiB",
        ...     sample="5us",
        ...     sample_links=["0--1", "to:0"],
        ... )
        >>> figure = result.plot_timeseries()
        """
        from tulle.plot.timeseries import plot_timeseries

        labels = self.fabric.labels
        return plot_timeseries(self.link_samples, of, labels=lambda switch: labels[switch], ax=ax)

    def write_fct(self, path: str | PathLike[str]) -> None:
        """Write finished flows in the format of HPCC's ns-3 simulator (``fct.txt``).

        An existing file is replaced only once the new file is complete. Each line is a flow, in the order of
        completion: ``sip dip sport dport size start fct standalone_fct``. Addresses are hexadecimal: endpoint n is
        0b000001 plus n in the middle two bytes. Source ports count from 10000 for each pair of endpoints, and the
        destination port is 100. Sizes are in bytes, times in nanoseconds. ``standalone_fct`` is the flow's completion
        time alone over a shortest path, without window limit or handshake; HPCC's scripts divide by it.

        Raises
        ------
        tulle.FileError
            If the file cannot be written.
        """
        from tulle._internal.writing.atomic import replacing
        from tulle.packet.fct import fct_lines

        text = fct_lines(self.flows, self._core.ideal_fct())
        with replacing(Path(path)) as file:
            file.write(text.encode())

    def summary(self) -> dict[str, Any]:
        """Return counts, and completion times and throughput over finished flows (None if there are none).

        The property `counters` explains ``link_hops`` and ``counters``. Times in ``fct_us``, ``end_us`` and
        ``packet_time_us`` are in microseconds, and ``throughput_gbps`` is in Gb/s.

        ``p50`` and ``p99`` interpolate linearly between order statistics. With virtual lanes, the summary also has
        ``deadlock_scheme`` and ``num_lanes``.
        """
        lanes = {"deadlock_scheme": self.deadlock_scheme, "num_lanes": self.num_lanes}
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
            **({} if self.deadlock_scheme is None else lanes),
            "packet_time_us": self.packet_time_us,
            "counters": self.counters,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Simulation):
            return NotImplemented
        return self.configuration == other.configuration and same_record(self._core, other._core, without="profile")

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Simulation, (Recorded.of(self._core), self.configuration, self.fabric)

    def _overview(self) -> Overview:
        told = flat(self.summary(), without=("counters", "faults_in_time"))
        settings = {name: self.configuration[name] for name in ("transport", "selector")}
        values = {**settings, **told, "cut_off": len(self.cut_off)}
        return Overview("Simulation", self.fabric.spec, values, rows=[dict(fault) for fault in self.faults])

    def __repr__(self) -> str:
        done = int((self.flows["finish"] >= 0).sum())
        return f"<Simulation: {done} of {self.flows.num_rows} flows finished in {self.end / MICROSECOND:.6g} us>"
