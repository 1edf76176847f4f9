"""Packages whose names load on first use, so that ``import tulle`` and ``tulle --help`` start quickly (PEP 562)."""

import sys
from importlib import import_module

# Not from typing, which takes longer to load than this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable


def attach(
    package: str, homes: dict[str, str], modules: tuple[str, ...] = ()
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return ``__getattr__`` and ``__dir__`` of `package`.

    The keys of `homes` are its public names, each with the module that defines it; `modules` are its public modules.
    No name may be called like a module of the package: the import system sets a module as an attribute once it is
    loaded, which would hide the name.
    """

    def get(name: str) -> object:
        if name in homes:
            value = getattr(import_module(homes[name]), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted([*homes, *modules])

    return get, names
