"""Read arguments that are not arrays. Each error message is one line.

Numpy is not imported, because it loads slowly.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from math import inf, isfinite
from operator import index
from os import PathLike
from os.path import isfile
from pathlib import Path
from shlex import quote
from typing import SupportsFloat, SupportsIndex, TypeVar, cast

from tulle import _tulle
from tulle._internal.reading import at_file, is_saved_routing
from tulle._internal.text import brief
from tulle.errors import InputError, SpecError

T = TypeVar("T")

# Object -> its kind of plug-ins, and the parameter of the plug-in `file` that names a file. Routings are read by @FILE.
_READ = {"fabric": ("fabrics", "edges"), "traffic": ("traffics", "messages"), "routing": ("routings", None)}


def read_seed(seed: SupportsIndex) -> int:
    """Read a seed: a whole number from 0 to 2⁶⁴ − 1."""
    try:
        value = index(seed)
    except TypeError:
        raise InputError(f"seed={seed!r} is not a whole number; legal: 0 to 2^64-1") from None
    if not 0 <= value < 1 << 64:
        raise InputError(f"seed={value} is out of range; legal: 0 to 2^64-1")
    return value


def read_seeds(seeds: SupportsIndex | Iterable[SupportsIndex], most: int) -> tuple[int, ...]:
    """Read the seeds of several runs: a list of different seeds, or their number n, which means 0 to n - 1.

    At most `most` seeds are legal.
    """
    try:
        count = index(seeds)  # type: ignore[arg-type]
    except TypeError:
        if isinstance(seeds, str) or not isinstance(seeds, Iterable):
            raise InputError(f"seeds={seeds!r} is not a number of seeds; legal: 1 to {most}, or a list") from None
        # Read at most one seed more than the maximum, because an iterator may be endless.
        listed = [read_seed(seed) for seed in islice(seeds, most + 1)]
        if repeated := [seed for seed, times in Counter(listed).items() if times > 1]:
            raise InputError(f"seeds lists {repeated[0]} more than once; legal: different seeds") from None
        count, found = len(listed), tuple(listed)
    else:
        found = ()
    if not 1 <= count <= most:
        raise InputError(f"seeds={count} is out of range; legal: 1 to {most} seeds")
    return found or tuple(range(count))


def canonical(kind: str, name: str, spec: str) -> str:
    """Return the canonical form of `spec`, a spec of a plug-in of the kind `kind`; errors name the parameter `name`.

    A routing may also be given as ``@FILE``; this text is returned unchanged.
    """
    file = at_file(spec) if kind == "routings" else None
    if file is not None:
        # This call checks that the file can be read.
        is_saved_routing(file)
        return spec
    try:
        return _tulle.canonical(kind, spec)
    except SpecError as error:
        raise SpecError(f"{name}: {error}") from None


def input_files(fabric: str, routing: str | None = None, traffic: str | None = None) -> list[Path]:
    """Return the input files that are named in the specs of a fabric, a routing and a traffic pattern."""
    files = [Path(path) for path in _tulle.input_files(fabric)]
    file = None if routing is None else at_file(routing)
    files += [] if file is None else [file]
    return files + ([] if traffic is None else _traffic_files(traffic))


def _traffic_files(traffic: str) -> list[Path]:
    if traffic.startswith("with-background:"):
        return [path for _, part in _tulle.split_spec(traffic)[1] for path in _traffic_files(part)]
    return [Path(path) for path in _tulle.traffic_files(traffic)]


def read_gap(gap: float | str) -> float:
    """Read the maximum relative gap between two bounds: above 0 and at most 1, or a text such as ``1%``."""
    return read_ratio("gap", gap, most=1)


def read_ratio(name: str, ratio: float | str, most: float = inf) -> float:
    """Read a number above 0, or a text such as ``1%``; errors name the argument `name`."""
    up_to = "" if most == inf else f" and at most {most:g} ({most:.0%})"
    legal = f"legal: above 0{up_to}, for example 0.01 or 1%"
    text = str(ratio).strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise SpecError(f"{name}={brief(str(ratio))} is not a number; {legal}") from None
    if not (isfinite(value) and 0 < value <= most):
        raise SpecError(f"{name}={brief(str(ratio))} is out of range; {legal}")
    return value


def read_fraction(name: str, fraction: SupportsFloat | str) -> float:
    """Read a fraction: a number, or a text such as ``0.3`` or ``30%``. The Rust core checks its range."""
    text = str(fraction).strip()
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(fraction)
    except (TypeError, ValueError):
        raise InputError(f"{name}={fraction!r} is not a number; legal: 0 to 1 or 0% to 100%") from None


def read_list(name: str, values: Iterable[T]) -> list[T]:
    """Return values as a list. Raise `InputError` for a single text, because `list` would split it into characters."""
    if isinstance(values, str):
        raise InputError(f"{name}={str(values)!r} is one text; legal: a list of them, for example [{str(values)!r}]")
    if not isinstance(values, Iterable):
        raise InputError(f"{name}={values!r} is {kind_of(values)}; legal: a list, for example [{values!r}]")
    return list(values)


def read_texts(name: str, values: str | PathLike[str] | Iterable[T]) -> list[T]:
    """Return specs, names or paths as a list. A single one is a list of one."""
    if isinstance(values, (str, PathLike)):
        return [cast("T", values)]
    if not isinstance(values, Iterable):
        raise InputError(f"{name}={values!r} is {kind_of(values)}; legal: a text, or a list of texts")
    return list(values)


def as_spec(name: str, spec: str, example: str) -> str:
    """Return `spec` if it is a text; otherwise raise `InputError`, which shows the `example`.

    A file in place of the spec of a fabric, a routing or a traffic is refused with the spec that reads the file.
    """
    if not isinstance(spec, str):
        raise InputError(f"{name} is {kind_of(spec)}; legal: a spec, for example '{example}'")
    if name in _READ and isfile(spec):  # noqa: PTH113 - Path.is_file fails if the text is too long for a path
        kind, key = _READ[name]
        # A file may have the name of a plug-in, for example `clique`.
        if spec.partition(":")[0] not in (entry["name"] for entry in _tulle.registered(kind)):
            if spec.endswith(".toml"):
                raise SpecError(f"{spec} is a file, not a spec; if it is a study, use tulle run {quote(spec)}")
            reads = _tulle.join_spec("file", [(key, spec)]) if key else f"@{spec}"
            raise SpecError(f"{spec} is a file, not a spec; legal: for example {quote(reads)}")
    return spec


def kind_of(value: object) -> str:
    """Return the type of a value with an article, for example ``a list``. Messages use it."""
    if value is None:
        return "None"
    kind = type(value)
    name = f"{kind.__qualname__} of {kind.__module__}".removesuffix(" of builtins")
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"
