"""Runs of a study share routed fabrics."""

from pathlib import Path

import pytest

import tulle
from tulle import study
from tulle.study.measurements import shared

STUDY = """
name = "shared"
measurement = "{measurement}"
seeds = [1, 2]
figures = ["{figure}"]

[common]
fabric = "{fabric}"
{common}

[grid]
{grid}

[[case]]
name = "layers"
routing = "spread:layers=3"
{selector}

[[case]]
name = "minimal"
routing = "minimal"
"""
SIMULATE = {
    "measurement": "simulate",
    "figure": "fct_mean_us",
    "common": "",
    "grid": 'traffic = ["permutation:bytes=10KB", "shuffle:bytes=10KB", "incast:senders=4"]',
    "selector": 'selector = "recycle"',
}
FLIT = {
    "measurement": "flit",
    "figure": "latency_mean",
    "common": "vcs = 4\nwarmup = 50\nwindow = 100",
    "grid": "load = [0.1, 0.2, 0.3]",
    "selector": 'selector = "random"',
}


def measured(
    directory: Path, monkeypatch: pytest.MonkeyPatch, fabric: str, kind: dict[str, str], threads: int = 2
) -> tuple[int, list[object]]:
    """Return how many routings a study builds, and its figures."""
    path = directory / "shared.toml"
    path.write_text(STUDY.format(fabric=fabric, **kind))
    built = []
    route = tulle.route

    def counted(*arguments: object) -> tulle.Routing:
        built.append(arguments)
        return route(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(tulle, "route", counted)
        done = study.run(study.load(path), directory / "runs", threads=threads, fresh=True)
    return len(built), [(result.case, result.point, result.figures) for result in done.results]


@pytest.mark.parametrize("kind", [SIMULATE, FLIT], ids=["simulate", "flit"])
def test_a_routing_is_built_once_per_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: dict[str, str]
) -> None:
    built, figures = measured(tmp_path, monkeypatch, "slimfly:q=5", kind)
    assert built == 2 * 2
    assert not shared._networks.kept
    # Without room for shared routings, every run builds its own, and the results are the same.
    monkeypatch.setattr(shared, "_MOST_BYTES", 0)
    assert measured(tmp_path, monkeypatch, "slimfly:q=5", kind) == (2 * 2 * 3, figures)


def test_runs_of_a_network_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a single routing of three layers, each of the four routings is still built once."""
    _, figures = measured(tmp_path, monkeypatch, "slimfly:q=5", SIMULATE)
    monkeypatch.setattr(shared, "_MOST_BYTES", 3 * 8 * 50**2)
    assert measured(tmp_path, monkeypatch, "slimfly:q=5", SIMULATE, threads=1) == (2 * 2, figures)


def test_the_networks_used_last_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def find(key: str) -> None:
        def build() -> tuple[tulle.Fabric, tulle.Routing]:
            built.append(key)
            fabric = tulle.Fabric("slimfly:q=3")
            return fabric, tulle.route(fabric, "minimal")

        shared._networks.find(key, build)

    # A Slim Fly with q = 3 has 18 switches.
    monkeypatch.setattr(shared, "_MOST_BYTES", 2 * 8 * 18**2)
    with shared.sharing():
        for key in "abacabcc":
            find(key)
    # c replaces b, then b replaces c, and then c replaces a.
    assert built == ["a", "b", "c", "b", "c"]


def test_a_network_that_is_too_large_replaces_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(spec: str) -> tulle.Routing:
        def build() -> tuple[tulle.Fabric, tulle.Routing]:
            fabric = tulle.Fabric(spec)
            return fabric, tulle.route(fabric, "minimal")

        return shared._networks.find(spec, build)[1]

    monkeypatch.setattr(shared, "_MOST_BYTES", 8 * 18**2)
    with shared.sharing():
        small, large = find("slimfly:q=3"), find("slimfly:q=5")
        assert find("slimfly:q=3") is small
        assert find("slimfly:q=5") is not large


def test_files_are_read_for_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = tmp_path / "ring.csv"
    edges.write_text("a,b\n0,1\n1,2\n2,3\n3,0\n")
    built, _ = measured(tmp_path, monkeypatch, f"file:edges={edges},p=2", SIMULATE)
    assert built == 2 * 2 * 3


def test_a_failed_build_is_repeated() -> None:
    def fail() -> tuple[tulle.Fabric, tulle.Routing]:
        raise tulle.InputError("no")

    with shared.sharing():
        for _ in range(2):
            with pytest.raises(tulle.InputError, match="no"):
                shared._networks.find("key", fail)
