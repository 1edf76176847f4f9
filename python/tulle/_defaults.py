"""Defaults of a packet simulation, the same in Python, on the command line and in studies (FatPaths §VII-A6)."""

TRANSPORT = "purified"
SELECTOR = "flowlet"
QUEUE = "trim"
RATE = "10Gbps"
LATENCY = "1us"
MTU = "9KB"
