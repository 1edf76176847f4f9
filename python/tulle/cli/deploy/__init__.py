"""Commands that write, verify and repair the forwarding tables of a network."""
