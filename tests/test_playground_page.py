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


SCRIPTS = ("program", "drawing", "playground")
READY = "document.getElementById('tulle-playground')?.dataset.ready === 'yes'"
IDLE = "document.querySelectorAll('#tulle-playground button')[3].disabled"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    """Serve the page as the documentation does, on this machine only."""
    folder = tmp_path / "playground"
    shutil.copytree(ROOT / "docs" / "playground", folder)
    shutil.copy(ROOT / "docs" / "playground-offline.js", tmp_path)
    shutil.copy(PROGRAM, folder)
    vendored = sorted((ROOT / "python" / "tulle" / "report_html" / "vendor").glob("*.js"))
    for script in vendored:
        shutil.copy(script, folder)
    names = [*(script.name for script in vendored), *(f"{name}.js" for name in SCRIPTS)]
    tags = "".join(f'<script src="playground/{name}"></script>' for name in names)
    page = '<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="tulle-playground"></div>'
    style = '<link rel="stylesheet" href="playground/playground.css">'
    (tmp_path / "playground.html").write_text(page + style + tags)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as running:
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def address(server: ThreadingHTTPServer) -> str:
    """Return the address of the page."""
    return f"http://127.0.0.1:{server.server_port}/playground.html"


def _fill(tab: chromium.Tab, field: int, text: str) -> None:
    """Enter a text in a field: 0 network, 1 routing, 2 traffic, 3 transport, 4 seed, 5 and 6 the pair of switches."""
    tab.run(f"document.querySelectorAll('#tulle-playground input')[{field}].value = '{text}'")


def _press(tab: chromium.Tab, button: int, status: str) -> None:
    """Press a button: 0 build, 1 simulate, 2 restore, 3 cancel. Wait until the status contains a text."""
    tab.click("#tulle-playground form button", at=button)
    tab.wait(f"{IDLE} && {STATUS}.includes('{status}')")


def test_the_page_does_what_it_offers(address: str, tmp_path: Path) -> None:
    with chromium.tab(tmp_path / "profile") as tab:
        tab.go(f"{address}#fabric=slimfly:q=3&routing=spread:layers=3&seed=0&pair=0+5", width=400)
        tab.wait(READY)
        assert "18 switches" in tab.run(STATUS)
        assert tab.run("document.documentElement.scrollWidth") <= 400
        before = tab.run("document.querySelectorAll('#tulle-playground li').length")
        assert before == 3
        # The first button beside a path cuts the first cable of layer 0. The layer then takes another path.
        first = tab.run("document.querySelector('#tulle-playground li').textContent")
        tab.click("#tulle-playground li button")
        tab.wait(f"{IDLE} && {STATUS}.includes('Cut cables: 1')")
        assert tab.run("document.querySelector('#tulle-playground li').textContent") != first
        assert "cut=" in tab.run("location.hash")
        _press(tab, 1, "minimal paths")
        assert tab.run(STATUS).count("54 of 54 flows") == 2
        assert tab.run("document.querySelectorAll('#tulle-playground svg path').length") >= 2
        # The focus stays on the button, although it was disabled meanwhile.
        assert tab.run("document.activeElement.textContent") == "Simulate"
        # For an illegal spec, the page shows one line with the error, and continues to work.
        _fill(tab, 0, "slimfly:q=43")
        _press(tab, 0, "legal: at most 2000")
        assert tab.errors == []
        # The link holds the state.
        assert "routing=spread" in tab.run("location.hash")


def test_the_page_never_mixes_two_networks(address: str, tmp_path: Path) -> None:
    """The ids of cut cables and of the pair belong to the drawn network, not to a network that was only entered."""
    with chromium.tab(tmp_path / "profile") as tab:
        tab.go(f"{address}#fabric=slimfly:q=3&routing=spread:layers=3&pair=0+5&cut=2")
        tab.wait(READY)
        assert "Cut cables: 1" in tab.run(STATUS)
        # If a network is refused, the drawn one stays, with its cut cable.
        _fill(tab, 0, "slimfly:q=43")
        _press(tab, 0, "legal: at most 2000")
        _fill(tab, 0, "slimfly:q=3")
        _press(tab, 1, "minimal paths")
        assert "cut=2" in tab.run("location.hash")
        # A click draws paths of the drawn network, whatever the fields say.
        _fill(tab, 0, "clique:degree=3")
        _fill(tab, 5, "3")
        _fill(tab, 6, "17")
        tab.click("#tulle-playground form:nth-of-type(2) button")
        tab.wait(f"{IDLE} && document.querySelectorAll('#tulle-playground li').length === 3")
        assert "slimfly" in tab.run("location.hash")
        # The simulation builds the entered network, without the cut cable and the pair of the old one.
        _press(tab, 1, "minimal paths")
        assert tab.run("document.querySelector('#tulle-playground canvas').ariaLabel").startswith("clique:degree=3")
        assert "clique" in tab.run("location.hash")
        assert "cut=" not in tab.run("location.hash")
        _fill(tab, 5, "x")
        _fill(tab, 6, "0")
        tab.click("#tulle-playground form:nth-of-type(2) button")
        tab.wait(f"{STATUS} === \"switch 'x'; legal: 0 to 3, or a name, for example 0\"")
        assert tab.errors == []


def test_the_page_works_without_a_connection(server: ThreadingHTTPServer, address: str, tmp_path: Path) -> None:
    with chromium.tab(tmp_path / "profile") as tab:
        tab.go(f"{address}#fabric=slimfly:q=3&routing=spread:layers=3")
        tab.wait("document.getElementById('tulle-playground')?.dataset.offline === 'yes'")
        server.shutdown()
        server.server_close()
        # Cancel ends the program; the next request starts it again.
        _fill(tab, 2, "all-to-all:bytes=16KiB")
        tab.click("#tulle-playground form button", at=1)
        tab.wait(f"{STATUS}.startsWith('Simulating')")
        _press(tab, 3, "cancelled")
        _fill(tab, 2, "permutation:bytes=64KiB")
        _press(tab, 1, "minimal paths")
        # After a reload, the page shows the network that its link names.
        tab.run("document.getElementById('tulle-playground').dataset.ready = 'no'")
        tab.send("Page.reload")
        tab.wait(READY)
        assert "18 switches" in tab.run(STATUS)
        _press(tab, 1, "minimal paths")
        assert not any("Uncaught" in error for error in tab.errors)
