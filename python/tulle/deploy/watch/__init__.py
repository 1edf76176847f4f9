"""Watch a deployed network: run a command that reads its state, and report changes against the bundle."""

from __future__ import annotations
