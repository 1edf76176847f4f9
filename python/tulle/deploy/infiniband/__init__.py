"""InfiniBand: the files that OpenSM loads, and what is read back from a subnet."""
