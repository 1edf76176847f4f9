"""The configuration of a flit simulation, except fabric, routing and traffic."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, cast

from tulle import _tulle
from tulle._internal.arguments import as_spec, read_fraction, read_seed
from tulle._internal.settings import merge
from tulle.errors import InputError
from tulle.flit.options import (
    DEFAULTS,
    FRACTIONS,
    NUMBERS,
    SPECS,
    ExchangeSettings,
    FlitConfiguration,
    NetworkSettings,
    WindowSettings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NetworkSettings, total=False):
    """The keywords of all flit simulations. Each has a default; times are in cycles."""

    vcs: int | None
    """Number of virtual channels per port; replaces the number in the router's spec."""


class OpenLoopSettings(Settings, WindowSettings, total=False):
    """The keywords of `tulle.simulate_flits` and `tulle.saturation`: endpoints offer a load, measured over a window."""


class ClosedLoopSettings(ExchangeSettings, Settings, total=False):
    """The keywords of `tulle.simulate_exchange`."""


def configure(load: float, seed: int, settings: Mapping[str, Any], typed: type = OpenLoopSettings) -> FlitConfiguration:
    """Return the configuration of a simulation with all defaults filled in.

    The parameter `typed` is the dictionary type that lists the legal settings.

    Raises
    ------
    tulle.InputError
        For an unknown setting, or a number that is not whole.
    """
    values = merge(DEFAULTS, typed, settings, ("load", "seed") if typed is OpenLoopSettings else ("seed",))
    vcs = values.pop("vcs", None)
    for name in NUMBERS:
        values[name] = None if values[name] is None and DEFAULTS[name] is None else whole(name, values[name])
    for name in SPECS:
        as_spec(name, values[name], DEFAULTS[name])
    classes = dict(values["class_latency"] or {})
    values["class_latency"] = [(str(name), whole(f"class_latency of {name}", at)) for name, at in classes.items()]
    for name in FRACTIONS:
        values[name] = None if values[name] is None else read_fraction(name, values[name])
    values["router"] = with_vcs(values["router"], vcs)
    return cast("FlitConfiguration", {**values, "load": read_fraction("load", load), "seed": read_seed(seed)})


def resolve(configuration: FlitConfiguration) -> FlitConfiguration:
    """Return the same configuration with canonical specs.

    Raises
    ------
    tulle.SpecError
        For an unknown router, selector or policy, or an illegal value.
    """
    return cast("FlitConfiguration", {**configuration, **_tulle.resolve_flit(configuration)})


def with_vcs(router: str, vcs: int | None) -> str:
    """Return the router's spec with the number of virtual channels set to `vcs`; None changes nothing."""
    if vcs is None:
        return router
    name, arguments = _tulle.split_spec(router)
    for key, value in arguments:
        if key == "vcs":
            raise InputError(f"vcs={vcs}, and {key}={value} in the router; legal: one of them")
    return _tulle.join_spec(name, [*arguments, ("vcs", str(vcs))])


def whole(name: str, value: Any) -> int:
    """Check that a value is a whole number below 2³², and return it."""
    most = (1 << 32) - 1
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{name}={value!r} is not a whole number; legal: 0 to {most}") from None
    if not 0 <= number <= most:
        raise InputError(f"{name}={number} is out of range; legal: 0 to {most}")
    return number
