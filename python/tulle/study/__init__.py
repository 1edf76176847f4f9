"""Studies: a TOML file describes a measurement, a grid of parameters, and optionally reference values.

>>> from tulle import study
>>> done = study.run(study.load("studies/quickstart.toml"), threads=2)  # doctest: +SKIP
>>> done.directory  # doctest: +SKIP
PosixPath('runs/quickstart-1f0c9a2b')

A *run* is one point: a case, a value of every grid parameter, a seed. The hash of its resolved configuration (canonical
specs, seed, version, hashes of input files) is the run's id. Results are stored under that id and reused, so an
interrupted study continues where it stopped, and a changed study repeats no finished run.
"""

from tulle.study.engine.model import StudyFile, load
from tulle.study.engine.plan import Plan, Run, plan
from tulle.study.engine.shards import Shard
from tulle.study.engine.status import Status, status
from tulle.study.grid import Grid
from tulle.study.report.frame import Frame
from tulle.study.runner import Finished, Measured, measure, run

__all__ = [
    "Finished",
    "Frame",
    "Grid",
    "Measured",
    "Plan",
    "Run",
    "Shard",
    "Status",
    "StudyFile",
    "load",
    "measure",
    "plan",
    "run",
    "status",
]
