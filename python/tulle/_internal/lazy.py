"""Packages whose names load on first use, so that ``import tulle`` and ``tulle --help`` stay quick."""

import sys
from importlib import import_module
from types import ModuleType


def attach(package: str, homes: dict[str, str], modules: tuple[str, ...] = ()) -> None:
    """Lets `package` have the public names that are keys of `homes`, each from its module, and its public `modules`.

    A name wins over a module of the package that is called the same: ``tulle.flit`` is the function, and
    ``from tulle.flit import …`` reads the package.
    """
    module = sys.modules[package]
    module.__dict__["_homes"], module.__dict__["_modules"] = homes, modules
    module.__class__ = _Package


class _Package(ModuleType):
    _homes: dict[str, str]
    _modules: tuple[str, ...]

    def __getattr__(self, name: str) -> object:
        if name in self._homes:
            value = getattr(import_module(self._homes[name]), name)
        elif name in self._modules:
            value = import_module(f"{self.__name__}.{name}")
        else:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # The import system sets every submodule on its package once loaded, which would hide the name.
        if not (isinstance(value, ModuleType) and name in self._homes):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted([*self._homes, *self._modules])
