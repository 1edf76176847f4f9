"""Choose a routing for a fabric: candidates, their scores, and the choice."""

from tulle.tuning.carried import Carried, Purpose
from tulle.tuning.choose import Row, Tuning, tune
from tulle.tuning.score import Score

__all__ = ["Carried", "Purpose", "Row", "Score", "Tuning", "tune"]
