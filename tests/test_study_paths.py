"""Check that paths in a study file are relative to the file's folder, whatever the current folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

import tulle
from tulle import study
from tulle.study.engine.paths import mapped_spec


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """Write a study into its own folder, together with files for its fabric, routing, messages and faults."""
    folder = tmp_path / "studies" / "own"
    (folder / "data").mkdir(parents=True)
    fabric = tulle.Fabric("clique:degree=4")
    fabric.write(folder / "data" / "net.csv")
    tulle.route(fabric, "minimal").save(folder / "data" / "net.tulle")
    (folder / "data" / "pair.csv").write_text("source,destination,bytes\n0,1,1000\n")
    (folder / "faults.txt").write_text("down:links=1,at=1us,until=2us\n")
    path = folder / "moved.toml"
    path.write_text(
        'name = "moved"\nmeasurement = "simulate"\nplots = []\n[[case]]\nname = "a"\n'
        'fabric = "file:edges=data/net.csv,nodes=data/net.nodes.csv"\nrouting = "@data/net.tulle"\n'
        'traffic = "file:data/pair.csv"\nfaults = ["@faults.txt"]\n'
    )
    return path


def test_a_study_runs_from_any_folder(moved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absolute = study.plan(study.load(moved))
    ids = {absolute.id}
    for folder in (tmp_path, moved.parent, moved.parent / "data"):
        monkeypatch.chdir(folder)
        ids.add(study.plan(study.load(Path("..") / moved.name if folder.name == "data" else moved)).id)
    monkeypatch.chdir(tmp_path)
    relative = study.load(moved.relative_to(tmp_path))
    done = study.run(relative, "runs", threads=1)
    assert ids == {done.plan.id}
    configuration = done.plan.runs[0].configuration
    assert sorted(configuration["inputs"]) == ["data/net.csv", "data/net.nodes.csv", "data/net.tulle", "data/pair.csv"]
    assert configuration["parameters"]["routing"] == "@data/net.tulle"
    assert configuration["parameters"]["faults"] == ["down:links=1,at=1us,until=2us"]
    assert done.plan.runs[0].parameters.model_dump()["routing"] == "@studies/own/data/net.tulle"


def test_a_missing_file_is_named_as_seen_from_here(
    moved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (moved.parent / "data" / "pair.csv").unlink()
    monkeypatch.chdir(tmp_path)
    words = r"case .a.: data/pair\.csv does not exist \(looked for at .*/studies/own/data/pair\.csv\); legal: "
    with pytest.raises(tulle.StudyError, match=words):
        study.plan(study.load("studies/own/moved.toml"))


def test_a_changed_file_is_noticed(moved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    planned = study.plan(study.load("studies/own/moved.toml"))
    (moved.parent / "data" / "pair.csv").write_text("source,destination,bytes\n1,0,1000\n")
    with pytest.raises(tulle.StudyError, match=r"data/pair\.csv changed while the study ran"):
        study.run(planned, "runs", threads=1)


@pytest.mark.parametrize(
    ("kind", "spec", "located"),
    [
        ("fabrics", "file:edges=a.csv,nodes=b.csv,p=2", "file:edges=D/a.csv,nodes=D/b.csv,p=2"),
        ("fabrics", 'file:edges="a,b.csv"', 'file:edges="D/a,b.csv"'),
        ("fabrics", "jellyfish-like:file:edges=a.csv", "jellyfish-like:file:edges=D/a.csv"),
        ("fabrics", "dragonfly-map:a=2,map=m.csv", "dragonfly-map:a=2,map=D/m.csv"),
        ("fabrics", "slimfly:q=5", "slimfly:q=5"),
        ("fabrics", "unknown:edges=a.csv", "unknown:edges=a.csv"),
        ("fabrics", "file:a.csv", "file:a.csv"),
        ("routings", "@r.tulle", "@D/r.tulle"),
        ("traffics", "file:m.csv", "file:D/m.csv"),
        ("traffics", "skewed:bytes=1MiB,places=p.txt", "skewed:bytes=1MiB,places=D/p.txt"),
        ("traffics", "uniform:arrivals=9,cdf=s.csv", "uniform:arrivals=9,cdf=D/s.csv"),
        ("traffics", "with-background:of=skewed,background=file:m.csv", None),
        ("traffics", 'with-background:of="skewed:ranks=4,places=m.csv",background=skewed', None),
        ("flit-traffics", 'bursts:length=4,of="file:messages=m.csv,self=yes"', None),
        ("flit-traffics", "file:messages=m.csv", "file:messages=D/m.csv"),
    ],
)
def test_paths_of_specs(kind: str, spec: str, located: str | None) -> None:
    wanted = spec.replace("m.csv", "D/m.csv") if located is None else located
    assert mapped_spec(kind, spec, lambda path: f"D/{path}") == wanted
