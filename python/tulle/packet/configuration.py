"""The configuration of a packet simulation, except fabric, routing and workload."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

from tulle import _tulle
from tulle._internal.arguments import as_spec, read_seed, read_texts
from tulle._internal.reading import at_file, lines
from tulle._internal.settings import merge
from tulle.errors import FormatError, InputError, TulleError
from tulle.packet.options import DEFAULTS, QUANTITIES, SPECS, Configuration, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from typing_extensions import Unpack

TRANSPORT: str = DEFAULTS["transport"]
_EXAMPLES = {"queue": "trim", "selector": "recycle"}


def configure(
    transport: str = TRANSPORT, selector: str | None = None, *, seed: int = 0, **settings: Unpack[Settings]
) -> Configuration:
    """Return the configuration of a simulation with all defaults filled in.

    If no queue or selector is given, the configuration has the transport's default. It has ``threads`` and ``profile``
    only if they are given.

    Raises
    ------
    tulle.InputError
        For an unknown setting, or a value of another type.
    """
    values = merge(DEFAULTS, Settings, settings, ("transport", "selector", "seed", "progress", "keep_partial"))
    values |= {"transport": as_spec("transport", transport, TRANSPORT), "selector": selector, "seed": read_seed(seed)}
    for name, default in (("queue", _tulle.default_queue), ("selector", _tulle.default_selector)):
        if values[name] is None:
            values[name] = default(transport)
    for name in SPECS:
        values[name] = as_spec(name, values[name], DEFAULTS[name] or _EXAMPLES[name])
    for name in QUANTITIES:
        # The Rust core refuses a number without a unit, and its error message suggests a unit.
        values[name] = None if values[name] is None else str(values[name])
    values["faults"] = read_faults(values["faults"] or ())
    values["sample_links"] = _read_names(() if values["sample_links"] is None else values["sample_links"])
    for name in ("threads", "profile"):
        if name not in settings:
            del values[name]
    return cast("Configuration", values)


def resolve(configuration: Configuration) -> Configuration:
    """Return the same configuration with canonical specs.

    Raises
    ------
    tulle.SpecError
        For an unknown transport, selector, queue, nic or fault or an illegal value.
    """
    return cast("Configuration", {**configuration, **_tulle.resolve(configuration)})


def read_faults(faults: str | Iterable[str]) -> list[str]:
    """Return faults as a list. Each ``@FILE`` is replaced by the faults that the file lists, one per line.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or a line that is not a fault spec.
    """
    found: list[str] = []
    for fault in read_texts("faults", faults):
        as_spec("faults", fault, "down:links=5%")
        path = at_file(fault)
        if path is None:
            found.append(fault)
            continue
        for number, spec in lines(path):
            _check_fault(path, number, spec)
            found.append(spec)
    return found


def _read_names(links: str | int | Iterable[str | int]) -> list[str]:
    """Return the names of links as texts. A number is the id of a channel."""
    legal = "legal: a list of links, for example ['3--7', 'to:12']"
    found = [links] if isinstance(links, (str, int, Integral)) else read_texts("sample_links", links)
    for link in found:
        if not isinstance(link, (str, Integral)) or isinstance(link, bool):
            raise InputError(f"sample_links has {link!r}, which names no link; {legal}")
    return [str(link) for link in found]


def _check_fault(path: Path, number: int, spec: str) -> None:
    """Check the syntax of a fault spec. The start of the run checks whether the fault fits the fabric and the run."""
    try:
        # The check sets an end time, because some faults are legal only in runs with an end time. A missing end time is
        # not an error of the fault spec.
        _tulle.resolve({**configure(), "faults": [spec], "until": "1s"})
    except TulleError as error:
        raise FormatError(f"{path}:{number}: {error}") from None


def without_run(configuration: dict[str, Any]) -> Configuration:
    """Return the options that decide the outcome of a simulation: all but its threads and its profile."""
    kept = {name: value for name, value in configuration.items() if name in Configuration.__annotations__}
    return cast("Configuration", kept)
