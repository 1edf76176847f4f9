"""Measurements of studies: each has one file, and one line in `registry`."""
