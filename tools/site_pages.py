"""Open every page of the built site in a headless Chromium: ``site_pages.py [FOLDER] [--pictures FOLDER PAGE…]``.

It opens each page at the width of a phone and of a monitor, and reports errors in the browser's console and pages that
are wider than the window. With ``--pictures`` it writes screenshots of pages at both widths, for looking at them.
"""

from __future__ import annotations

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTHS = (400, 1400)
# Describes the first three elements that are wider than the window, except parts of elements that scroll.
_WIDE = """
[...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1
  && !each.closest('pre, .md-typeset__scrollwrap, .doc-signature, svg')).slice(0, 3)
  .map((each) => `${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 40)}`)
"""


class _Quiet(SimpleHTTPRequestHandler):
    """A server that prints nothing."""

    def log_message(self, *_: Any) -> None:
        pass


def _open(tab: chromium.Tab, address: str, width: int) -> None:
    tab.go(address, width)
    tab.wait(f"document.readyState === 'complete' && location.href.startsWith('{address}')")
    # The playground and reports set data-ready when they have drawn everything.
    tab.wait("[...document.querySelectorAll('#tulle-playground, .network')].every((each) => each.dataset.ready)")


def faults(tab: chromium.Tab, site: Path, address: str) -> Iterator[str]:
    """Yield one line for every error and every page that is wider than the window."""
    for path in sorted(site.rglob("*.html")):
        page = path.relative_to(site).as_posix()
        for width in WIDTHS:
            tab.errors.clear()
            _open(tab, f"{address}/{page}", width)
            found = tab.run("document.documentElement.scrollWidth")
            if found > width:
                yield f"{page}: {found} pixels wide on a screen of {width}: {tab.run(_WIDE)}"
            yield from (f"{page}: {error}" for error in tab.errors)


def main(arguments: list[str]) -> int:
    """Check the site, or write screenshots; return the exit code."""
    site, *rest = [*arguments, *(["site"] if not arguments else [])]
    handler = partial(_Quiet, directory=site)
    with TemporaryDirectory() as profile, ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with chromium.tab(Path(profile)) as tab:
            if rest[:1] == ["--pictures"]:
                for page in rest[2:]:
                    for width in WIDTHS:
                        _open(tab, f"{address}/{page}", width)
                        name = f"{page.partition('#')[0].replace('/', '-').removesuffix('.html')}-{width}.png"
                        tab.screenshot(Path(rest[1]) / name)
                return 0
            found = list(faults(tab, Path(site), address))
        server.shutdown()
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
