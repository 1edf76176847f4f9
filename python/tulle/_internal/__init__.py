"""Helpers that every part of the package shares and that no user imports."""
