"""Read the forwarding tables of a lab's kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.lab.sandbox import Sandbox

__all__ = ["tables"]


def tables(sandbox: Sandbox, plan: EthernetPlan) -> dict[str, str]:
    """Return the output of ``ip -json route show table all`` for every switch, by its name."""
    job = {"job": "fibs", "version": plan.addressing.version, "names": plan.names}
    found: dict[str, str] = sandbox.run(job, timeout=60 + len(plan.names) / 2)
    return found
