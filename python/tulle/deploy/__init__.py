"""Deployment: write the configuration of switches and hosts for a routing, and verify and repair deployed networks.

The package `tulle.deploy.targets` registers the targets, for example ``linux`` and ``infiniband``.
"""
