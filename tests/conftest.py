"""Fixtures that several test files use."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Generator
from importlib.resources import files
from pathlib import Path

import preloaded
import pytest
from result_files import results as results

from tulle._internal.runtime import processors
from tulle.study.engine.shipped import CLAIMS

ROOT = Path(__file__).parent.parent

# If a shell starts pytest in the background, pytest ignores SIGINT. Some tests send SIGINT to pytest and to child
# processes, so Python's handler is restored.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of processors, because tests often wait for files and child processes."""
    return processors() + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collection, and exclude their objects from it: most of them exist until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that take minutes, unless `make test-deploy-large` asks for them."""
    if "TULLE_LARGE" in os.environ:
        return
    for item in items:
        if item.get_closest_marker("large") is not None:
            item.add_marker(pytest.mark.skip(reason="make test-deploy-large runs this test"))


def study_files(pattern: str = "*/*.toml") -> list[Path]:
    """Return the study files of the repository, without the claims files in the same folders."""
    return sorted(path for path in (ROOT / "studies").glob(pattern) if not path.name.endswith(CLAIMS))


Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tulle(tmp_path: Path) -> Cli:
    """Run the command `tulle` in a temporary directory. Standard output and error are not terminals.

    The command usually runs in a copy of a process that has already imported the package; see `preloaded`.
    """

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return preloaded.run(*arguments, cwd=tmp_path, **environment)

    return run


SANITIZED = "CFLAGS=-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the OpenSM plugin as an operator builds it; return its folder."""
    return _built(tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the OpenSM plugin with the address and undefined-behaviour sanitizers; return its folder."""
    return _built(tmp_path_factory.mktemp("sanitized"), SANITIZED)


def _built(folder: Path, *arguments: str) -> Path:
    shutil.copytree(str(files("tulle.deploy.infiniband") / "plugin"), folder, dirs_exist_ok=True)
    done = subprocess.run(["make", "-s", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return folder
