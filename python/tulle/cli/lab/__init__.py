"""Commands that run a bundle on this machine's kernel."""
