"""Typed specs of selectors of layers and paths, for example ``Flowlet(gap="50us")``.

``tulle list selectors`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "selectors")
__getattr__ = lacking(__name__, __all__)
