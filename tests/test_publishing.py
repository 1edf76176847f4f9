"""Check the files for publishing: they parse, agree with the package, and name only what exists."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from conftest import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

sys.path.insert(0, str(ROOT / "tools"))
import addresses
import release

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
BIBLIOGRAPHY = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, Any] = tomllib.load(file)["project"]
    return found


def test_versions_agree() -> None:
    assert release.problems(None) == []
    assert all(release.versions().values())


def test_problems_of_a_release_are_named(tmp_path: Path) -> None:
    (tmp_path / "conda").mkdir()
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("version: 0.1.0\nlicense: Apache-2.0\n")
    (tmp_path / "conda" / "recipe.yaml").write_text('context:\n  version: "0.2.0"\nabout:\n')
    (tmp_path / "pyproject.toml").write_text("[project]\n[project.urls]\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0\n\n- old\n")
    assert release.problems("v0.3.0", tmp_path) == [
        "CITATION.cff has version '0.1.0'; legal: '0.2.0', as in Cargo.toml",
        "tag 'v0.3.0'; legal: 'v0.2.0', as in Cargo.toml",
        "pyproject.toml names no addresses of repository and documentation; legal: the addresses that "
        "tools/release.py address REPOSITORY DOCUMENTATION writes",
        "CHANGELOG.md has no entry '## 0.2.0'",
        "CHANGELOG.md has entries under 'Unreleased'; legal: all under '## 0.2.0'",
    ]
    (tmp_path / "CITATION.cff").write_text("version: 0.2.0\nlicense: Apache-2.0\n")
    addresses.write(tmp_path, "https://forge.example/o/tulle", "https://tulle.example")
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n\n## 0.2.0 - a date\n\n- new\n\n## 0.1.0\n\n- old\n")
    assert release.problems("v0.2.0", tmp_path) == []
    assert release.entry("0.2.0", tmp_path) == "- new"


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["check"]) == 0
    assert release.main(["notes", "0.1.0"]) == 0
    assert "Features of this version" in capsys.readouterr().out
    assert release.main(["notes", "9.9.9"]) == 1
    assert release.main(["publish"]) == 2
    assert "usage: release.py check [TAG] | notes VERSION" in capsys.readouterr().err


def test_addresses_are_written_into_every_file_and_compared(tmp_path: Path) -> None:
    (tmp_path / "conda").mkdir()
    for name in ("pyproject.toml", "CITATION.cff", "conda/recipe.yaml"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    assert addresses.problems(tmp_path) == []
    before = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    for wrong in ("http://forge.example/o/tulle", "https://forge.example/o/tulle/", 'https://forge.example/"', "forge"):
        with pytest.raises(addresses.AddressError, match="legal: for example https://"):
            addresses.write(tmp_path, wrong, "https://tulle.example")
    assert before == {path: path.read_text(encoding="utf-8") for path in before}
    for repository in ("https://forge.example/other/tulle", "https://forge.example/o/tulle"):
        addresses.write(tmp_path, repository, "https://tulle.example")
    assert addresses.known(tmp_path) == ("https://forge.example/o/tulle", "https://tulle.example")
    with (tmp_path / "pyproject.toml").open("rb") as file:
        urls = tomllib.load(file)["project"]["urls"]
    assert {*urls} == {"Homepage", "Documentation", "Repository", "Issues", "Changelog", "FatPaths (SC20)"}
    citation = yaml.safe_load((tmp_path / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation == {**CITATION, "repository-code": urls["Repository"], "url": urls["Documentation"]}
    about = yaml.safe_load((tmp_path / "conda" / "recipe.yaml").read_text(encoding="utf-8"))["about"]
    assert (about["homepage"], about["repository"]) == (urls["Homepage"], urls["Repository"])
    assert addresses.problems(tmp_path) == []
    place = tmp_path / "CITATION.cff"
    place.write_text(place.read_text(encoding="utf-8").replace("url: https://tulle", "url: https://tull"))
    (problem,) = addresses.problems(tmp_path)
    assert problem.startswith(
        "CITATION.cff has other addresses than pyproject.toml; legal: the addresses that tools/release.py"
    )


def test_links_of_the_readme_are_absolute_on_pypi() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = addresses.readme(text, "https://forge.example/o/tulle", "v1.0.0")
    targets = re.findall(r"\]\(([^)]+)\)", shown)
    assert len(targets) == text.count("](")
    assert all(target.startswith("https://") for target in targets)
    assert "(https://forge.example/o/tulle/raw/v1.0.0/docs/images/quickstart.png)" in shown
    assert "(https://forge.example/o/tulle/blob/v1.0.0/docs/results/performance.md#two-builds)" in shown
    for name in ("wheel", "sdist"):
        (step,) = [step for step in WORKFLOW["jobs"][name]["steps"] if "release.py readme" in step.get("run", "")]
        assert step["if"] == "github.ref_type == 'tag'"


def test_nothing_is_published_without_a_tag_and_a_trial() -> None:
    jobs = WORKFLOW["jobs"]
    for name in ("publish", "draft"):
        assert jobs[name]["if"] == "github.ref_type == 'tag'"
    assert set(jobs["publish"]["needs"]) == {"try", "container"}
    assert set(jobs["try"]["needs"]) == {"wheel", "sdist"}
    assert all(jobs[name]["needs"] == "check" for name in ("wheel", "sdist", "container"))
    # Only the job that uploads can get the identity that PyPI trusts, and no job has a password.
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"] == "pypi"
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert "secrets." not in json.dumps(WORKFLOW)


def test_all_platforms_are_built_and_tried() -> None:
    built = {row["name"]: row for row in WORKFLOW["jobs"]["wheel"]["strategy"]["matrix"]["include"]}
    assert set(built) == {"linux-x86_64", "linux-aarch64", "macos"}
    assert all("manylinux_2_28" in row["platform"] for name, row in built.items() if name.startswith("linux"))
    tried = WORKFLOW["jobs"]["try"]["strategy"]["matrix"]["include"]
    assert {row["machine"] for row in tried if row["from"] == "wheel"} == {row["machine"] for row in built.values()}
    assert "source" in {row["from"] for row in tried}
    assert "PLATFORM ?= --zig --compatibility manylinux_2_28" in (ROOT / "Makefile").read_text()


def test_files_of_one_job_are_found_by_the_next() -> None:
    jobs = WORKFLOW["jobs"]
    names = [step["with"]["name"] for job in jobs.values() for step in job["steps"] if "upload" in step.get("uses", "")]
    assert sorted(names) == ["dist-${{ matrix.name }}", "dist-source"]
    for name in ("try", "publish", "draft"):
        (step,) = [step for step in jobs[name]["steps"] if "download" in step.get("uses", "")]
        assert step["with"] == {"pattern": "dist-*", "path": "dist", "merge-multiple": True}


def test_conda_recipe_has_the_dependencies_of_the_package(project: dict[str, Any]) -> None:
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())
    run: dict[str, str] = {}
    for line in recipe["requirements"]["run"]:
        text = line["then"] if isinstance(line, dict) else line
        name, _, bounds = text.partition(" ")
        run[name] = bounds
    wanted = {}
    for line in project["dependencies"]:
        match = re.fullmatch(r"([a-z]+)([^;]*)(;.*)?", line)
        assert match is not None
        wanted[match[1]] = match[2].strip()
    assert run.pop("python") == ""
    assert run == wanted
    (tomli,) = [line["if"] for line in recipe["requirements"]["run"] if isinstance(line, dict)]
    assert tomli == 'match(python, "<3.11")'
    assert recipe["build"]["python"]["entry_points"] == [f"tulle = {project['scripts']['tulle']}"]
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license_file"] == project["license-files"]
    with (ROOT / "pyproject.toml").open("rb") as file:
        (backend,) = tomllib.load(file)["build-system"]["requires"]
    assert backend.replace("maturin", "maturin ") in recipe["requirements"]["host"]


def test_metadata_agrees(project: dict[str, Any]) -> None:
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert zenodo["title"] == CITATION["title"]
    assert zenodo["license"] == CITATION["license"].lower() == project["license"].lower()
    names = [author["name"] for author in project["authors"]]
    assert [creator["name"] for creator in zenodo["creators"]] == names
    assert [author["name"] for author in CITATION["authors"]] == names
    assert zenodo["keywords"] == project["keywords"]
    assert yaml.safe_load(PAPER.split("---\n")[1])["title"] == CITATION["title"]


def test_paper_has_the_parts_that_joss_wants() -> None:
    headings = re.findall(r"^# (.+)$", PAPER, re.MULTILINE)
    assert headings == ["Summary", "Statement of need", "State of the field", "Software design", "References"]
    head = yaml.safe_load(PAPER.split("---\n")[1])
    assert head.keys() >= {"title", "tags", "authors", "bibliography"}
    assert (ROOT / "paper" / head["bibliography"]).exists()
    assert 750 <= len(PAPER.split("---\n", 2)[2].split()) <= 1750


def test_citations_and_bibliography_agree() -> None:
    keys = re.findall(r"^@\w+\{(\w+),$", BIBLIOGRAPHY, re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert set(re.findall(r"@(\w+)", PAPER)) == set(keys)
    for entry in re.split(r"\n(?=@)", BIBLIOGRAPHY):
        assert entry.count("{") == entry.count("}"), entry
        assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) +=", entry, re.MULTILINE)), entry


def test_papers_are_cited_as_in_the_citation_file() -> None:
    plain = BIBLIOGRAPHY.replace("{", "").replace("}", "").lower()
    for reference in CITATION["references"]:
        assert reference["title"].lower() in plain
        assert f"year = {reference['year']}" in re.sub(r" +", " ", plain)
        for author in reference["authors"]:
            assert f"{author['family-names']}, {author['given-names']}".lower() in plain


def test_container_copies_files_that_exist_and_are_not_ignored(project: dict[str, Any]) -> None:
    text = (ROOT / "Containerfile").read_text()
    copied = [name for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE) for name in line.split()[:-1]]
    assert "crates" in copied
    kept = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert sorted(kept) == sorted(copied)
    assert all((ROOT / name).exists() for name in copied)
    extras = re.search(r"\[([a-z,]+)\]\"$", text, re.MULTILINE)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])
    assert re.search(r"^maturin==", (ROOT / "requirements-dev.txt").read_text(), re.MULTILINE)
