"""Compute maximum achievable throughput (MAT). The result is always a pair of proven bounds."""
