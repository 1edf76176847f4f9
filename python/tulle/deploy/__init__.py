"""Deployment: a routing, proved, in the form that networks load it, and what was loaded held against it.

One package per target; `tulle.deploy.targets` registers them.
"""
