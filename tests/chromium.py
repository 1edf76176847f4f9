"""Drive a headless Chromium over its debugging pipe: open a file, run scripts, press keys, take screenshots."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Seconds within which Chromium must answer, even on a busy machine.
_PATIENCE = 120.0


def found() -> str | None:
    """Return the path of an installed Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


@cache
def missing() -> str:
    """Return the reason why Chromium cannot run on this machine; an empty string if it runs."""
    program = found()
    if program is None:
        return f"no browser: none of {', '.join(NAMES)} is installed"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{program} does not run: {done.stderr.strip()}"


class Tab:
    """An open page, with the errors it reported and the addresses it requested."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back, self._text = to, back, b""
        self._ids = itertools.count(1)
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol, and return its result."""
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._text:
            ready, _, _ = select.select([self._back], [], [], max(0.0, end - time.monotonic()))
            assert ready, "Chromium does not answer"
            part = os.read(self._back, 1 << 20)
            assert part, "Chromium has ended"
            self._text += part
        text, _, self._text = self._text.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, values: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.errors.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def go(self, url: str, width: int = 1400, height: int = 1000) -> None:
        """Go to an address."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        self.send("Page.navigate", url=url)

    def open(self, path: Path, width: int = 1400, height: int = 1000) -> None:
        """Open a report, and wait until it has drawn everything."""
        self.go(path.resolve().as_uri(), width, height)
        self.wait("document.documentElement?.dataset.ready === 'yes'")
        self.wait("[...document.querySelectorAll('.network')].every((place) => place.dataset.ready === 'yes')")

    def run(self, code: str) -> Any:
        """Return the value of a JavaScript expression, after waiting for it if it is a promise."""
        found = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, code: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + _PATIENCE
        while not self.run(code):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.05)

    def press(self, key: str, text: str = "") -> None:
        """Press a key, for example ``Tab`` or ``+``, where the focus is."""
        codes = {"Tab": 9, "Enter": 13}
        more: dict[str, Any] = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        if key == "Enter":
            text = "\r"
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def click(self, selector: str, at: int = 0) -> None:
        """Click the middle of an element with the mouse."""
        place = self.run(
            f"(() => {{const found = document.querySelectorAll({json.dumps(selector)})[{at}];"
            "found.scrollIntoView({block: 'center', behavior: 'instant'}); const box = found.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def pdf(self) -> bytes:
        """Print the page."""
        return base64.b64decode(self.send("Page.printToPDF", preferCSSPageSize=True)["data"])

    def screenshot(self, path: Path) -> None:
        """Write a PNG of the whole page, for looking at it while developing."""
        found = self.send("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def tab(profile: Path) -> Iterator[Tab]:
    """Start Chromium with an empty profile, and yield a tab. Chromium can connect only to this machine."""
    program = found()
    assert program is not None
    there, to = os.pipe()
    back, here = os.pipe()
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage")
    command = [program, *options, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars", "about:blank"]
    # Chromium reads commands from descriptor 3 and writes answers to descriptor 4. The command uses bash, because some
    # other shells cannot redirect descriptors above 9.
    redirect = f'exec "$0" "$@" 3<&{there} 4>&{here}'
    with subprocess.Popen(
        ["bash", "-c", redirect, *command], pass_fds=(there, here), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        os.close(there)
        os.close(here)
        try:
            yield Tab(to, back)
        finally:
            process.terminate()
            process.wait(30)
            os.close(to)
            os.close(back)
