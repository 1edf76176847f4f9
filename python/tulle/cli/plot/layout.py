"""``tulle plot layout``: draw the floor of a layout to scale."""

from __future__ import annotations

from tulle._internal.quantities import watts
from tulle.cli.network.fabric import Fail, Spec, build
from tulle.cli.network.layout import (
    Floor,
    HostUnits,
    HostWatts,
    NicsPerHost,
    Parts,
    Ports,
    PriceList,
    Switch,
    Through,
    check_priced,
    ports_of,
)
from tulle.cli.plot.options import Output, write
from tulle.cli.terminal.output import Seed, note


def layout(
    spec: Spec,
    output: Output,
    floor: Floor = None,
    prices: PriceList = None,
    switch: Switch = None,
    through: Through = None,
    ports: Ports = None,
    parts: Parts = None,
    nics_per_host: NicsPerHost = None,
    host_units: HostUnits = None,
    host_watts: HostWatts = None,
    seed: Seed = 0,
    fail: Fail = None,
) -> None:
    """Draws the floor of a layout to scale.

    With --prices, colours show the power of every rack.
    """
    from tulle.design.placement import place

    check_priced(prices, switch, host_watts)
    host_power = 0.0 if host_watts is None else watts("--host-watts", host_watts)
    found = place(
        build(spec, seed, fail, None),
        floor,
        parts=parts,
        through=through,
        ports=ports_of(through, ports),
        nics_per_host=nics_per_host,
        host_units=host_units,
        seed=seed,
    )
    for line in found.notes:
        note(line)
    write(found.plot(prices, switch, host_watts=host_power), output)
