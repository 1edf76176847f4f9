"""Check the links of the built site: every link, image and anchor of a page leads to something in the site."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator


_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ATTRIBUTE = re.compile(r'\s(id|name|href|src)="([^"]*)"')


class _Page(NamedTuple):
    """The anchors of a page, and the addresses to which it refers."""

    anchors: set[str]
    targets: set[str]


@cache
def _read(path: Path) -> _Page:
    anchors, targets = set[str](), set[str]()
    for tag in _TAG.findall(path.read_text(encoding="utf-8")):
        for name, value in _ATTRIBUTE.findall(tag):
            (anchors if name in ("id", "name") else targets).add(unescape(value))
    return _Page(anchors, targets)


def broken(site: Path) -> Iterator[str]:
    """Yield one line for every link of the site that leads nowhere."""
    files = {path for path in site.rglob("*") if path.is_file()}
    for path in sorted(path for path in files if path.suffix == ".html"):
        # The links of the 404 page begin at the root of the server, so they are not checked.
        if path.name == "404.html":
            continue
        for target in sorted(_read(path).targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            to = Path(normpath(path.parent / unquote(parts.path))) if parts.path else path
            to = to if to in files else to / "index.html"
            where = f"{path.relative_to(site)}: {target}"
            if to not in files:
                yield f"{where}: no such file"
            elif to.suffix == ".html" and parts.fragment and unquote(parts.fragment) not in _read(to).anchors:
                yield f"{where}: no such anchor"


def check(site: Path) -> None:
    """Check all links of a site.

    Raises
    ------
    mkdocs.exceptions.PluginError
        If a link leads nowhere. The message has a line for every such link.
    """
    if found := list(broken(site.resolve())):
        raise PluginError("broken links:\n" + "\n".join(found))
