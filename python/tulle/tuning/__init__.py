"""Choosing a routing for a fabric: candidates, what their paths are worth, and which one to take."""

from tulle.tuning.carried import Carried, Purpose
from tulle.tuning.choose import Row, Tuning, tune
from tulle.tuning.score import Score

__all__ = ["Carried", "Purpose", "Row", "Score", "Tuning", "tune"]
