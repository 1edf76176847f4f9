"""Output on a terminal: tables, numbers, progress."""
