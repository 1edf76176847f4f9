"""Measurements and functions that only the studies of single papers use."""
