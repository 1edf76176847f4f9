from __future__ import annotations

import json

import golden

import tulle
from tulle.registry import KINDS, PYTHON_KINDS


def test_results_are_the_same_bytes_as_ever() -> None:
    rows = json.loads(golden.ROWS.read_text(encoding="utf-8"))
    changed = []
    for row in rows:
        arguments = {key: value for key, value in row.items() if key not in ("case", "digest")}
        found = golden.digest(row["case"], arguments)
        if found != row["digest"]:
            changed.append(f"{row['case']} {arguments}: {row['digest']} became {found}")
    assert not changed, "\n".join(changed)


def test_every_example_has_a_case() -> None:
    text = golden.ROWS.read_text(encoding="utf-8")
    kinds = [kind for kind in KINDS if kind not in PYTHON_KINDS]
    # These plug-ins read a file of the user, so golden.json has no cases for them.
    readers = {"file", "dragonfly-map", "goal", "htsim", "hpcc"}
    entries = [entry for kind in kinds for entry in tulle.registered(kind) if entry["name"] not in readers]
    specs = [spec for entry in entries for spec in entry["examples"]]
    missing = [spec for spec in specs if json.dumps(spec, ensure_ascii=False) not in text]
    assert missing == [], f"without a digest; run `python tests/golden.py`: {missing}"
