"""Load the names of a package on first use (PEP 562), so that ``import tulle`` and ``tulle --help`` start quickly."""

import sys
from importlib import import_module

# The module typing is not imported, because it takes longer to load than this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType


def attach(
    package: str, homes: dict[str, str], modules: tuple[str, ...] = ()
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return the functions ``__getattr__`` and ``__dir__`` for `package`.

    `homes` maps each public name of the package to the module that defines it; `modules` are its public modules. A
    public name must differ from all modules of the package, because the import system stores a loaded module as an
    attribute of the package.
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
    """Return the error for a name that a module does not define. Its message suggests similar names.

    Suggestions come from `names`, which the module defines, and from its public modules `inner`. The error is an
    `ImportError` in ``from module import name``, because Python would replace an `AttributeError` and lose the
    suggestion.
    """
    wrong = f"module '{module}' has no attribute '{name}'"
    # Frame 0 is `missing`, frame 1 is `__getattr__`, and frame 2 is the code that looks up the name.
    frame = sys._getframe(2)
    # Before ``from package import module`` loads the module, Python asks whether the package has such an attribute, and
    # nobody reads this error. A suggestion would load all public modules.
    if frame.f_code.co_name == "_handle_fromlist":
        return AttributeError(wrong, name=name)
    if not name.startswith("_"):
        wrong += f"; {_suggestion(module, name, names, inner)}"
    if _is_import(frame):
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
    """Return whether a stack frame executes ``from module import name``."""
    from dis import opname

    return opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"
