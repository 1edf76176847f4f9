"""Commands that choose a network and price it."""
