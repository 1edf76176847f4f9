"""Cabling through optical switches or patch panels: the cables stay, port maps make the network.

Uniform cabling takes every switch to every device; virtual-layered cabling, for fabrics that are drawn for it
(``eta=``), takes a switch to some devices of each virtual layer (Flattened Clos §3.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Circuits", "optical_switches", "patch_panels", "virtual_layered"]

PORTS = 320
"""Of an optical switch (Calient S320, Flattened Clos §3.3)."""
_MOST = 1 << 24


@dataclass(frozen=True, eq=False)
class Circuits(Value):
    """Connections inside optical switches or patch panels, and the cables to these devices."""

    kind: str
    """``optical`` or ``panels``."""
    ports: int
    """Number of ports of a device."""
    maps: NDArray[np.int32]
    """For each device and port: the port where its signal leaves, int32 (devices, P); −1 for unconnected ports."""
    devices: NDArray[np.int32]
    """The device that each channel of the fabric passes through, int32 (C,)."""
    cables: NDArray[np.int32]
    """Per device and port the switch that has its cable there, and its network port, int32 (devices, P, 2); −1: none.

    Of uniform cabling, port u of every device has the cable of switch u, from its network port of the device's number.
    """
    uniform: bool = True
    """Whether every switch has a cable to every device."""

    @property
    def num_devices(self) -> int:
        """How many devices there are."""
        return len(self.maps)

    @property
    def directed(self) -> bool:
        """Whether a port may transmit to another switch than it receives from."""
        device, port = np.nonzero(self.maps >= 0)
        return bool((self.maps[device, self.maps[device, port]] != port).any())


def optical_switches(fabric: Fabric | str, ports: int = PORTS, seed: int = 0) -> Circuits:
    """The network through optical switches that have transmit and receive sides (Flattened Clos §3.3, uniform cabling).

    Every graph has such a cabling (König): channels from transmitters to receivers fall into as many permutations as a
    switch has network ports. The transmitter and the receiver of a port may lead to different switches.

    Parameters
    ----------
    fabric
        At most as many switches as `ports`.
    ports
        Of an optical switch, 1 to 16777216.
    seed
        Of a fabric given as a spec.

    Raises
    ------
    tulle.InputError
        For more switches than ports.
    """
    core = as_fabric(fabric, seed)._core
    maps, devices = _tulle.optical(core, _ports(ports))
    return Circuits("optical", ports, frozen(maps), frozen(devices), _uniform(maps))


def patch_panels(fabric: Fabric | str, ports: int = PORTS, seed: int = 0) -> Circuits:
    """The network through duplex patch panels, each of which joins pairs of ports: a 1-factorisation.

    That takes an even number of switches with as many network ports each, and not every such graph has one. The search
    takes perfect matchings away one after another, and gives up after 200 per panel.

    Parameters
    ----------
    fabric
        At most as many switches as `ports`.
    ports
        Of a panel, 1 to 16777216.
    seed
        Of the search, and of a fabric given as a spec.

    Raises
    ------
    tulle.InputError
        For more switches than ports, an odd number of switches, or unequal numbers of network ports.
    tulle.ConstructionError
        If none is found, which does not prove that there is none.
    """
    core = as_fabric(fabric, seed)._core
    maps, devices = _tulle.panels(core, _ports(ports), read_seed(seed))
    return Circuits("panels", ports, frozen(maps), frozen(devices), _uniform(maps))


def virtual_layered(fabric: Fabric | str, kind: str, ports: int = PORTS, seed: int = 0) -> Circuits:
    """The network through the devices that a Flattened Clos with ``eta=`` or ``panel_ports=`` is drawn for (§3.3).

    Switches have cables to the same devices whatever the seed. Ports of a device are those of the lower virtual layer
    by switch, then those of the higher; every join is of one of each, both ways.

    Parameters
    ----------
    fabric
        A whole fabric of the family ``flattenedclos`` with ``eta=`` or ``panel_ports=``.
    kind
        ``optical`` or ``panels``, which are used alike.
    ports
        Of a device.
    seed
        Of a fabric given as a spec.

    Raises
    ------
    tulle.InputError
        For another fabric, or devices of too few ports.
    """
    fabric = as_fabric(fabric, seed)
    found = None if fabric.faults else _tulle.panelled(fabric.spec, fabric.seed)
    if found is None:
        raise InputError(f"{fabric.spec} is not drawn for devices, or damaged; legal: a whole flattenedclos with eta=")
    most, layers = _ports(ports), fabric.virtual_layers
    # The lower virtual layer and switch before the higher.
    channel = {
        (int(layers[at, 0]), below, above): at
        for at, (below, above) in enumerate(fabric.channels.tolist())
        if layers[at, 0] < layers[at, 1]
    }
    count = int(found[:, 0].max(initial=-1)) + 1
    width = 2 * int(np.bincount(found[:, 0], minlength=1).max(initial=0))
    if width > most:
        raise InputError(
            f"{fabric.spec} needs devices of {width} ports, these have {most}; "
            f"legal: panel_ports={most}, or a larger eta"
        )
    maps = np.full((count, width), -1, dtype=np.int32)
    cables = np.full((count, width, 2), -1, dtype=np.int32)
    devices = np.full(len(fabric.channels), -1, dtype=np.int32)
    taken = np.zeros(fabric.num_switches, dtype=np.int32)
    for layer in range(int(found[:, 1].max(initial=-1)) + 1):
        of = found[found[:, 1] == layer]
        place: dict[tuple[int, int, int], int] = {}
        for side in (0, 1):
            number: dict[int, int] = {}
            for panel, switch in sorted(zip(of[:, 0].tolist(), of[:, 2 + side].tolist(), strict=True)):
                at = number[panel] = number.get(panel, -1) + 1
                port = place[panel, side, switch] = at + side * width // 2
                cables[panel, port] = switch, taken[switch]
                taken[switch] += 1
        for panel, _, below, above in of.tolist():
            ends = [place[panel, 0, below], place[panel, 1, above]]
            maps[panel, ends] = ends[::-1]
            at = channel[layer, below, above]
            devices[[at, fabric.reverse[at]]] = panel
    return Circuits(kind, ports, frozen(maps), frozen(devices), frozen(cables), uniform=False)


def _uniform(maps: NDArray[np.int32]) -> NDArray[np.int32]:
    device, switch = np.indices(maps.shape, dtype=np.int32)
    return frozen(np.stack([switch, device], axis=-1))


def _ports(ports: int) -> int:
    if not isinstance(ports, (int, np.integer)) or not 1 <= ports <= _MOST:
        raise InputError(f"ports={ports} is out of range; legal: 1 to {_MOST}")
    return int(ports)
