"""Typed specs: every plug-in with a spec has a class, which is made from the declaration of the plug-in.

A typed spec is a `str`, so every function that accepts a spec accepts a typed spec. `tools/typed_specs.py` writes the
stubs for type checkers and editors.
"""

from __future__ import annotations

import operator
import os
import re
import sys
from contextlib import suppress
from datetime import timedelta
from inspect import Parameter as Argument
from inspect import Signature
from keyword import iskeyword
from textwrap import fill
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import kind_of
from tulle._internal.lazy import missing
from tulle._internal.text import brief
from tulle.errors import FileError, FormatError, InputError, SpecError
from tulle.registry import registered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.declarations import Entry, Parameter

MODULES = {
    "fabrics": "topologies",
    "routings": "schemes",
    "deadlocks": "vc_schemes",
    "traffics": "patterns",
    "transports": "transports",
    "selectors": "selectors",
    "queues": "queues",
    "nics": "nics",
    "faults": "faults",
    "metrics": "metrics",
    "routers": "routers",
    "flit-selectors": "flit_selectors",
    "policies": "policies",
    "flit-traffics": "flit_patterns",
    "executors": "executors",
}
"""Kind of plug-in -> module of its typed specs.

Other kinds have no specs: parameters of measurements are keys of study files, and parameters of deployment targets are
command-line options.
"""

# The usual spelling of parts of plug-in names. All other parts just start with a capital letter.
_WRITTEN = {
    "allgather": "AllGather",
    "allreduce": "AllReduce",
    "cosmoflow": "CosmoFlow",
    "dcqcn": "DCQCN",
    "dctcp": "DCTCP",
    "debruijn": "DeBruijn",
    "dfsssp": "DFSSSP",
    "droptail": "DropTail",
    "ecmp": "ECMP",
    "ecn": "ECN",
    "edksp": "EDKSP",
    "edst": "EDST",
    "fattree": "FatTree",
    "fifo": "FIFO",
    "flattenedclos": "FlattenedClos",
    "goal": "GOAL",
    "gpt3": "GPT3",
    "hammingmesh": "HammingMesh",
    "hpcc": "HPCC",
    "hyperx": "HyperX",
    "ksp": "KSP",
    "lash": "LASH",
    "letflow": "LetFlow",
    "llskr": "LLSKR",
    "mlfm": "MLFM",
    "mptcp": "MPTCP",
    "ndp": "NDP",
    "oft": "OFT",
    "par": "PAR",
    "past": "PAST",
    "pfc": "PFC",
    "polarfly": "PolarFly",
    "polarstar": "PolarStar",
    "redksp": "REDKSP",
    "reps": "REPS",
    "resnet152": "ResNet152",
    "rksp": "RKSP",
    "slimfly": "SlimFly",
    "spectralfly": "SpectralFly",
    "spain": "SPAIN",
    "sspt": "SSPT",
    "tcp": "TCP",
    "ugal": "UGAL",
    "updown": "UpDown",
    "vc": "VC",
}
# Pairs of words in specs. Python users write `True` and `False` instead.
_TRUTHS = (["yes", "no"], ["true", "false"])


def class_name(name: str) -> str:
    """Return the class name of a plug-in, for example ``LowOverlap`` for ``low-overlap``."""
    return "".join(_WRITTEN.get(word, word[:1].upper() + word[1:]) for word in name.split("-"))


def keyword(parameter: str) -> str:
    """Return the Python keyword of a parameter: its name. If the name is a reserved word, an underscore is added."""
    return f"{parameter}_" if iskeyword(parameter) else parameter


class Spec(str):
    """A spec as a Python object: `str` gives the text of the spec, `repr` the call that makes the object.

    The text has the given parameters in the order of the declaration. Two specs are equal if their texts are equal.
    """

    __slots__ = ()

    _kind: ClassVar[str]
    _entry: ClassVar[Entry]

    def __new__(cls, /, *positional: Any, **given: Any) -> Spec:
        """Write the spec and check it.

        Raises
        ------
        tulle.SpecError
            For an unknown or missing parameter, or an illegal value. Files are read only when the spec is used.
        tulle.InputError
            For a value of the wrong type, or a value without keyword.
        """
        if positional:
            raise InputError(f"{cls.__name__}: {_positional(cls, positional[0])}")
        text = _write(cls._entry, given)
        with suppress(FileError, FormatError):
            check(cls._kind, text)
        return _restore(cls, text)

    @property
    def parameters(self) -> Mapping[str, bool | int | float | str]:
        """The given parameters by name. Values with units are texts."""
        return MappingProxyType(dict(_read(self._entry, str(self))))

    def __repr__(self) -> str:
        arguments = (f"{keyword(name)}={value!r}" for name, value in _read(self._entry, str(self)))
        return f"{type(self).__name__}({', '.join(arguments)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), str(self))


