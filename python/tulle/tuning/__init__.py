"""Choose a routing for a fabric: candidates, their scores, and the choice."""

from tulle.tuning.choose import Row, Tuning, tune
from tulle.tuning.score import Score
from tulle.tuning.throughput_score import Purpose, ThroughputScore

__all__ = ["Purpose", "Row", "Score", "ThroughputScore", "Tuning", "tune"]
