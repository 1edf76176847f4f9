"""The command group ``tulle plot``."""
