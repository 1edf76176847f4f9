"""InfiniBand."""
