"""Check containerlab topologies against containerlab's schema, if the schema is available; no container runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import tulle
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.targets.containerlab import write_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
SCHEMA = os.environ.get("TULLE_CLAB_SCHEMA", "")


def faults(topology: Mapping[str, Any]) -> list[str]:
    """Return the errors that the schema finds in a topology."""
    # The schema's patterns use the ECMAScript classes \p{N} and \p{L}, which Python's `re` lacks.
    schema = json.loads(Path(SCHEMA).read_text().replace("\\\\p{N}\\\\p{L}", "\\\\w"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [error.message for error in validator.iter_errors(topology)]


@pytest.mark.skipif(not SCHEMA, reason="TULLE_CLAB_SCHEMA names no schema of containerlab (schemas/clab.schema.json)")
@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("switches", ["frr", "linux"])
def test_topology_is_valid(tmp_path: Path, switches: Any, ipv6: bool) -> None:
    plan = plan_of(tulle.route("hyperx:shape=3x3", "almost-minimal:layers=2"), ipv6=ipv6)
    write_plan(plan, tmp_path, switches=switches)
    topology = yaml.safe_load((tmp_path / "fabric.clab.yml").read_text())
    assert faults(topology) == []
    topology["topology"]["nodes"][plan.names[0]]["unknown"] = 1
    assert faults(topology) != []
