"""Show files of the repository as pages of the documentation, and link the site to the repository."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import join, normpath, relpath
from typing import TYPE_CHECKING

import addresses

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).resolve().parents[2]
# File of the repository -> its page.
SHOWN = {"CONTRIBUTING.md": "contributing/index.md", "CHANGELOG.md": "contributing/changelog.md"}

_LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def pages() -> dict[str, str]:
    """Return the text of every page by its path in the documentation's folder."""
    return {page: moved((ROOT / name).read_text(encoding="utf-8"), name, page) for name, page in SHOWN.items()}


def moved(text: str, name: str, page: str) -> str:
    """Return the text of a file of the repository with links that work on its page.

    Links to pages of the documentation become links between pages. Links to other files become links to the
    repository, or plain text if the package names no repository.
    """
    url = url_of_repository()

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if ":" in target:
            return match[0]
        path = normpath(join(Path(name).parent.as_posix(), target))
        shown = SHOWN.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if shown is not None:
            return f"[{text}]({relpath(shown, Path(page).parent.as_posix())}{anchor})"
        return f"[{text}]({url}/blob/main/{path}{anchor})" if url else text

    return _LINK.sub(link, text)


def crates() -> str:
    """Return what ``crates/README.md`` says below its heading."""
    return (ROOT / "crates" / "README.md").read_text(encoding="utf-8").partition("\n\n")[2]


def url_of_repository() -> str:
    """Return the repository's address from the metadata of the package; empty if there is none."""
    return addresses.known(ROOT)[0]


def link(config: MkDocsConfig) -> None:
    """Add the links to the repository, the links by which readers edit a page, and the address of the site."""
    if url := url_of_repository():
        config.repo_url = url
        config.repo_name = url.rpartition("/")[2]
        config.edit_uri = "edit/main/docs/"
    if url := addresses.known(ROOT)[1]:
        config.site_url = f"{url}/"
