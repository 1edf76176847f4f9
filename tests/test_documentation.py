"""Check the generated pages of the documentation: no component, command or public name is missing."""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import getdoc, isclass, isfunction, ismodule
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from conftest import ROOT

import tulle
from tulle.cli.examples import examples
from tulle.registry import KINDS
from tulle.study.engine.model import Case, Comparison, Reference, StudyFile
from tulle.typed_specs import MODULES as TYPED

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("mkdocs")
sys.path.append(str(ROOT / "tools"))

from mkdocs.exceptions import PluginError
from reference import api, commands, components, repository, site_links

MODULES = [name for name in tulle.__all__ if ismodule(getattr(tulle, name))]


def test_every_component_has_a_section() -> None:
    pages = components.pages()
    assert {*components.PAGES} == {*KINDS}
    for kind in KINDS:
        for entry in tulle.registered(kind):
            assert f"\n## {entry['name']} {{ #{entry['name']} }}\n" in pages[f"reference/components/{kind}.md"]


def public(module: object) -> set[str]:
    names: list[str] = vars(module)["__all__"]
    return {name for name in names if not ismodule(getattr(module, name))}


def test_no_public_name_is_missing() -> None:
    """Check that the page of every public module has all names that the module makes public."""
    pages, documented = api.pages(), api.names()
    shown = {name for name in MODULES if name not in TYPED.values()}
    assert {*documented} == {"tulle", *shown}
    for name, paths in documented.items():
        page = pages[f"reference/api/{name}.md"]
        assert [path for path in paths if f"\n::: {path}\n" not in page] == []
    for name in shown - {*api.BELOW}:
        module = getattr(tulle, name)
        assert public(module) == {path.removeprefix(f"tulle.{name}.") for path in documented[name]}
    for modules in api.BELOW.values():
        for path in modules:
            assert {f"{path}.{name}" for name in public(import_module(path))} <= {
                each for paths in documented.values() for each in paths
            }
    own = {path.removeprefix("tulle.") for path in (*documented["tulle"], *api.aliases())}
    assert public(tulle) - {"__version__"} <= own


def test_every_typed_spec_has_an_anchor() -> None:
    pages = components.pages()
    for kind, module in TYPED.items():
        for name in public(getattr(tulle, module)):
            assert f"{{ #tulle.{module}.{name} }}" in pages[f"reference/components/{kind}.md"]


def test_every_public_function_and_class_says_what_it_is() -> None:
    values = {path: api.value(path) for paths in api.names().values() for path in paths}
    assert [path for path, of in values.items() if (isclass(of) or isfunction(of)) and not getdoc(of)] == []


def test_public_functions_have_an_example() -> None:
    """Check that the docstrings of functions have examples, if they need neither files nor a laboratory network."""
    pages = ("tulle", "fabric", "routing", "analysis", "packet", "flit", "design", "compare")
    values = {path: api.value(path) for page in pages for path in api.names()[page]}
    lacking = [path for path, value in values.items() if isfunction(value) and ">>> " not in (getdoc(value) or "")]
    # These two draw plots.
    assert lacking == ["tulle.flit.draw", "tulle.flit.plot_latency_load"]


def test_every_command_has_a_section() -> None:
    pages = commands.pages()
    found = dict(commands.commands())
    assert {"fabric", "cabling plan", "lab up"} <= {*found}
    for name, each in found.items():
        page = pages[f"reference/commands/{name.split()[0]}.md"]
        assert f"# tulle {name}" in page
        for parameter in each.params:
            if parameter.param_type_name == "option" and not parameter.hidden and parameter.name != "help":
                assert parameter.opts[-1] in page, (name, parameter.opts)


def test_pages_of_commands_show_the_examples() -> None:
    pages = commands.pages()
    for name, _ in commands.commands():
        shown = examples(name)
        assert shown
        assert all(example in pages[f"reference/commands/{name.split()[0]}.md"] for example in shown)


def test_navigation_has_few_entries() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(yaml.safe_load(text)["nav"]) <= 7


@pytest.mark.parametrize(
    ("model", "heading"),
    [(StudyFile, "The study"), (Case, "Cases"), (Reference, "References"), (Comparison, "Comparisons")],
)
def test_the_keys_of_a_study_are_described(model: Any, heading: str) -> None:
    page = (ROOT / "docs" / "reference" / "study-file.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    keys = [line.split("`")[1].strip("[]") for line in section.splitlines() if line.startswith("| `")]
    assert keys == [name for name, field in model.model_fields.items() if not field.exclude]


def test_files_of_the_repository_have_links_to_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "[a](docs/explanation/flit.md#routers) [b](crates/README.md) [c](https://example.org) [d](CHANGELOG.md) [e](#f)"
    )
    monkeypatch.setattr(repository, "url_of_repository", lambda: "")
    shown = repository.moved(text, "CONTRIBUTING.md", "contributing/index.md")
    assert shown == "[a](../explanation/flit.md#routers) b [c](https://example.org) [d](changelog.md) [e](#f)"
    monkeypatch.setattr(repository, "url_of_repository", lambda: "https://example.org/tulle")
    shown = repository.moved(text, "CONTRIBUTING.md", "contributing/index.md")
    assert "[b](https://example.org/tulle/blob/main/crates/README.md)" in shown


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "a.html").write_text('<p id="top"><a href="below/b.html#here">b</a> <a href="#top">top</a></p>')
    (tmp_path / "below" / "b.html").write_text(
        '<a id="here" href="../a.html"></a><a href="https://example.org/x">x</a>'
    )
    site_links.check(tmp_path)
    (tmp_path / "c.html").write_text('<img src="no.png"><a href="a.html#no">a</a><code>href="x"</code>')
    assert list(site_links.broken(tmp_path)) == ["c.html: a.html#no: no such anchor", "c.html: no.png: no such file"]
    with pytest.raises(PluginError, match="no such anchor"):
        site_links.check(tmp_path)
