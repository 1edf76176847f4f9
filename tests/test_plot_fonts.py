"""Check that plots find fonts for characters that matplotlib's own font lacks, and name those that no font has."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.cli.invoke import note_warnings
from tulle.errors import FontWarning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Cli

font_manager = pytest.importorskip("matplotlib.font_manager")
fonts = pytest.importorskip("tulle.plot.fonts")

NAMES = "交換機"
EDGES = f"from,to\n{NAMES}一,b\n{NAMES}二,b\n"


def font(folder: Path, family: str, characters: str) -> Path:
    """Write a font whose characters are squares."""
    from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
    from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]

    glyphs = {".notdef": None} | {f"u{ord(each):04x}": each for each in characters}
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for corner in ((100, 800), (900, 800), (900, 0)):
        pen.lineTo(corner)
    pen.closePath()
    square = pen.glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([*glyphs])
    builder.setupCharacterMap({ord(each): name for name, each in glyphs.items() if each is not None})
    builder.setupGlyf(dict.fromkeys(glyphs, square))
    builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (1000, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": family, "styleName": "Regular", "psName": family.replace(" ", "")})
    builder.setupOS2(usWeightClass=400)
    builder.setupPost()
    path = folder / f"{family}.ttf"
    builder.save(path)
    return path


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Let matplotlib see its own fonts only, and find the fonts of the returned list as fonts of the system."""
    found: list[Path] = []
    manager = font_manager.fontManager
    own = [entry for entry in manager.ttflist if "mpl-data" in str(entry.fname)]
    monkeypatch.setattr(manager, "ttflist", own)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(path) for path in found])
    monkeypatch.setattr(fonts, "_warned", set())
    fonts._fallbacks.cache_clear()
    fonts._file.cache_clear()
    yield found
    fonts._fallbacks.cache_clear()
    fonts._file.cache_clear()


def fabric(folder: Path) -> tulle.Fabric:
    path = folder / "edges.csv"
    path.write_text(EDGES, encoding="utf-8")
    return tulle.Fabric(f"file:edges={path}")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_other_fonts_draw_what_the_font_lacks(tmp_path: Path, installed: list[Path], suffix: str) -> None:
    # The fonts are not in the list that matplotlib loaded, like fonts that were installed later.
    installed += [font(tmp_path, "Toy One", "交換機一"), font(tmp_path, "Toy Two", "二")]
    figure = fabric(tmp_path).plot()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.savefig(tmp_path / f"plot.{suffix}")
    families = {text.get_text(): text.get_fontfamily() for text in figure.axes[0].texts}
    assert families[f"{NAMES}一"] == ["sans-serif", "Toy One", "Toy Two"]
    # Other names keep the font of the figure.
    assert families["b"] == ["sans-serif"]
    if suffix == "svg":
        text = (tmp_path / "plot.svg").read_text()
        assert "ToyOne" in text
        assert "ToyTwo" in text


def test_labels_of_ticks_and_legends_get_fonts(tmp_path: Path, installed: list[Path]) -> None:
    from matplotlib.text import Text

    from tulle.plot.sheet import figure

    installed.append(font(tmp_path, "Toy One", NAMES))
    with figure(3, 2) as sheet:
        axes = sheet.add_subplot()
        axes.plot([0, 1], [0, 1], label=NAMES)
        axes.set_xticks([0, 1], labels=["a", NAMES])
        axes.legend()
    sheet.savefig(tmp_path / "plot.png")
    named = [text for text in sheet.findobj(Text) if text.get_text() == NAMES]
    assert len(named) >= 2
    assert all("Toy One" in text.get_fontfamily() for text in named)


def test_one_warning_names_the_characters_that_no_font_has(tmp_path: Path, installed: list[Path]) -> None:
    installed.append(font(tmp_path, "Toy One", "交機一二"))
    figure = fabric(tmp_path).plot()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(tmp_path / "plot.png")
        figure.savefig(tmp_path / "plot.pdf")
    assert [str(each.message) for each in caught] == [
        "the picture shows boxes instead of 換: no installed font has these characters; install a font that has them, "
        "for example Noto Sans CJK (Debian and Ubuntu: package fonts-noto-cjk)"
    ]


def test_fonts_of_boxes_are_not_used(tmp_path: Path, installed: list[Path]) -> None:
    installed.append(font(tmp_path, "Last Resort Toy", NAMES))
    with pytest.warns(FontWarning, match="boxes instead of 一 二 交 換 機: "):
        fabric(tmp_path).plot().savefig(tmp_path / "plot.png")


@pytest.mark.usefixtures("installed")
def test_reports_leave_the_fonts_to_the_browser(tmp_path: Path) -> None:
    import matplotlib as mpl

    figure = fabric(tmp_path).plot()
    with warnings.catch_warnings(), mpl.rc_context({"svg.fonttype": "none"}):
        warnings.simplefilter("error")
        figure.savefig(tmp_path / "plot.svg")
    assert f">{NAMES}一<" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_the_command_prints_one_line(
    tmp_path: Path, tulle: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "edges.csv").write_text(EDGES, encoding="utf-8")
    done = tulle("fabric", "file:edges=edges.csv", "--plot", "plot.png")
    assert done.returncode == 0
    # This machine may have such a font.
    assert len(done.stderr.splitlines()) <= 1
    assert done.stderr.startswith("tulle: the picture shows boxes instead of 一 ") or not done.stderr
    # Restore the function after the test.
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    note_warnings()
    warnings.showwarning(FontWarning("boxes"), FontWarning, "file.py", 1)
    assert capsys.readouterr().err == "tulle: boxes\n"
    # A second command in the same process adds no second function.
    installed = warnings.showwarning
    note_warnings()
    assert warnings.showwarning is installed
