"""Commands that describe networks to schedulers."""
