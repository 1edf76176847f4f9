"""Cables as they are in a machine room: networks read from the files of other tools, and what is there."""

from __future__ import annotations

from tulle.cabling.networks import FORMATS, Imported, read_network

__all__ = ["FORMATS", "Imported", "read_network"]
