"""Run a job inside the sandbox: read it from one line of standard input, and answer with one line.

The job and its processes form a separate process session. All of them are killed when the job ends, when standard input
is closed, or at the timeout.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import threading
from importlib import import_module
from typing import Any


def _with_driver() -> None:
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


def _bytes(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    raise TypeError(type(value).__name__)


def _unpacked(value: dict[str, Any]) -> Any:
    return base64.b64decode(value["base64"]) if value.keys() == {"base64"} else value


def main() -> None:
    """Run one job."""
    os.setsid()
    job = json.loads(sys.stdin.buffer.readline(), object_hook=_unpacked)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, job["timeout"])
    threading.Thread(target=_with_driver, daemon=True).start()
    try:
        result = import_module(f"tulle.lab.inside.{job['job']}").run(job)
        answer = {"result": result}
    except (OSError, RuntimeError) as error:
        answer = {"error": f"inside the lab: {error}"}
    sys.stdout.write(json.dumps(answer, default=_bytes) + "\n")
    sys.stdout.flush()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
