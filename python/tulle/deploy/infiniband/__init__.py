"""InfiniBand: the files that OpenSM loads, and the verification and repair of a subnet."""
