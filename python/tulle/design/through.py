"""Cabling through optical switches or patch panels: the cables stay, port maps make the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._arguments import read_seed
from tulle._arrays import frozen
from tulle._inputs import as_fabric
from tulle._value import Value
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Circuits", "optical_switches", "patch_panels"]

PORTS = 320
"""Of an optical switch (Calient S320, Flattened Clos §3.3)."""
_MOST = 1 << 24


@dataclass(frozen=True, eq=False)
class Circuits(Value):
    """What devices join: port u of a device has the cable of switch u, from its network port of the device's number.

    Made by `optical_switches` and `patch_panels`.
    """

    kind: str
    """``optical`` or ``panels``."""
    ports: int
    """Of a device."""
    maps: NDArray[np.int32]
    """Per device and port the port that what enters here leaves by, int32 (devices, S); −1 where nothing is joined."""
    devices: NDArray[np.int32]
    """Per channel of the fabric its device, int32 (C,): the network port of its source, too."""

    @property
    def num_devices(self) -> int:
        """As many as a switch has network ports."""
        return len(self.maps)


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
    return Circuits("optical", ports, frozen(maps), frozen(devices))


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
        Where none is found, which does not prove that there is none.
    """
    core = as_fabric(fabric, seed)._core
    maps, devices = _tulle.panels(core, _ports(ports), read_seed(seed))
    return Circuits("panels", ports, frozen(maps), frozen(devices))


def _ports(ports: int) -> int:
    if not isinstance(ports, (int, np.integer)) or not 1 <= ports <= _MOST:
        raise InputError(f"ports={ports} is out of range; legal: 1 to {_MOST}")
    return int(ports)
