"""The files of each scheduler."""
