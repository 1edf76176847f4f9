"""Generate stub files of the typed specs from the declarations of plug-ins, for type checkers and editors.

``typed_specs.py write`` writes the stubs; ``typed_specs.py check`` fails if they differ from the declarations.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import tulle
from tulle.typed_specs import MODULES, Spec, class_name

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "tulle"

_IMPORTS = {
    "Sequence[": "from collections.abc import Sequence",
    "timedelta": "from datetime import timedelta",
    "PathLike[": "from os import PathLike",
    "Literal[": "from typing import Literal",
}


def stub(kind: str) -> str:
    """Return the stub file for a kind of plug-in, formatted by ``ruff format``."""
    name = MODULES[kind]
    module = import_module(f"tulle.{name}")
    classes = [getattr(module, class_name(entry["name"])) for entry in tulle.registered(kind)]
    bodies = [_class(of) for of in classes]
    signatures = "\n".join(_signature(of) for of in classes)
    imports = [line for word, line in _IMPORTS.items() if word in signatures]
    parts = [
        f'"""{module.__doc__}"""',
        "# Written by `python tools/typed_specs.py write`.",
        "\n".join([*imports, "", "from tulle.typed_specs import Spec"]),
        *bodies,
    ]
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(PACKAGE / f"{name}.pyi"), "-"]
    ran = subprocess.run(command, input="\n\n".join(parts), capture_output=True, text=True, check=True, cwd=ROOT)
    return ran.stdout


def _class(of: type[Spec]) -> str:
    document = str(of.__doc__).replace("\\", "\\\\")
    lines = [f"    {line}".rstrip() for line in document.splitlines()]
    first = lines[0].strip()
    return "\n".join([f"class {of.__name__}(Spec):", f'    """{first}', *lines[1:], '    """', _signature(of)])


def _signature(of: type[Spec]) -> str:
    signature: Signature = of.__signature__  # type: ignore[attr-defined]
    arguments = [_argument(argument) for argument in signature.parameters.values()]
    return f"    def __new__({', '.join(['cls', *(['*'] if arguments else []), *arguments])}) -> {of.__name__}: ..."


def _argument(argument: Parameter) -> str:
    default: Any = argument.default
    return f"{argument.name}: {argument.annotation}" + ("" if default is Parameter.empty else f" = {default!r}")


def main() -> int:
    """Write or check all stub files; return the exit code."""
    if sys.argv[1:] not in (["check"], ["write"]):
        print("usage: typed_specs.py check|write", file=sys.stderr)
        return 2
    stale = False
    for kind, name in MODULES.items():
        path, text = PACKAGE / f"{name}.pyi", stub(kind)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if sys.argv[1] == "write":
            path.write_text(text, encoding="utf-8")
            continue
        stale = True
        print(
            f"typed_specs.py: {path.relative_to(ROOT)} differs from the declarations; "
            "python tools/typed_specs.py write updates it",
            file=sys.stderr,
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
