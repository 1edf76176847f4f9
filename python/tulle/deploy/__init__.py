"""Deployment: write the configuration of switches and hosts for a routing, and verify and repair what they loaded.

One package per target; `tulle.deploy.targets` registers them.
"""
