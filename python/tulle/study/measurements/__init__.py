"""Measurements of studies: one file each, and one line each in `registry`."""
