"""Run iperf3 between hosts for a bounded time, with faults during the measurement."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from tulle.lab import kernel
from tulle.lab.inside import faults

_LINE = re.compile(r"^\[ *(SUM|\d+)\] +(\d+\.\d+)-(\d+\.\d+) +sec +\S+ \S+ +([0-9.]+) Kbits/sec")
_LISTEN = 10.0
# The iperf3 clients that still run this many seconds after the measurement are killed.
_BEHIND = 3.0


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Return the received kbit/s of each stream in every interval, and the number of additional MPTCP subflows."""
    tables = job["tables"]
    for name, text in tables["load"]:
        with kernel.network(name):
            _nft("-f", "-", text=text)
    try:
        return {"streams": _streams(job)}
    finally:
        for name, family, table in tables["drop"]:
            with kernel.network(name):
                _nft("delete", "table", family, table)


def _nft(*words: str, text: str = "") -> None:
    done = subprocess.run(["nft", *words], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"nft: {' '.join(done.stderr.split())[:300]}")


def _streams(job: dict[str, Any]) -> list[dict[str, Any]]:
    seconds, interval = job["seconds"], job["interval"]
    with tempfile.TemporaryDirectory(dir="/run") as folder:
        servers, clients = [], []
        for number, stream in enumerate(job["streams"]):
            wrap = ["mptcpize", "run"] if stream["mptcp"] else []
            log = Path(folder) / f"server-{number}"
            command = [*wrap, "iperf3", "-s", "-1", "-p", str(stream["port"]), "-i", str(interval), "-f", "k"]
            with kernel.network(stream["server"]), log.open("wb") as output:
                servers.append((_start([*command, "--forceflush"], output), log, stream))
        for server, _, stream in servers:
            _listening(server, stream["port"])
        joined = [_joined(stream["server"]) for stream in job["streams"]]
        began = time.monotonic()
        for number, stream in enumerate(job["streams"]):
            wrap = ["mptcpize", "run"] if stream["mptcp"] else []
            command = [*wrap, "iperf3", "-c", stream["address"], "-p", str(stream["port"]), "-t", str(seconds)]
            log = Path(folder) / f"client-{number}"
            with kernel.network(stream["client"]), log.open("wb") as output:
                clients.append((_start([*command, "-P", str(stream["flows"]), "-i", "0"], output), log))
        for event in job["events"]:
            time.sleep(max(0.0, began + event["at"] - time.monotonic()))
            if event["heal"]:
                faults.heal(event["name"])
            else:
                faults.fail(event["name"], event["ends"], event["kind"], event["shaping"])
        last = began + seconds + _BEHIND
        for client, _ in clients:
            _end(client, last)
        found = []
        for (server, log, stream), before, (_, client_log) in zip(servers, joined, clients, strict=True):
            subflows = _joined(stream["server"]) - before
            _end(server, time.monotonic() + (0.5 if time.monotonic() < last else 0))
            intervals = _intervals(log.read_text(errors="replace"))
            if not intervals:
                raise RuntimeError(f"iperf3 sent nothing: {_last(client_log)}; {_last(log)}")
            found.append({"intervals": intervals, "subflows": subflows})
    return found


def _start(command: list[str], output: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        preexec_fn=kernel.die_with_parent,
    )


def _listening(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _LISTEN
    wanted = f":{port:04X}"
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(f"iperf3 ended with {server.returncode}")
        for table in ("tcp", "tcp6"):
            path = Path(f"/proc/{server.pid}/net/{table}")
            rows = path.read_text().splitlines()[1:] if path.exists() else []
            if any(row.split()[1].endswith(wanted) and row.split()[3] == "0A" for row in rows):
                return
        time.sleep(0.005)
    raise RuntimeError(f"iperf3 does not listen within {_LISTEN:.0f} s")


def _end(process: subprocess.Popen[bytes], last: float) -> None:
    try:
        process.wait(max(0.0, last - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _joined(name: str) -> int:
    """Return the number of additional MPTCP subflows that a namespace has accepted so far (counter MPJoinAckRx)."""
    with kernel.network(name):
        rows = Path("/proc/thread-self/net/netstat").read_text().splitlines()
    for names, values in zip(rows[::2], rows[1::2], strict=False):
        if names.startswith("MPTcpExt:"):
            return int(dict(zip(names.split(), values.split(), strict=False)).get("MPJoinAckRx", "0"))
    return 0


def _intervals(text: str) -> list[list[float]]:
    """Return begin, end and kbit/s of every interval in iperf3's output; several connections are summed."""
    rows = [match.groups() for line in text.splitlines() if (match := _LINE.match(line)) and "receiver" not in line]
    chosen = [row for row in rows if row[0] == "SUM"] or rows
    return [[float(row[1]), float(row[2]), float(row[3])] for row in chosen]


def _last(path: Path) -> str:
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no output"
