"""Measures of fabrics and routings under traffic.

>>> import tulle
>>> fabric = tulle.Fabric("slimfly:q=5")
>>> found = tulle.analysis.throughput(fabric, "longest-matching:intensity=0.5", tulle.route(fabric, "gateway:layers=4"))
>>> found.lower <= found.upper
True
"""

from tulle.analysis.demands import Demands, demands
from tulle.analysis.throughput import Throughput, subflow_rates, throughput
from tulle.analysis.throughput.methods import METHODS, check_method

__all__ = ["METHODS", "Demands", "Throughput", "check_method", "demands", "subflow_rates", "throughput"]
