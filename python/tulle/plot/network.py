"""The properties of a fabric that plots read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Network(Protocol):
    """The properties of `tulle.Fabric` that plots read. This package does not import the class."""

    @property
    def spec(self) -> str:
        """Canonical spec."""
        ...

    @property
    def family(self) -> str:
        """Name of the family."""
        ...

    @property
    def num_switches(self) -> int:
        """Number of switches, S."""
        ...

    @property
    def channels(self) -> NDArray[np.int32]:
        """Source and target switch of every channel, (C, 2)."""
        ...

    @property
    def reverse(self) -> NDArray[np.int32]:
        """The channel of the opposite direction, (C,)."""
        ...

    @property
    def edges(self) -> NDArray[Any]:
        """The two switches of every cable, (cables, 2)."""
        ...

    @property
    def cables(self) -> NDArray[np.int32]:
        """The id of every cable, (cables,). It is the lower id of the cable's two channels."""
        ...

    @property
    def endpoint_switch(self) -> NDArray[np.int32]:
        """The switch of every endpoint, (E,)."""
        ...

    @property
    def levels(self) -> NDArray[np.uint8]:
        """The level of every switch, (S,)."""
        ...

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of every switch; empty if unknown."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of every switch."""
        ...

    @property
    def coordinates(self) -> NDArray[np.int32]:
        """The coordinates of every switch, (S, d)."""
        ...

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, d texts."""
        ...

    @property
    def classes(self) -> NDArray[np.uint8]:
        """The class of every channel, (C,)."""
        ...

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classes."""
        ...
