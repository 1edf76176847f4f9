"""Load changed routes, round by round."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tulle.lab import kernel
from tulle.lab.inside import faults
from tulle.lab.sandbox_init import STATE


def run(job: dict[str, Any]) -> None:
    """Load all rounds of changes, and record the digest of the repaired bundle."""
    for switches in job["rounds"]:
        for name, text in switches:
            with kernel.network(name):
                done = subprocess.run(["ip", "-batch", "-"], input=text, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{name}: {_problem(done.stderr)}")
    faults.forget_routes()
    STATE.write_text(json.dumps({**json.loads(STATE.read_text()), "digest": job["digest"]}))


def _problem(errors: str) -> str:
    """Return the errors of ``ip`` in one line, with the remedy for the error that users make themselves."""
    if "is not up" in errors:
        return "a new route uses a cable that is down; legal: first restore the cable, `tulle lab fail BUNDLE --heal`"
    return " ".join(errors.split())[:300]
