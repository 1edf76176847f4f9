"""Packages whose names load on first use, so that ``import tulle`` and ``tulle --help`` start quickly (PEP 562)."""

import sys
from importlib import import_module

# Not from typing, which takes longer to load than this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType


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
            raise missing(package, name, [*homes, *modules], modules)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted([*homes, *modules])

    return get, names


def missing(module: str, name: str, names: "Sequence[str]", inner: "Sequence[str]" = ()) -> Exception:
    """Return the error for a name that a module lacks, with the nearest of its `names`.

    `inner` are its public modules; a name of theirs is found, too. ``from module import name`` would replace an
    `AttributeError` by an error without a suggestion, so that statement gets an `ImportError`.
    """
    wrong = f"module '{module}' has no attribute '{name}'"
    if not name.startswith("_"):
        wrong += f"; {_suggestion(module, name, names, inner)}"
    # The frame that looks the name up: of `missing`, of `__getattr__`, then that frame.
    if _is_import(sys._getframe(2)):
        return ImportError(wrong, name=module)
    return AttributeError(wrong, name=name)


def _suggestion(module: str, name: str, names: "Sequence[str]", inner: "Sequence[str]") -> str:
    # Imported here because they are needed only for errors.
    from tulle._internal.text import did_you_mean

    for each in inner:
        if name in dir(import_module(f"{module}.{each}")):
            return f"did you mean {module}.{each}.{name}?"
    by_lower_case = {other.lower(): other for other in names}
    if name.lower() in by_lower_case:
        return f"did you mean {by_lower_case[name.lower()]}?"
    return did_you_mean(name, sorted(other for other in names if not other.startswith("_")))


def _is_import(frame: "FrameType") -> bool:
    """Whether a frame executes ``from module import name``."""
    from dis import opname

    return opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"
