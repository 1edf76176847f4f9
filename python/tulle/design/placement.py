"""Place a fabric in racks on a floor, and derive the length and medium of every cable."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle import _tulle
from tulle._internal.arrays import frozen, read_integers
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.results import equal_content
from tulle._internal.text import counted
from tulle.design.bill import Bill, Items
from tulle.design.floor import read_floor, with_hosts
from tulle.design.port_counts import ports_needed, ports_used
from tulle.design.prices import Prices, read_prices
from tulle.design.through import PORTS, Circuits, optical_switches, patch_panels, virtual_layered
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from tulle.columns import Columns
    from tulle.design.floor import Floor
    from tulle.design.power import Power
    from tulle.fabric import Fabric

__all__ = ["Layout", "place"]

_THROUGH = {"optical": optical_switches, "panels": patch_panels}


def place(
    fabric: Fabric | str,
    floor: Floor = None,
    *,
    parts: ArrayLike | str | None = None,
    through: str | None = None,
    ports: int = PORTS,
    nics_per_host: int | None = None,
    host_units: int | None = None,
    seed: int = 0,
) -> Layout:
    """Place switches and endpoints in racks on a floor, by the rack structure of the fabric's family.

    Parameters
    ----------
    fabric
        A fabric, or its spec.
    floor
        ``"column=2.5m,row=1.5m,slack=1m"``, a mapping with these keys, the name of an included floor
        (``tulle.design.shipped("floors")``), or the path of a ``.toml`` file; None: the defaults.
    parts
        The part of every switch, whole numbers (S,); the switches of a part are placed together. ``"metis"``: METIS
        computes parts that each fit in a rack, with few cables between them; needs ``tulle[partition]``.
    through
        ``optical`` or ``panels``: every network port has a cable to an optical switch or a patch panel, and these
        devices connect the ports (`tulle.design.optical_switches`, `tulle.design.patch_panels`). A Flattened Clos that
        was constructed for such devices (``eta=``, ``panel_ports=``) uses its own cabling
        (`tulle.design.virtual_layered`).
    ports
        Number of ports of an optical switch or patch panel.
    nics_per_host
        Number of endpoints per host; a host is in one rack. None: the floor's value, whose default is 1.
    host_units
        Rack units per host; None: the floor's value, whose default is 1.
    seed
        Seed of a fabric given as a spec, of the METIS partition, and of the search for a panel cabling.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For an illegal floor, if `parts` does not have one part per switch, or if cabling with `through` is impossible,
        for example because `ports` is too small.
    tulle.ConstructionError
        If no cabling through panels is found.
    tulle.MissingDependencyError
        For ``parts="metis"``, if pymetis is not installed.

    Examples
    --------
    >>> found = place("slimfly:q=5")
    >>> len(found.racks), int(found.cable_copper.sum()), int((~found.cable_copper).sum())
    (5, 75, 100)
    """
    fabric = as_fabric(fabric, seed)
    text = with_hosts(read_floor(floor), nics_per_host, host_units)
    _check_hosts(fabric, text)
    if through is not None and through not in _THROUGH:
        raise InputError(f"through='{through}' is not a kind of device; legal: {', '.join(_THROUGH)}")
    circuits = None if through is None else _circuits(fabric, through, ports, seed)
    whole_parts = None
    if isinstance(parts, str):
        from tulle.design.parts import by_metis

        if parts != "metis":
            raise InputError(
                f"parts='{parts}' is not a partition; legal: metis, or a list with the part of each switch"
            )
        before = fabric._undamaged()
        if before is None:
            parts = by_metis(fabric, text, seed)
        else:
            # Partition the intact fabric, so that failures do not change the rack of any device.
            whole_parts = by_metis(before[0], text, seed).astype(np.int64)
            parts = whole_parts[before[1]["switches"]]
    given = None if parts is None else read_integers("parts", parts)
    return Layout(fabric, text, given, circuits, whole_parts)


class Layout(Shown):
    """A fabric in racks on a floor. Made by `tulle.place`.

    Lengths are in millimetres; rack units count from 1 at the bottom.
    """

    def __init__(
        self,
        fabric: Fabric,
        floor: str,
        parts: NDArray[np.int64] | None,
        circuits: Circuits | None,
        whole_parts: NDArray[np.int64] | None = None,
    ) -> None:
        self.fabric = fabric
        self.circuits: Circuits | None = circuits
        """The connections inside optical switches or patch panels; None without such devices."""
        self._parts, self._whole_parts = parts, whole_parts
        self._core = _tulle.lay_out(fabric._core, floor, parts, 0 if circuits is None else circuits.num_devices)
        self.floor: str = floor
        """The floor as text, with all keys, except ``nics`` and ``host`` if they are 1."""

    def __reduce__(self) -> tuple[object, ...]:
        return Layout, (self.fabric, self.floor, self._parts, self.circuits, self._whole_parts)

    def _undamaged(self) -> tuple[Layout, dict[str, NDArray[np.int32]]] | None:
        """The layout of the fabric before its failures, on the same floor and without optical switches or patch panels.

        It is returned with the ids that `Fabric._undamaged` returns; None if nothing has failed.
        """
        before = self.fabric._undamaged()
        if before is None:
            return None
        whole, ids = before
        parts = self._whole_parts
        if parts is None and self._parts is not None:
            # The parts of failed switches are unknown, so these switches form an additional part.
            parts = np.full(whole.num_switches, int(self._parts.max(initial=-1)) + 1, dtype=np.int64)
            parts[ids["switches"]] = self._parts
        return Layout(whole, self.floor, parts, None), ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        same = (self.fabric, self.floor, self.circuits) == (other.fabric, other.floor, other.circuits)
        return same and equal_content(self._parts, other._parts)

    __hash__ = None  # type: ignore[assignment]

    def _overview(self) -> Overview:
        metres = self.cable_length / 1000
        some = len(metres) > 0
        values = {
            "racks": len(self.racks),
            "structure": self.structure,
            "cables between switches": len(metres),
            "mean length": float(metres.mean()) if some else None,
            "longest": float(metres.max()) if some else None,
            "copper cables": int(self.cable_copper.sum()),
            "fibre cables": int((~self.cable_copper).sum()),
        }
        return Overview("Layout", self.fabric.spec, values, units={"mean length": "m", "longest": "m"})

    def __repr__(self) -> str:
        return f"<Layout of {self.fabric.spec}: {len(self.racks)} racks>"

    @property
    def structure(self) -> str:
        """The rack structure: ``columns``, ``groups``, ``grid``, ``levels``, ``tors``, ``runs`` or ``parts``."""
        return self._core.structure

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """One line for each key of the floor that has no effect: ``rows``, if the structure defines its own columns.

        These structures are ``grid``, and ``levels`` of trees with three or more levels.
        """
        wanted = re.search(r"\brows=(\d+)", self.floor)
        levels = self.structure == "levels" and max(self.fabric.levels, default=0) > 1
        if wanted is None or not (levels or self.structure == "grid"):
            return ()
        columns, rows = (self.rack_places.max(axis=0, initial=-1) + 1).tolist()
        if rows == int(wanted[1]) or (rows < int(wanted[1]) and columns <= 1):
            return ()
        told = f"{counted(rows, 'rack')} in a column instead of rows={wanted[1]}"
        return (f"{told}: the structure '{self.structure}' defines its own columns",)

    @cached_property
    def racks(self) -> tuple[str, ...]:
        """The name of every rack, R texts; racks of optical switches and patch panels come last."""
        return tuple(self._core.racks())

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        return frozen(self._core.places())

    @property
    def rack_places(self) -> NDArray[np.int32]:
        """Column and row of every rack, int32 (R, 2), each from 0."""
        return self._places[:, :2]

    @property
    def rack_groups(self) -> NDArray[np.int32]:
        """The group of every rack, int32 (R,): racks of a group are near each other."""
        return self._places[:, 2]

    @cached_property
    def _positions(self) -> list[NDArray[np.int32]]:
        return [frozen(positions) for positions in self._core.positions()]

    @property
    def switch_rack(self) -> NDArray[np.int32]:
        """The rack of every switch, int32 (S,)."""
        return self._positions[0][:, 0]

    @property
    def switch_unit(self) -> NDArray[np.int32]:
        """The rack unit of every switch, int32 (S,)."""
        return self._positions[0][:, 1]

    @property
    def endpoint_rack(self) -> NDArray[np.int32]:
        """The rack of every endpoint, int32 (E,)."""
        return self._positions[1][:, 0]

    @property
    def endpoint_unit(self) -> NDArray[np.int32]:
        """The rack unit of every endpoint, int32 (E,)."""
        return self._positions[1][:, 1]

    @property
    def endpoint_slot(self) -> NDArray[np.int32]:
        """The index of every endpoint among the endpoints in its rack unit, int32 (E,), from 0."""
        return self._positions[1][:, 2]

    @property
    def host_slot(self) -> NDArray[np.int32]:
        """The index of every endpoint's host among the hosts in its rack unit, int32 (E,), from 0."""
        return self.endpoint_slot // np.int32(self.nics_per_host)

    @cached_property
    def endpoint_host(self) -> NDArray[np.int64]:
        """The number of every endpoint's host, int64 (E,), from 0.

        Endpoints of a host share rack, rack unit and index.
        """
        places = np.column_stack([self.endpoint_rack, self.endpoint_unit, self.host_slot])
        return frozen(np.unique(places, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64))

    @property
    def device_rack(self) -> NDArray[np.int32]:
        """The rack of every optical switch or patch panel, int32 (D,)."""
        return self._positions[2][:, 0]

    @property
    def device_unit(self) -> NDArray[np.int32]:
        """The rack unit of every optical switch or patch panel, int32 (D,)."""
        return self._positions[2][:, 1]

    @cached_property
    def _cables(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        lengths, copper = self._core.cables()
        return frozen(lengths), frozen(copper)

    @property
    def cable_length(self) -> NDArray[np.int64]:
        """The length of every cable between switches in millimetres, int64 (cables,), rows as in `Fabric.cables`.

        Lengths that the fabric defines are used unchanged; other lengths are estimated from the positions of both ends.
        In a layout with optical switches or patch panels, these are the lengths of imagined direct cables between
        switches; `device_length` has the lengths of the real cables.
        """
        return self._cables[0]

    @property
    def cable_copper(self) -> NDArray[np.bool_]:
        """Whether each cable between switches is copper, bool (cables,); otherwise it is fibre."""
        return self._cables[1]

    @cached_property
    def cable_medium(self) -> tuple[str, ...]:
        """The medium of every cable between switches: the network's name for it, otherwise ``copper`` or ``fibre``."""
        cables = np.asarray(self.fabric.cables)
        known = self.fabric.link_medium
        there, back = ([known[way] for way in ways.tolist()] for ways in (cables, self.fabric.reverse[cables]))
        return _media([a or b for a, b in zip(there, back, strict=True)], self.cable_copper)

    @cached_property
    def endpoint_medium(self) -> tuple[str, ...]:
        """The medium of the cable of every endpoint, named as in `cable_medium`."""
        known = self.fabric.properties.get("endpoint_links") or [(None, None, None, None)] * self.fabric.num_endpoints
        return _media([link[3] for link in known], self.endpoint_copper)

    @cached_property
    def known_lengths(self) -> tuple[int, int]:
        """Two counts: cables whose length the network defines, and cables whose length is estimated from the floor.

        Cables to optical switches or patch panels, if any, count instead of the cables between switches. Their lengths
        are estimated.
        """
        known = self.fabric.properties.get("endpoint_links") or []
        count = sum(link[2] is not None for link in known)
        estimated = self.fabric.num_endpoints - count
        if self.circuits is not None:
            return count, estimated + len(self.device_cables[0])
        cables = np.asarray(self.fabric.cables)
        lengths = self.fabric.link_length
        between = (
            int(((lengths[cables] >= 0) | (lengths[self.fabric.reverse[cables]] >= 0)).sum()) if len(cables) else 0
        )
        return count + between, estimated + len(cables) - between

    @cached_property
    def _endpoint_cables(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        lengths, copper = self._core.endpoint_cables()
        return frozen(lengths), frozen(copper)

    @property
    def endpoint_length(self) -> NDArray[np.int64]:
        """The cable length of every endpoint in millimetres, int64 (E,)."""
        return self._endpoint_cables[0]

    @property
    def endpoint_copper(self) -> NDArray[np.bool_]:
        """Whether the cable of an endpoint is of copper, bool (E,)."""
        return self._endpoint_cables[1]

    @cached_property
    def device_length(self) -> NDArray[np.int64]:
        """The fibre length from every switch to every optical switch or patch panel, in millimetres, int64 (S, D)."""
        return frozen(self._core.to_devices())

    @cached_property
    def device_cables(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """The cables to devices, as arrays of switch, port, device and device port, sorted by switch and port.

        Unused network ports have no entry in the arrays.
        """
        if self.circuits is None:
            nothing = np.zeros(0, dtype=np.int32)
            return nothing, nothing, nothing, nothing
        cables = self.circuits.cables
        device, port = (of.astype(np.int32) for of in np.nonzero(cables[:, :, 0] >= 0))
        switch, own = cables[device, port].T
        degree = np.bincount(np.asarray(self.fabric.channels)[:, 0], minlength=self.fabric.num_switches)
        order = np.lexsort((own, switch))
        order = order[own[order] < degree[switch[order]]]
        return switch[order], own[order], device[order], port[order]

    @property
    def nics_per_host(self) -> int:
        """Endpoints of a host."""
        return self._core.nics_per_host

    def power(
        self, prices: Prices | str | PathLike[str], switch: str | None = None, *, host_watts: float = 0.0
    ) -> Power:
        """Return the power of every rack, and the heat to be removed.

        Parameters
        ----------
        prices, switch
            The same as in `bill`. The power of switches, NICs, cables and transceivers comes from the price list.
        host_watts
            Power of a host, without its NICs.

        Raises
        ------
        tulle.InputError
            For an item that the price list lacks, or a power out of range.
        """
        from tulle.design.power import power

        if not 0 <= host_watts <= 1e6:
            raise InputError(f"host_watts={host_watts:.15g} is out of range; legal: 0 to 1000000")
        return power(self, prices if isinstance(prices, Prices) else read_prices(prices), switch, host_watts)

    @cached_property
    def _ports_used(self) -> NDArray[np.int64]:
        """The number of cabled ports of every switch."""
        return ports_used(self.fabric)

    @cached_property
    def switch_ports(self) -> NDArray[np.int64]:
        """The number of ports that every switch must have, int64 (S,): enough for all cables and used port numbers.

        Port numbers count only if the network states how many ports its switches have. The stated number is not used
        itself, because InfiniBand tools also count the SHARP port, which has no cable.
        """
        return frozen(ports_needed(self.fabric))

    @cached_property
    def items(self) -> Items:
        """The parts of the network, for a bill of materials."""
        counts = self._core.items()
        needed, many = np.unique(self.switch_ports, return_counts=True)
        counts["switches"] = dict(zip(needed.tolist(), many.tolist(), strict=True))
        used = int(self._ports_used.sum())
        if self.circuits is None:
            return Items(**counts, nics_per_host=self.nics_per_host, ports_used=used)
        switch, _, device, _ = self.device_cables
        lengths = Counter(self.device_length[switch, device].tolist())
        fibre = Counter(self.endpoint_length[~self.endpoint_copper].tolist()) + lengths
        counts |= {"fibre": dict(sorted(fibre.items())), "to_devices": dict(sorted(lengths.items()))}
        return Items(**counts, device=self.circuits.kind, nics_per_host=self.nics_per_host, ports_used=used)

    def bill(self, prices: Prices | str | PathLike[str], switch: str | None = None) -> Bill:
        """Return the bill of materials of the layout.

        Parameters
        ----------
        prices
            A price list, the name of an included price list, or the path of a ``.toml`` file.
        switch
            The switch model for all switches, by its name or number of ports in the list; None: for each switch, the
            smallest model that fits.

        Raises
        ------
        tulle.InputError
            For an item that the list lacks, for example a switch with more ports than any switch in the list.
        tulle.FileError, tulle.FormatError
            For a file that cannot be read, or is not a price list.
        """
        if self.circuits is not None and self.circuits.num_devices:
            prices = prices if isinstance(prices, Prices) else read_prices(prices)
            listed = prices.device(self.circuits.kind).size
            if listed < self.circuits.ports:
                raise InputError(
                    f"the layout uses devices of {self.circuits.ports} ports, but the device in the price list "
                    f"'{prices.title}' has {listed}; "
                    f"legal: ports={listed} or fewer"
                )
        return self.items.bill(prices if isinstance(prices, Prices) else read_prices(prices), switch)

    def linked(self, latency: str | None = None) -> Fabric:
        """Return the fabric with lengths and media of its links.

        Parameters
        ----------
        latency
            The latency of a switch, for example ``100ns``. Each link gets 5 ns per metre of cable, plus its known
            latency, or this latency if none is known. None: latencies do not change.

        Examples
        --------
        >>> fabric = place("slimfly:q=5").linked("100ns")
        >>> int(fabric.link_length.max()), int(fabric.link_latency.max())
        (4400, 122000)
        """
        from tulle.fabric import Fabric

        time = None if latency is None else _tulle.read_duration("latency", latency)
        through = None if self.circuits is None else self.circuits.devices.astype(np.int64)
        return Fabric._of(self._core.linked(time, through), self.fabric.seed, (_linked, (self, time)))

    @cached_property
    def cables(self) -> Columns:
        """Return a table with a row per cable: device, port, rack and rack unit of both ends; length and medium.

        ``from`` and ``to`` are names; ``kind`` is ``switch`` (between switches), ``endpoint`` or ``device`` (from a
        switch to an optical switch or patch panel). A host port without a known name is ``0``.
        """
        from tulle.design.cables import cables

        return cables(self)

    def plot(
        self,
        prices: Prices | str | PathLike[str] | None = None,
        switch: str | None = None,
        *,
        host_watts: float = 0.0,
        ax: Axes | None = None,
    ) -> Figure:
        """Draw the floor to scale: racks with their contents, cable trays, and distances in metres.

        The more cables a tray has, the wider it is drawn. Half of the cables between two racks first run along the
        column of one rack, and half along its row. Both routes are equally long. A rack of 0.6 m by 1.1 m is drawn
        slightly narrower, so that neighbours do not touch, and smaller if racks are closer to each other.

        Parameters
        ----------
        prices, switch, host_watts
            As in `power`. With a price list, the colour of a rack shows its power.
        ax
            Axes of matplotlib to draw on; None: a new figure, at least as wide as a column of a paper.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.InputError
            For the same reasons as in `power`.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.design.floor_plan import plot

        power = None if prices is None else self.power(prices, switch, host_watts=host_watts)
        return plot(self, power, ax)


def _check_hosts(fabric: Fabric, floor: str) -> None:
    """Refuse hosts with several NICs if the network already names its hosts."""
    nics = dict(key.split("=") for key in floor.split(",")).get("nics", "1")
    names = next((name for name in fabric.properties.get("endpoint_names") or () if name), None)
    if nics != "1" and names is not None:
        raise InputError(
            f"nics={nics}: the network already assigns its endpoints to named hosts, for example {names[:60]!a}; "
            "legal: without --nics-per-host, or nics=1"
        )


def _media(known: list[str | None], copper: NDArray[np.bool_]) -> tuple[str, ...]:
    estimated = np.where(copper, "copper", "fibre").tolist()
    return tuple(word or other for word, other in zip(known, estimated, strict=True))


def _circuits(fabric: Fabric, through: str, ports: int, seed: int) -> Circuits:
    if fabric._core.has_devices and not fabric.faults:
        return virtual_layered(fabric, through, ports)
    return _THROUGH[through](fabric, ports, seed)


def _linked(found: Layout, time: int | None) -> Any:
    through = None if found.circuits is None else found.circuits.devices.astype(np.int64)
    return found._core.linked(time, through)
