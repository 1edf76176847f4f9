"""Configuration of a packet simulation, beside fabric, routing and workload; defaults are the simulator's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from tulle import _tulle
from tulle._internal.arguments import as_spec, read_seed
from tulle._internal.reading import at_file, lines
from tulle.errors import FormatError, InputError, TulleError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DEFAULTS = _tulle.packet_defaults()
TRANSPORT, SELECTOR, NIC = _DEFAULTS["transport"], _DEFAULTS["selector"], _DEFAULTS["nic"]
RATE, LINK_LATENCY, MTU = _DEFAULTS["rate"], _DEFAULTS["link_latency"], _DEFAULTS["mtu"]


class Defaults(TypedDict):
    """The default settings; the queue is the transport's affair."""

    transport: str
    selector: str
    nic: str
    rate: str
    link_latency: str
    mtu: str


class Specs(TypedDict):
    """Canonical specs: every parameter resolved."""

    transport: str
    selector: str
    queue: str
    nic: str
    faults: list[str]


class Configuration(TypedDict):
    """The settings of a simulation, beside fabric, routing and workload; values carry their units."""

    transport: str
    selector: str
    queue: str
    nic: str
    rate: str
    link_latency: str
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


def configure(
    transport: str = TRANSPORT,
    selector: str = SELECTOR,
    *,
    queue: str | None = None,
    nic: str = NIC,
    rate: str = RATE,
    link_latency: str = LINK_LATENCY,
    mtu: str = MTU,
    faults: Sequence[str] = (),
    until: str | None = None,
    sample: str | None = None,
    seed: int = 0,
) -> Configuration:
    """The configuration of a simulation, numbers with their units; without a queue, that of the transport."""
    if isinstance(faults, str):
        raise InputError(f"faults={faults!r} is one text; legal: a list of them")
    transport = as_spec("transport", transport, TRANSPORT)
    queue = _tulle.default_queue(transport) if queue is None else queue
    return {
        "transport": transport,
        "selector": as_spec("selector", selector, SELECTOR),
        "queue": as_spec("queue", queue, "trim"),
        "nic": as_spec("nic", nic, NIC),
        # A bare number is refused where it is read, with the unit that it may have meant.
        "rate": str(rate),
        "link_latency": str(link_latency),
        "mtu": str(mtu),
        "faults": read_faults(faults),
        "until": None if until is None else str(until),
        "sample": None if sample is None else str(sample),
        "seed": read_seed(seed),
    }


def resolve(configuration: Configuration) -> Configuration:
    """The same with canonical specs.

    Raises
    ------
    tulle.SpecError
        For an unknown transport, selector, queue, nic or fault or an illegal value.
    """
    return {**configuration, **_tulle.resolve(configuration)}


def read_faults(faults: Sequence[str]) -> list[str]:
    """The same faults, in place of every ``@FILE`` those that the file lists, one a line.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or a line that is no fault.
    """
    found: list[str] = []
    for fault in faults:
        path = at_file(fault)
        if path is None:
            found.append(fault)
            continue
        for number, spec in lines(path):
            _check_fault(path, number, spec)
            found.append(spec)
    return found


def _check_fault(path: Path, number: int, spec: str) -> None:
    """That a line is a fault by itself; what does not fit the fabric or the run is told when it starts."""
    try:
        # Cut off at some time: whether a fault may keep a run from ending is the run's affair.
        _tulle.resolve({**configure(), "faults": [spec], "until": "1s"})
    except TulleError as error:
        raise FormatError(f"{path}:{number}: {error}") from None
