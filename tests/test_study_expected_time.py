"""Check the estimate of a study's processor time, which follows from the recorded results of the study."""

import json
from pathlib import Path

import pytest
from conftest import Cli

from tulle import study
from tulle.study.report.expected import Expected, expected

STUDY = """
name = "timed"
measurement = "analyze"
plots = []
seeds = [1, 2, 3]
[common]
metric = "diameter"
[grid]
fabric = ["slimfly:q=3", "slimfly:q=5"]
[[case]]
name = "a"
[[case]]
name = "b"
seeds = [7]
"""
SECONDS = {("a", "slimfly:q=3"): 300.0, ("a", "slimfly:q=5"): 900.0, ("b", "slimfly:q=3"): 120.0}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Return a study whose recorded results have times of three of its four rows, each over four seeds."""
    path = tmp_path / "timed.toml"
    path.write_text(STUDY)
    rows = [
        {
            "case": case,
            "point": {"fabric": fabric},
            "seeds": [1, 2, 3, 4],
            "digest": "0" * 16,
            "date": "2026-01-01",
            "processor_seconds": SECONDS.get((case, fabric)),
            "figures": {},
        }
        for fabric in ("slimfly:q=3", "slimfly:q=5")
        for case in ("a", "b")
    ]
    kept = {"study": "timed", "small": {"tulle": "0.1.0", "results": rows}}
    path.with_suffix(".json").write_text(json.dumps(kept))
    return path


def test_the_time_is_that_of_the_seeds_that_run(recorded: Path) -> None:
    planned = study.plan(study.load(recorded))
    # Three of four recorded seeds of both rows of a, and one of four of a row of b; the other row of b has no time.
    found = expected(planned.study, planned.runs)
    assert found == Expected(seconds=0.75 * (300 + 900) + 120 / 4, longest=900 / 4, known=7, unknown=1)
    one = planned.only(lambda run: run.seed == 2)
    assert expected(one.study, one.runs) == Expected(seconds=(300 + 900) / 4, longest=900 / 4, known=2, unknown=0)
    # On many threads, the longest run remains.
    assert (found.on_threads(2), found.on_threads(100)) == (465, 225)


def test_no_estimate_without_recorded_times(recorded: Path) -> None:
    planned = study.plan(study.load(recorded))
    lacking = [run for run in planned.runs if run.case == "b" and run.point["fabric"] == "slimfly:q=5"]
    assert expected(planned.study, lacking) is None
    assert expected(planned.study, []) is None
    recorded.with_suffix(".json").unlink()
    assert expected(planned.study, planned.runs) is None


def test_run_and_status_print_the_estimate(recorded: Path, tulle: Cli) -> None:
    words = "about 16 min of processor time for 7 runs (an estimate from the recorded results); 1 other run without"
    assert f"\nexpected: {words} recorded time\n" in tulle("run", str(recorded), "--status").stdout
    status = json.loads(tulle("run", str(recorded), "--status", "--json").stdout)
    assert (status["expected_processor_seconds"], status["runs_without_recorded_time"]) == (930, 1)
    run = tulle("run", str(recorded), "--threads", "1", "-o", "serial")
    assert run.stderr == f"tulle: expected: {words} recorded time\n"
    assert "expected" not in run.stdout
    # Finished runs need no time.
    assert tulle("run", str(recorded), "--threads", "1", "-o", "serial").stderr == ""
    assert "expected" not in tulle("run", str(recorded), "--status", "-o", "serial").stdout
    done = json.loads(tulle("run", str(recorded), "--status", "--json", "-o", "serial").stdout)
    assert (done["expected_processor_seconds"], done["runs_without_recorded_time"]) == (None, 0)


def test_one_case_and_shards_print_their_own_estimate(recorded: Path, tulle: Cli) -> None:
    one = tulle("run", str(recorded), "--case", "a", "--at", "fabric=slimfly:q=3", "--seed", "2", "--threads", "1")
    assert one.stderr.startswith("tulle: expected: about 1 min of processor time for 1 run (an estimate")
    shard = tulle("run", str(recorded), "--shard", "1/1", "--threads", "1", "-o", "shards")
    assert shard.stderr.startswith("tulle: expected: about 16 min of processor time for 7 runs (an estimate")


def test_damaged_recorded_results_do_not_stop_a_run(recorded: Path, tulle: Cli) -> None:
    recorded.with_suffix(".json").write_text("{}")
    run = tulle("run", str(recorded))
    assert run.stderr == (
        f"tulle: no estimate of the time: {recorded.with_suffix('.json')}: not recorded results: needs 'study'; "
        "--record writes results to this file: rename it, or the study\n"
    )