def _restore(of: type[Spec], text: str) -> Spec:
    return str.__new__(of, text)


def define(module: str, kind: str) -> list[str]:
    """Define the typed specs of a kind of plug-in in a module, and return the names of the classes."""
    classes = [make(module, kind, entry) for entry in registered(kind)]
    vars(sys.modules[module]).update({of.__name__: of for of in classes})
    return [of.__name__ for of in classes]


def lacking(module: str, names: list[str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a module of typed specs. It raises an error that suggests similar `names`."""

    def get(name: str) -> Any:
        raise missing(module, name, names)

    return get


def make(module: str, kind: str, entry: Entry) -> type[Spec]:
    """Make and return the typed-spec class of one plug-in."""
    name = class_name(entry["name"])
    body = {
        "__slots__": (),
        "__module__": module,
        "__doc__": "",
        "__signature__": Signature([_argument(of) for of in entry["parameters"]], return_annotation=name),
        "_kind": kind,
        "_entry": entry,
    }
    of = type(name, (Spec,), body)
    of.__doc__ = _document(of)
    return of


def typed(of: type[Spec], spec: str) -> Spec:
    """Return the typed spec, an object of the class `of`, for the text `spec`."""
    return of(**_keywords(of, spec))


def _keywords(of: type[Spec], spec: str) -> dict[str, bool | int | float | str]:
    return {keyword(name): value for name, value in _read(of._entry, spec)}


def check(kind: str, spec: str) -> str:
    """Return the canonical form of a spec.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        If the spec is invalid.
    """
    if kind == "metrics":
        from tulle.analysis.metrics import metric

        return metric(spec).parse(spec)[0]
    if kind == "executors":
        from tulle.study.executors import read_spec

        executor, options = read_spec(spec)
        given = options.model_dump(exclude_none=True)
        return _tulle.join_spec(executor.name, [(name, str(value)) for name, value in given.items()])
    return _tulle.canonical("faults-in-time" if kind == "faults" else kind, spec)


def _write(entry: Entry, given: Mapping[str, Any]) -> str:
    name, rest = entry["name"], {key: value for key, value in given.items() if value is not None}
    declared = [(of, rest.pop(keyword(of["name"]))) for of in entry["parameters"] if keyword(of["name"]) in rest]
    pairs = [(of["name"], _text(name, of, value)) for of, value in declared]
    for key, value in rest.items():
        pairs.append((key, str(value)))
    if not entry["nested"]:
        return _tulle.join_spec(name, pairs)
    if rest:
        raise SpecError(f"{name}: unknown parameter '{'='.join(pairs[-1])}'; {_legal(entry)}")
    return ":".join([name, *(text for _, text in pairs)])


def _positional(of: type[Spec], value: Any) -> str:
    """Return a message for a value without keyword; it shows how to write the value with a keyword."""
    names = [keyword(parameter["name"]) for parameter in of._entry["parameters"]]
    legal, text = _legal(of._entry), brief(repr(value))
    return f"{text} has no keyword; {legal}" + (f", for example {of.__name__}({names[0]}={text})" if names else "")


def _legal(entry: Entry) -> str:
    return f"legal: {', '.join(keyword(of['name']) for of in entry['parameters']) or 'none'}"


def _text(name: str, parameter: Parameter, value: Any) -> str:
    """Return a value in the syntax of specs. The spec parser checks later whether the value is legal."""
    kind = _inner(parameter["kind"])
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return str(kind["words"][0 if value else 1] if _is_truth(kind) else bool(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, timedelta) and kind["type"] == "duration":
        return f"{value // timedelta(microseconds=1)}us"
    if isinstance(value, os.PathLike) and kind["type"] == "path":
        return str(os.fspath(value))
    if isinstance(value, (list, tuple, np.ndarray)) and kind["type"] == "shape":
        return "x".join(map(str, value))
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name}: {parameter['name']} is {kind_of(value)}; legal: {parameter['legal']}") from None
    # In Python, `bytes=1500` is clear without a unit; a spec needs the unit.
    return f"{number}B" if kind["type"] == "bytes" else str(number)


def _read(entry: Entry, spec: str) -> list[tuple[str, bool | int | float | str]]:
    if entry["nested"]:
        return [(entry["parameters"][0]["name"], spec.partition(":")[2])]
    kinds = {of["name"]: of["kind"] for of in entry["parameters"]}
    return [(name, value_of(kinds[name], text)) for name, text in _tulle.split_spec(spec)[1]]


def value_of(kind: Mapping[str, Any], text: str) -> bool | int | float | str:
    """Return the Python value for a text in a spec. A text with a unit is returned unchanged."""
    kind = _inner(kind)
    if _is_truth(kind) and text in kind["words"]:
        return bool(text == kind["words"][0])
    if kind["type"] in ("integer", "number", "fraction", "shape"):
        for read in (int, float) if kind["type"] in ("number", "fraction") else (int,):
            try:
                value = read(text)
            except ValueError:
                continue
            # A number that Python writes differently stays a text: 1e-1 would become 0.1, which changes the spec.
            if repr(value) == text:
                return value
    return text


def _inner(kind: Mapping[str, Any]) -> Mapping[str, Any]:
    while kind["type"] == "or":
        kind = kind["kind"]
    return kind


def _is_truth(kind: Mapping[str, Any]) -> bool:
    return kind["type"] == "flag" and list(kind["words"]) in _TRUTHS


_HINTS = {
    "integer": "int",
    "number": "float",
    "fraction": "float | str",
    "duration": "str | timedelta",
    "length": "str",
    "bytes": "int | str",
    "rate": "str",
    "shape": "int | str | Sequence[int]",
    "path": "str | PathLike[str]",
    "text": "str",
    "spec": "str",
}


def _hint(kind: Mapping[str, Any]) -> str:
    if kind["type"] == "or":
        words, inner = [kind["word"]], kind["kind"]
        while inner["type"] == "or":
            words, inner = [*words, inner["word"]], inner["kind"]
        rest = _hint(inner)
        return rest if "str" in rest.split(" | ") else f"{_literal(words)} | {rest}"
    if _is_truth(kind):
        return "bool"
    return _literal(kind["words"]) if "words" in kind else _HINTS[kind["type"]]


def _literal(words: list[str]) -> str:
    return "Literal[{}]".format(", ".join(f'"{word}"' for word in words))


class _Hint(str):
    """An annotation that signatures show without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _argument(parameter: Parameter) -> Argument:
    hint = _hint(parameter["kind"])
    default: Any = Argument.empty
    if parameter["derived"]:
        hint, default = f"{hint} | None", None
    elif parameter["default"]:
        default = value_of(parameter["kind"], parameter["default"])
    return Argument(keyword(parameter["name"]), Argument.KEYWORD_ONLY, default=default, annotation=_Hint(hint))


def _document(of: type[Spec]) -> str:
    """Return the docstring of a typed-spec class."""
    entry = of._entry
    first = _sentence(entry["summary"])
    parts = [first if len(first) <= _WIDTH else _fill(first)]
    if entry["parameters"]:
        lines = ["Parameters\n----------"]
        for parameter in entry["parameters"]:
            text = f"{_sentence(parameter['help'])} Legal: {parameter['legal']}."
            if parameter["derived"]:
                text += f" Default: {parameter['default']}."
            lines.append(f"{keyword(parameter['name'])}\n{_fill(text, '    ')}")
        parts.append("\n".join(lines))
    notes = [("Source", entry["paper"]), ("Limitations", entry["limitations"])]
    parts.append("Notes\n-----\n" + "\n\n".join(_fill(f"{title}: {_ended(text)}") for title, text in notes if text))
    example = _restore(of, _write(entry, _keywords(of, min(entry["examples"], key=len))))
    parts.append(f"Examples\n--------\n>>> str({example!r})\n{str(example)!r}")
    return "\n\n".join(parts)


# Width of docstring lines: stubs have 120 columns, minus 4 for the indentation and 3 for the opening quotes.
_WIDTH = 113


def _sentence(text: str) -> str:
    # Symbols such as k' and settings such as levels=3 do not get a capital letter.
    return _ended(text[:1].upper() + text[1:] if re.match(r"(a|[a-z][a-z-]+)[ ,:;]", text) else text)


def _ended(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _fill(text: str, indent: str = "") -> str:
    return fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
