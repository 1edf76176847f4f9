"""A simulated InfiniBand subnet for tests: ibsim, OpenSM and the operator's tools. All programs end with the test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Self

PRELOAD = sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
PACKAGES = {
    "ibsim": "ibsim-utils",
    "opensm": "opensm",
    "ibnetdiscover": "infiniband-diags",
    "ibdmchk": "ibutils",
}
UP = "SUBNET UP"


def missing(*, build: bool = True) -> str:
    """Return one line that names missing packages; an empty string if all are installed."""
    packages = [package for tool, package in PACKAGES.items() if shutil.which(tool, path=PATH) is None]
    if not PRELOAD:
        packages.append("libumad2sim0")
    if build:
        headers = {"opensm/osm_opensm.h": "libopensm-dev", "umad.h": "libibumad-dev"}
        packages += [
            package for header, package in headers.items() if not Path("/usr/include/infiniband", header).exists()
        ]
        packages += ["gcc and make"] if shutil.which("cc") is None or shutil.which("make") is None else []
    return f"needs the Debian packages {', '.join(packages)}" if packages else ""


class Subnet:
    """An ibsim network from a netlist; the test can start OpenSM on it."""

    def __init__(self, netlist: Path, folder: Path, *, lids: int = 49151) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.netlist = netlist
        self._lids = lids
        self._ends = ExitStack()
        socket = f"tulle-{os.getpid()}-{time.monotonic_ns()}"
        self.environment = {
            **os.environ,
            "PATH": PATH,
            "IBSIM_SOCKNAME": socket,
            "SIM_HOST": next(line.split('"')[1] for line in netlist.read_text().splitlines() if line.startswith("Ca")),
            "OSM_TMP_DIR": str(folder),
            "OSM_CACHE_DIR": str(folder),
        }
        self._opensm: subprocess.Popen[bytes] | None = None
        self._ups = 0
        self._printed = folder / "ibsim.out"
        self._marks = 0

    def __enter__(self) -> Self:
        command = ["ibsim", "-s", "-N", "16384", "-S", "2048", "-P", "262144", "-L", str(self._lids), str(self.netlist)]
        output = self._ends.enter_context(self._printed.open("wb"))
        self._simulator = subprocess.Popen(
            command, env=self.environment, stdout=output, stderr=output, stdin=subprocess.PIPE, cwd=self.folder
        )
        self._ends.callback(_end, self._simulator)
        self._wait(self._printed, "simulator ready", 1, PATIENCE, self._simulator)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def on_host(self, host: str, folder: Path) -> Subnet:
        """Return the same subnet as another host sees it; OpenSM can run there at the same time."""
        folder.mkdir(parents=True)
        other = Subnet(self.netlist, folder, lids=self._lids)
        other.environment = {
            **self.environment,
            "SIM_HOST": host,
            "OSM_TMP_DIR": str(folder),
            "OSM_CACHE_DIR": str(folder),
        }
        other._simulator, other._printed = self._simulator, self._printed
        self._ends.enter_context(other._ends)
        return other

    def tool(self, *command: str, timeout: float = PATIENCE, check: bool = True) -> str:
        """Run an InfiniBand tool in the subnet and return its output."""
        done = subprocess.run(
            command,
            env={**self.environment, "LD_PRELOAD": str(PRELOAD[0])},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            cwd=self.folder,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, f"{' '.join(command)}: {done.stdout[-400:]}{done.stderr[-400:]}"
        return done.stdout

    @contextmanager
    def running(self, *command: str) -> Iterator[None]:
        """Run an InfiniBand tool in the subnet, without its output, until the block ends."""
        process = subprocess.Popen(
            command,
            env={**self.environment, "LD_PRELOAD": str(PRELOAD[0])},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )
        try:
            yield
        finally:
            _end(process)

    def console(self, *lines: str) -> None:
        """Send commands to ibsim, for example ``unlink "S-1"[4]``, and wait until ibsim has run them.

        ibsim runs commands in order, and reports unknown commands. So this method adds an unknown command at the end,
        and waits for the report.
        """
        assert self._simulator.stdin is not None
        self._marks += 1
        last = f"tulle-{id(self)}-{self._marks}"
        for line in (*lines, last):
            self._simulator.stdin.write(f"{line}\n".encode())
        self._simulator.stdin.flush()
        self._wait(self._printed, f"'{last}' unknown", 1, PATIENCE, self._simulator)

    def opensm(
        self,
        *arguments: str,
        preload: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
        up: bool = True,
    ) -> None:
        """Start OpenSM and wait until the subnet is up."""
        assert self._opensm is None
        (self.folder / "osm.log").unlink(missing_ok=True)
        output = self._ends.enter_context((self.folder / "opensm.out").open("wb"))
        self._opensm = subprocess.Popen(
            ["opensm", "-f", str(self.folder / "osm.log"), "-d", "2", "--dump_files_dir", str(self.folder), *arguments],
            env={
                **self.environment,
                **(environment or {}),
                "LD_PRELOAD": " ".join((*preload, str(PRELOAD[0]))),
            },
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
        )
        self._ends.callback(_end, self._opensm)
        self._ups = 0
        if up:
            self.wait_up(timeout)

    def wait_up(self, timeout: float = PATIENCE) -> None:
        """Wait until OpenSM logs again that the subnet is up."""
        self._ups += 1
        self._wait(self.folder / "osm.log", UP, self._ups, timeout, self._opensm)

    def wait_log(self, text: str, timeout: float = PATIENCE) -> None:
        """Wait until OpenSM has logged a text."""
        self._wait(self.folder / "osm.log", text, 1, timeout, self._opensm)

    def wait_log_from(self, place: int, text: str, timeout: float = PATIENCE) -> None:
        """Wait until OpenSM has logged a text after position `place` of its log."""
        self._wait(self.folder / "osm.log", text, 1 + self.log[:place].count(text), timeout, self._opensm)

    def sweep(self, timeout: float = PATIENCE, *, up: bool = True) -> float:
        """Trigger a heavy sweep of OpenSM, and wait for its end if `up`; return the elapsed time in seconds."""
        assert self._opensm is not None
        self._ups = self.log.count(UP)
        began = time.monotonic()
        self._opensm.send_signal(signal.SIGHUP)
        if up:
            self.wait_up(timeout)
        return time.monotonic() - began

    def stop_opensm(self) -> int:
        """Stop OpenSM as an operator does; return its exit code."""
        assert self._opensm is not None
        self._opensm.terminate()
        try:
            return self._opensm.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._opensm.kill()
            return self._opensm.wait(PATIENCE)
        finally:
            self._opensm = None

    def kill_opensm(self) -> None:
        """Kill OpenSM with SIGKILL."""
        assert self._opensm is not None
        _end(self._opensm)
        self._opensm = None

    @property
    def pid(self) -> int:
        """The process id of OpenSM."""
        assert self._opensm is not None
        return self._opensm.pid

    @property
    def log(self) -> str:
        """The text of OpenSM's log."""
        path = self.folder / "osm.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def _wait(self, path: Path, text: str, times: int, timeout: float, process: subprocess.Popen[bytes] | None) -> None:
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if path.exists() and path.read_text(errors="replace").count(text) >= times:
                return
            assert process is None or process.poll() is None, f"ended: {self._last()}"
            time.sleep(0.02)
        raise AssertionError(f"no {text!r} in {path.name} within {timeout} s: {self._last()}")

    def _last(self) -> str:
        return "\n".join(
            path.read_text(errors="replace")[-1500:]
            for name in ("osm.log", "opensm.out", "ibsim.out")
            if (path := self.folder / name).exists()
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait(PATIENCE)
    if process.stdin is not None:
        process.stdin.close()
