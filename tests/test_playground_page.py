"""Test the page of the playground in a headless Chromium: drawing, paths, cuts, simulation, link."""

from __future__ import annotations

import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import chromium
import pytest
from conftest import ROOT
from test_playground import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason="run `make playground` first"),
    pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing()),
]
STATUS = "document.querySelector('#tulle-playground [role=status]').textContent"


class Quiet(SimpleHTTPRequestHandler):
    """A server that prints nothing."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Serve the page as the documentation does, on this machine only; return its address."""
    folder = tmp_path / "playground"
    shutil.copytree(ROOT / "docs" / "playground", folder)
    shutil.copy(PROGRAM, folder)
    scripts = []
    for script in sorted((ROOT / "python" / "tulle" / "report_html" / "vendor").glob("*.js")):
        shutil.copy(script, folder)
        scripts.append(script.name)
    tags = "".join(f'<script src="playground/{name}"></script>' for name in (*scripts, "playground.js"))
    page = '<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="tulle-playground"></div>'
    style = '<link rel="stylesheet" href="playground/playground.css">'
    (tmp_path / "page.html").write_text(page + style + tags)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()
        thread.join()


def test_the_page_does_what_it_offers(address: str, tmp_path: Path) -> None:
    ready = "document.getElementById('tulle-playground')?.dataset.ready === 'yes'"
    idle = "document.querySelectorAll('#tulle-playground button')[3].disabled"
    with chromium.tab(tmp_path / "profile") as tab:
        tab.go(f"{address}#fabric=slimfly:q=3&routing=spread:layers=3&seed=0&pair=0+5", width=400)
        tab.wait(ready)
        assert "18 switches" in tab.run(STATUS)
        assert tab.run("document.documentElement.scrollWidth") <= 400
        before = tab.run("document.querySelectorAll('#tulle-playground li').length")
        assert before == 3
        # The first button beside a path cuts the first cable of layer 0. The layer then takes another path.
        first = tab.run("document.querySelector('#tulle-playground li').textContent")
        tab.click("#tulle-playground li button")
        tab.wait(f"{idle} && {STATUS}.includes('Cut cables: 1')")
        assert tab.run("document.querySelector('#tulle-playground li').textContent") != first
        assert "cut=" in tab.run("location.hash")
        tab.click("#tulle-playground form button", at=1)
        tab.wait(f"{idle} && {STATUS}.includes('minimal paths')")
        assert tab.run(STATUS).count("54 of 54 flows") == 2
        assert tab.run("document.querySelectorAll('#tulle-playground svg path').length") >= 2
        # For an illegal spec, the page shows one line with the error, and continues to work.
        tab.run("document.querySelector('#tulle-playground input').value = 'slimfly:q=43'")
        tab.click("#tulle-playground form button")
        tab.wait(f"{idle} && {STATUS}.includes('legal: at most 2000')")
        assert tab.errors == []
        # The link holds the state.
        assert "routing=spread" in tab.run("location.hash")
