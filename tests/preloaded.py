"""Run commands of tulle in copies of a process that has already imported the package.

Most commands in the tests take less time than Python needs to import the package. So a server imports it once and
forks for every command. The copy has the arguments, the folder and the standard streams of the command, and ends
as the command `tulle` ends.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from select import select

COMMAND = Path(sys.executable).with_name("tulle")
# pytest changes this variable during every test.
_OTHER = "PYTEST_CURRENT_TEST"
# A command that takes longer than this is killed.
_SECONDS = 300
# Packages of tulle, and libraries, whose modules many commands use. Several commands take less time than the import of
# a library.
_PACKAGES = (
    "analysis",
    "cabling",
    "cli",
    "compare",
    "deploy",
    "design",
    "flit",
    "packet",
    "plot",
    "report_html",
    "routing",
    "schedulers",
    "study",
    "tuning",
)
_LIBRARIES = (
    "fontTools.subset",
    "highspy",
    "igraph",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "networkx",
    "rich.table",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
)


# This program takes the place of the command `tulle` in shell scripts. It passes its standard streams to the server.
_CLIENT = """#!{python} -IS
import json, os, signal, socket, sys

with socket.socket(socket.AF_UNIX) as wire:
    wire.connect({path!r})
    request = {{"arguments": sys.argv[1:], "cwd": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(wire, [json.dumps(request).encode()], [0, 1, 2])
    wire.shutdown(socket.SHUT_WR)
    with wire.makefile("r", encoding="utf-8") as answers:
        process = int(answers.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(process, number))
        code = int(answers.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


def run(*arguments: str, cwd: Path | str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `tulle` with arguments and capture its output. Standard output and error are not terminals.

    A command with another environment than the server runs in a process of its own, because modules may read the
    environment when they are imported. So do all commands on systems whose libraries do not survive a fork.
    """
    if sys.platform != "linux" or environment or _environment() != _at_start():
        return subprocess.run(
            [COMMAND, *arguments],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            cwd=cwd,
            env={**os.environ, **environment},
            check=False,
        )
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as error,
        socket.socket(socket.AF_UNIX) as wire,
        Path(os.devnull).open(encoding="utf-8") as nothing,
    ):
        wire.settimeout(_SECONDS)
        wire.connect(str(_server(frozenset(_at_start().items()))))
        request = {"arguments": arguments, "cwd": str(cwd or Path.cwd()), "environment": dict(os.environ)}
        socket.send_fds(wire, [json.dumps(request).encode()], [nothing.fileno(), out.fileno(), error.fileno()])
        wire.shutdown(socket.SHUT_WR)
        with wire.makefile("r", encoding="utf-8") as answers:
            process = int(answers.readline())
            try:
                code = int(answers.readline())
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                raise
        texts = []
        for file in (out, error):
            file.seek(0)
            texts.append(file.read())
    return subprocess.CompletedProcess([COMMAND, *arguments], code, *texts)


def shell_path(**environment: str) -> str:
    """Return a value of `PATH` for shell scripts in which `tulle` is a command of a server with this environment."""
    folders = [str(COMMAND.parent), os.environ["PATH"]]
    if sys.platform == "linux":
        client = _server(frozenset({**_at_start(), **environment}.items())).with_name("tulle")
        folders.insert(0, str(client.parent))
    return os.pathsep.join(folders)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != _OTHER}


@cache
def _at_start() -> dict[str, str]:
    return _environment()


@cache
def _server(environment: frozenset[tuple[str, str]]) -> Path:
    """Start a server; return the path of its socket. The client program `tulle` is in the same folder."""
    folder = tempfile.TemporaryDirectory(prefix="tulle-server-")
    path, client = Path(folder.name) / "socket", Path(folder.name) / "tulle"
    client.write_text(_CLIENT.format(python=sys.executable, path=str(path)), encoding="utf-8")
    client.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, __file__, str(path)],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"

    def end() -> None:
        server.kill()
        server.communicate()
        folder.cleanup()

    atexit.register(end)
    return path


def _preload() -> None:
    package = import_module("tulle")
    root = Path(str(package.__file__)).parent
    for part in _PACKAGES:
        for path in sorted((root / part).rglob("*.py")):
            name = ".".join(("tulle", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
            # Some modules need optional packages, and some folders hold data instead of modules.
            with suppress(ImportError):
                import_module(name)
    for name in _LIBRARIES:
        with suppress(ImportError):
            import_module(name)


def serve(path: str) -> None:
    """Accept commands until the test process ends. Only copies return from this function."""
    _preload()
    # Without this call, the first garbage collection of every copy would write to most pages of its memory.
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as wire:
        wire.bind(path)
        wire.listen()
        print("ready", flush=True)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        while True:
            # Standard input ends when the test process ends.
            if sys.stdin in select([wire, sys.stdin], [], [])[0]:
                os._exit(0)
            connection, _ = wire.accept()
            if os.fork() == 0:
                break
            connection.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass
    _carry_out(connection)


def _carry_out(connection: socket.socket) -> None:
    """Run one command in a copy of this process, and report its process id and its exit code."""
    request, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while more := connection.recv(1 << 20):
        request += more
    message = json.loads(request)
    process = os.fork()
    if process:
        connection.sendall(f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Python's stream objects remember whether the server's streams were terminals or files, so new objects replace
    # them.
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, buffering, stream.encoding, stream.errors, closefd=False)  # noqa: SIM115
        for number, mode, buffering, stream in (
            (0, "r", -1, sys.stdin),
            (1, "w", -1, sys.stdout),
            (2, "w", 1, sys.stderr),
        )
    )
    os.chdir(message["cwd"])
    os.environ.clear()
    os.environ.update(message["environment"])
    sys.argv = [str(COMMAND), *message["arguments"]]


def _end(code: object) -> None:
    """End as Python does after an exit, but do not free all objects, because this takes longer than many commands."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    # A command must not import the modules beside this file.
    sys.path.pop(0)
    serve(sys.argv[1])
    try:
        import_module("tulle.cli").main()
    except SystemExit as end:
        _end(end.code)
