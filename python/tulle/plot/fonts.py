"""Find fonts for characters that the font of a figure lacks, for example those of Chinese and Korean names."""

from __future__ import annotations

import unicodedata
import warnings
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.text import Text

from tulle.errors import FontWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.figure import Figure

# These fonts are preferred, in this order, because they look like the sans-serif font of the other characters. If none
# of them has a character, any installed font is used.
_PREFERRED = (
    *("Noto Sans CJK SC", "Noto Sans CJK TC", "Noto Sans CJK JP", "Noto Sans CJK KR"),
    *("Noto Sans SC", "Noto Sans TC", "Noto Sans JP", "Noto Sans KR"),
    *("Source Han Sans SC", "Source Han Sans TC", "Source Han Sans", "Source Han Sans K"),
    *("PingFang SC", "Hiragino Sans GB", "Hiragino Sans", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "Microsoft JhengHei", "Yu Gothic", "Meiryo", "Malgun Gothic", "SimHei"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "IPAexGothic", "IPAGothic", "NanumGothic"),
    *("Arial Unicode MS", "Noto Sans"),
)
# These fonts have boxes instead of characters.
_BOXES = ("Last Resort", "LastResort", "Adobe Blank")
# Maximum number of characters that a warning lists.
_MOST_LISTED = 10
# The characters about which this process has already warned.
_warned: set[str] = set()


def complete(figure: Figure) -> None:
    """Add fonts to the texts of a figure for the characters that their own fonts lack.

    If no installed font has a character, the figure shows a box instead. One `tulle.errors.FontWarning` names these
    characters, each once per process.
    """
    texts = [text for text in _texts(figure) if not text.get_text().isascii()]
    lacking = {text: _lacking(text) for text in texts}
    missing = {character for characters in lacking.values() for character in characters}
    if not missing:
        return
    families, without = _fallbacks("".join(sorted(missing)))
    for text, characters in lacking.items():
        if characters - set(without):
            text.set_fontfamily([*text.get_fontfamily(), *families])
    new = [character for character in without if character not in _warned]
    if new:
        _warned.update(new)
        warnings.warn(FontWarning(_words(new)), stacklevel=2)


def _texts(figure: Figure) -> Iterator[Text]:
    """Yield all texts of a figure. Before that, set the labels of ticks, which matplotlib sets only when it draws."""
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):
            axis.get_ticklabels(which="both")
    yield from figure.findobj(Text)


def _lacking(text: Text) -> set[str]:
    """Return the visible characters of a text that its fonts lack."""
    shown = {
        character
        for character in text.get_text()
        if not character.isascii() and unicodedata.category(character)[0] not in "CZ"
    }
    for family in text.get_fontfamily():
        with suppress(ValueError):
            shown -= _covered(_file(family), shown)
    return shown


@cache
def _file(family: str) -> str:
    """Return the file of the regular font of a family, which may be generic, for example ``sans-serif``.

    Raises
    ------
    ValueError
        If no such font is installed.
    """
    return font_manager.findfont(font_manager.FontProperties(family=[family]), fallback_to_default=False)


def _covered(file: str, characters: Iterable[str]) -> set[str]:
    """Return those of some characters that the font in a file has; none if the file cannot be read."""
    try:
        font = font_manager.get_font(file)
    except (OSError, RuntimeError):
        return set()
    return {each for each in characters if font.get_char_index(ord(each))}


@cache
def _fallbacks(characters: str) -> tuple[Sequence[str], str]:
    """Return families that have the characters, and the characters that no installed font has."""
    families, left = _choose(set(characters))
    if left:
        _add_new_fonts()
        families, left = _choose(set(characters))
    return families, "".join(sorted(left))


def _choose(left: set[str]) -> tuple[list[str], set[str]]:
    """Choose families for the characters `left`; return them, and the characters that no family has.

    The families of `_PREFERRED` come first, in this order. Then follow those that have most of the other characters.
    """
    files: dict[str, str] = {}
    for entry in sorted(font_manager.fontManager.ttflist, key=lambda entry: str(entry.fname)):
        if entry.style == "normal" and not entry.name.startswith(_BOXES):
            files.setdefault(entry.name, entry.fname)
    chosen: list[str] = []
    for family in _PREFERRED:
        if left and family in files and (found := _covered(files[family], left)):
            chosen.append(family)
            left = left - found
    found_by = {name: _covered(files[name], left) for name in sorted(files)} if left else {}
    while best := max(found_by, key=lambda name: len(found_by[name] & left), default=""):
        if not found_by[best] & left:
            break
        chosen.append(best)
        left = left - found_by[best]
    return chosen, left


def _add_new_fonts() -> None:
    """Add to matplotlib's list the fonts that were installed after matplotlib wrote this list to its cache."""
    known = {str(entry.fname) for entry in font_manager.fontManager.ttflist}
    for path in font_manager.findSystemFonts():
        if path not in known:
            try:
                font_manager.fontManager.addfont(path)
            except (OSError, RuntimeError, ValueError, NotImplementedError):
                # matplotlib cannot read this font, for example because it has only bitmaps. If no other font has its
                # characters, `complete` warns that they are missing.
                continue


def _words(without: Sequence[str]) -> str:
    more = f" and {len(without) - _MOST_LISTED} more" if len(without) > _MOST_LISTED else ""
    east = any(unicodedata.name(each, "").startswith(_EAST) for each in without)
    such = ", for example Noto Sans CJK (Debian and Ubuntu: package fonts-noto-cjk)" if east else ""
    return (
        f"the picture shows boxes instead of {' '.join(without[:_MOST_LISTED])}{more}: no installed font has these "
        f"characters; install a font that has them{such}"
    )


# First words of the Unicode names of Chinese, Japanese and Korean characters.
_EAST = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH")
