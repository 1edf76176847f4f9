"""Typed specs of faults during a packet simulation, for example ``Down(links="5%")``.

``tulle list faults`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "faults")
__getattr__ = lacking(__name__, __all__)
