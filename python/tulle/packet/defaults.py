"""Defaults of a packet simulation, the same in Python, on the command line and in studies (FatPaths §VII-A6).

The queue's is the transport's affair.
"""

from tulle import _tulle

TRANSPORT = "purified"
SELECTOR = "flowlet"
NIC = _tulle.registered("nics")[0]["name"]
RATE = "10Gbps"
LATENCY = "1us"
MTU = "9KB"
