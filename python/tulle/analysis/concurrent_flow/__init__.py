"""Compute proven bounds of the maximum achievable throughput (MAT), and rates by the subflow model."""
