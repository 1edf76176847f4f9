"""Compare a few fabrics in one table, a `Card`: cost, throughput, completion times, failures; the best of each row."""

from tulle.compare.card import Band, Card, Entrant, Row
from tulle.compare.run import compare

__all__ = ["Band", "Card", "Entrant", "Row", "compare"]
