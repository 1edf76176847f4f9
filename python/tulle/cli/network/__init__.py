"""Commands that build, read and lay out a network."""
