"""Typed specs of executors of studies, for example ``Slurm(memory="64GB")``.

``tulle list executors`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "executors")
__getattr__ = lacking(__name__, __all__)
