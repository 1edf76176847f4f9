"""Typed specs of selectors of the flit simulator, for example ``UGAL(candidates=4)``.

``tulle list flit-selectors`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "flit-selectors")
__getattr__ = lacking(__name__, __all__)
