"""Commands that describe tulle itself."""
