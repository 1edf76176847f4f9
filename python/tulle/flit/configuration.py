"""Configuration of a flit simulation, beside fabric, routing and traffic; defaults are the simulator's own."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, TypedDict, cast

from tulle import _tulle
from tulle._internal.arguments import as_spec, read_seed
from tulle._internal.text import did_you_mean
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Settings(TypedDict, total=False):
    """Keywords that all flit simulations take; each has a default, and times are in cycles."""

    vcs: int | None
    router: str
    selector: str
    policy: str
    packet: int
    link_latency: int
    class_latency: Mapping[str, int] | None
    endpoint_latency: int
    threads: int
    may_deadlock: bool


class OpenLoopSettings(Settings, total=False):
    """Keywords of `tulle.simulate_flits` and `tulle.saturation`: endpoints offer a load, measured over a window."""

    cycle_ps: int | None
    warmup: int
    warmup_tolerance: float | None
    window: int
    drain: int
    sample: int


class FlitConfiguration(TypedDict):
    """A configuration whole: settings with defaults filled in, the virtual channels in the router's spec."""

    router: str
    selector: str
    policy: str
    load: float
    packet: int
    link_latency: int
    class_latency: list[tuple[str, int]]
    endpoint_latency: int
    cycle_ps: int | None
    warmup: int
    warmup_tolerance: float | None
    window: int
    drain: int
    sample: int
    seed: int
    threads: int
    may_deadlock: bool


DEFAULTS: FlitConfiguration = _tulle.flit_defaults()
"""The simulator's own."""

OPEN_LOOP = ("load", *OpenLoopSettings.__annotations__)
CLOSED_LOOP = ("order", "flit_bytes", "cycle_ps", "limit", *Settings.__annotations__)
"""Keywords, by what ends a run: a window of time, or the last message's arrival."""


def configure(
    load: float, seed: int, settings: Mapping[str, Any], legal: Sequence[str] = OPEN_LOOP
) -> FlitConfiguration:
    """The configuration of a simulation, defaults filled in, numbers checked as far as that concerns Python.

    `legal` are the keywords that there are.

    Raises
    ------
    tulle.InputError
        For another setting, or a number that is not whole.
    """
    for name in settings:
        if name not in legal:
            raise InputError(f"unknown setting '{name}'; {did_you_mean(name, legal)}")
    values: dict[str, Any] = {**DEFAULTS, **settings}
    vcs = values.pop("vcs", None)
    for name, default in DEFAULTS.items():
        if isinstance(default, int) and not isinstance(default, bool) and name != "seed":
            values[name] = whole(name, values[name])
    for name, example in (
        ("router", DEFAULTS["router"]),
        ("selector", DEFAULTS["selector"]),
        ("policy", DEFAULTS["policy"]),
    ):
        as_spec(name, values[name], example)
    if values["cycle_ps"] is not None:
        values["cycle_ps"] = whole("cycle_ps", values["cycle_ps"])
    classes = dict(values["class_latency"] or {})
    values["class_latency"] = [(str(name), whole(f"class_latency of {name}", at)) for name, at in classes.items()]
    if values["warmup_tolerance"] is not None:
        values["warmup_tolerance"] = float(values["warmup_tolerance"])
    values["router"] = with_vcs(values["router"], vcs)
    return cast("FlitConfiguration", {**values, "load": float(load), "seed": read_seed(seed)})


def resolve(configuration: FlitConfiguration) -> FlitConfiguration:
    """The same with canonical specs.

    Raises
    ------
    tulle.SpecError
        For an unknown router, selector or policy, or an illegal value.
    """
    return {**configuration, **_tulle.resolve_flit(configuration)}  # type: ignore[typeddict-item]


def with_vcs(router: str, vcs: int | None) -> str:
    """The spec of a router with so many virtual channels."""
    if vcs is None:
        return router
    name, arguments = _tulle.split_spec(router)
    for key, value in arguments:
        if key == "vcs":
            raise InputError(f"vcs={vcs}, and {key}={value} in the router; legal: one of them")
    return _tulle.join_spec(name, [*arguments, ("vcs", str(vcs))])


def whole(name: str, value: Any) -> int:
    """A whole number of 32 bits."""
    most = (1 << 32) - 1
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{name}={value!r} is not a whole number; legal: 0 to {most}") from None
    if not 0 <= number <= most:
        raise InputError(f"{name}={number} is out of range; legal: 0 to {most}")
    return number
