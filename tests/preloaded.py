"""Run commands of tulle in copies of a process that has already imported the package.

Most commands in the tests take less time than Python needs to import the package. A server therefore imports it once
and forks for every command. The copy has the arguments, the folder and the standard streams of the command, and ends
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

COMMAND = Path(sys.executable).with_name("tulle")
# pytest changes this variable during every test.
_OTHER = "PYTEST_CURRENT_TEST"
# Packages whose modules most commands use.
_PACKAGES = ("cabling", "cli", "compare", "deploy", "design", "study", "schedulers")


def run(
    *arguments: str, cwd: Path | str | None = None, timeout: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `tulle` with arguments and capture its output. Standard output and error are not terminals.

    A command with another environment than the server runs in a process of its own, because modules may read the
    environment when they are imported. So do all commands on systems whose libraries do not survive a fork.
    """
    if sys.platform != "linux" or environment or _environment() != _at_start():
        return subprocess.run(
            [COMMAND, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
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
        wire.settimeout(timeout)
        wire.connect(_server())
        request = json.dumps({"arguments": arguments, "cwd": str(cwd or Path.cwd())}).encode()
        socket.send_fds(wire, [request], [nothing.fileno(), out.fileno(), error.fileno()])
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


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != _OTHER}


@cache
def _at_start() -> dict[str, str]:
    return _environment()


@cache
def _server() -> str:
    """Start the server of this process; return the path of its socket."""
    folder = tempfile.TemporaryDirectory(prefix="tulle-server-")
    path = str(Path(folder.name) / "socket")
    environment = {**_at_start(), "TULLE_SERVER_SOCKET": path}
    server = subprocess.Popen(
        [sys.executable, __file__], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
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
            # Some modules need optional packages, and some folders hold data.
            with suppress(ImportError):
                import_module(name)


def serve(path: str) -> None:
    """Accept commands until the test process kills this process. Only copies return from this function."""
    _preload()
    # Otherwise the first garbage collection of every copy would write to most pages of its memory.
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as wire:
        wire.bind(path)
        wire.listen()
        print("ready", flush=True)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        while True:
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
    os.chdir(message["cwd"])
    sys.argv = [str(COMMAND), *message["arguments"]]


def _end(code: object) -> None:
    """End as Python does after an exit, but do not free all objects, which would take as long as many commands."""
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
    # The command `tulle` has neither this folder nor this variable.
    sys.path.pop(0)
    serve(os.environ.pop("TULLE_SERVER_SOCKET"))
    try:
        import_module("tulle.cli").main()
    except SystemExit as end:
        _end(end.code)
