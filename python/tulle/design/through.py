"""Cabling through optical switches or patch panels. Their port maps, not the cables, determine the network.

Uniform cabling connects every switch to every device. Virtual-layered cabling, for fabrics that were constructed for it
(``eta=``), connects a switch to some devices of each virtual layer (Flattened Clos §3.3).
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
"""Default number of ports of an optical switch (Calient S320, Flattened Clos §3.3)."""
MOST_PORTS = 1 << 24


@dataclass(frozen=True, eq=False)
class Circuits(Value):
    """Connections inside optical switches or patch panels, and the cables to these devices."""

    kind: str
    """``optical`` or ``panels``."""
    ports: int
    """Number of ports of a device."""
    maps: NDArray[np.int32]
    """For each device and port: the port where its signal leaves, int32 (devices, P); −1 for unconnected ports.

    P is the largest number of ports that a device uses, at most `ports`. In uniform cabling it is the number of
    switches.
    """
    devices: NDArray[np.int32]
    """The device that each channel of the fabric passes through, int32 (C,)."""
    cables: NDArray[np.int32]
    """For each device and port: the connected switch and its network port, int32 (devices, P, 2); −1: no cable.

    In uniform cabling, port u of device d is connected to network port d of switch u.
    """
    uniform: bool = True
    """Whether every switch has a cable to every device."""

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return len(self.maps)

    @property
    def directed(self) -> bool:
        """Whether some port transmits to a different switch than it receives from."""
        device, port = np.nonzero(self.maps >= 0)
        return bool((self.maps[device, self.maps[device, port]] != port).any())


def optical_switches(fabric: Fabric | str, ports: int = PORTS, seed: int = 0) -> Circuits:
    """Connect a fabric through optical switches with separate transmit and receive sides (Flattened Clos §3.3).

    The cabling is uniform. It exists for every graph (König's theorem): the channels can be split into as many
    permutations as a switch has network ports. A port may transmit to a different switch than it receives from.

    Parameters
    ----------
    fabric
        A fabric with at most as many switches as `ports`.
    ports
        Ports of an optical switch, 1 to 16777216.
    seed
        Seed of a fabric given as a spec.

    Raises
    ------
    tulle.InputError
        For more switches than ports.

    Examples
    --------
    >>> import tulle
    >>> circuits = tulle.design.optical_switches("slimfly:q=5")
    >>> int(circuits.devices.max()) + 1
    7
    """
    core = as_fabric(fabric, seed)._core
    maps, devices = _tulle.optical(core, _ports(ports))
    return Circuits("optical", ports, frozen(maps), frozen(devices), _uniform(maps))


def patch_panels(fabric: Fabric | str, ports: int = PORTS, seed: int = 0) -> Circuits:
    """Connect a fabric through duplex patch panels.

    Each panel has a cable from every switch and joins these cables in pairs, so its connections are a perfect matching
    of the switches. The panels together split the graph into perfect matchings (a 1-factorisation).

    All switches need the same number of network ports, and the number of switches must be even. Not every such graph
    has a 1-factorisation. The search removes perfect matchings one by one, and gives up after 200 attempts per panel.

    Parameters
    ----------
    fabric
        A fabric with at most as many switches as `ports`.
    ports
        Ports of a panel, 1 to 16777216.
    seed
        Seed of the search, and of a fabric given as a spec.

    Raises
    ------
    tulle.InputError
        For more switches than ports, an odd number of switches, or unequal numbers of network ports.
    tulle.ConstructionError
        If the search finds no cabling; this does not prove that none exists.

    Examples
    --------
    >>> import tulle
    >>> circuits = tulle.design.patch_panels("slimfly:q=5")
    >>> int(circuits.devices.max()) + 1
    7
    """
    core = as_fabric(fabric, seed)._core
    maps, devices = _tulle.panels(core, _ports(ports), read_seed(seed))
    return Circuits("panels", ports, frozen(maps), frozen(devices), _uniform(maps))


def virtual_layered(fabric: Fabric | str, kind: str, ports: int = PORTS, seed: int = 0) -> Circuits:
    """Connect a Flattened Clos through the devices for which it was constructed (``eta=`` or ``panel_ports=``).

    Every seed gives the same cables between switches and devices. Of the P ports of a device in `Circuits.maps`, the
    first half belongs to the lower virtual layer, in the order of switches, and the second half to the higher one.
    Every connection joins one port of each half, in both directions.

    Parameters
    ----------
    fabric
        A fabric without failures of the family ``flattenedclos``, with ``eta=`` or ``panel_ports=``.
    kind
        ``optical`` or ``panels``; both are used in the same way.
    ports
        Ports of a device.
    seed
        Seed of a fabric given as a spec.

    Raises
    ------
    tulle.InputError
        For any other fabric, or for devices with too few ports.

    Examples
    --------
    >>> import tulle
    >>> fabric = "flattenedclos:switches=60,ports=16,layers=3,p=4,eta=3"
    >>> int(tulle.design.virtual_layered(fabric, "optical").devices.max()) + 1
    36
    """
    fabric = as_fabric(fabric, seed)
    found = None if fabric.faults else _tulle.panelled(fabric.spec, fabric.seed)
    if found is None:
        raise InputError(
            f"{fabric.spec} has failures or no planned cabling through devices; "
            "legal: a flattenedclos without failures and with eta= or panel_ports="
        )
    most, layers = _ports(ports), fabric.virtual_layers
    # Key: lower virtual layer of the cable, switch in this layer, switch in the higher layer.
    channel = {
        (int(layers[at, 0]), below, above): at
        for at, (below, above) in enumerate(fabric.channels.tolist())
        if layers[at, 0] < layers[at, 1]
    }
    count = int(found[:, 0].max(initial=-1)) + 1
    width = 2 * int(np.bincount(found[:, 0], minlength=1).max(initial=0))
    if width > most:
        raise InputError(
            f"{fabric.spec} needs devices of {width} ports, but the devices have {most}; "
            f"legal: ports={width} or more for devices, or panel_ports={most} or a larger eta in the fabric"
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
    if not isinstance(ports, (int, np.integer)) or not 1 <= ports <= MOST_PORTS:
        raise InputError(f"ports={ports} is out of range; legal: 1 to {MOST_PORTS}")
    return int(ports)
