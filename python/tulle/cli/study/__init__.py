"""The command that runs studies."""
