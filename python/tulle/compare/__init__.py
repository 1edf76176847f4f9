"""Compare a few fabrics on one card: cost, throughput, completion times, failures, and the best fabric of each row."""

from tulle.compare.card import Band, Card, Entrant, Row
from tulle.compare.run import compare

__all__ = ["Band", "Card", "Entrant", "Row", "compare"]
