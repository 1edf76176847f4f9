"""Check long calls of tulle from forked and spawned processes, thread pools and an event loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import tulle
from tulle.analysis import disjoint_paths, throughput

# Seconds until the tests kill a hanging child process. A forked child process does not have its parent's threads, so it
# could wait forever for one of these threads.
PATIENCE = 60

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def everything(seed: int) -> list[object]:
    """Call every kind of function that can use several threads; return the results."""
    fabric = tulle.Fabric("jellyfish:switches=20,degree=4,p=2", seed=seed)
    layers = tulle.route(fabric, "random:layers=3,rho=0.8", seed=seed)
    paths = tulle.route(fabric, "ksp:k=3", seed=seed)
    load = tulle.traffic(fabric, "permutation:bytes=30KB", seed=seed)
    bounds = [
        throughput(fabric, "all-to-all", layers, method="split"),
        throughput(fabric, "all-to-all", paths, method="path-lp"),
        throughput(fabric, "longest-matching", method="weights", gap=0.1),
        throughput(fabric, "permutation", method="edge-lp"),
    ]
    flit = tulle.simulate_flits(
        fabric, layers, "longest-matching", load=0.1, vcs=8, seed=seed, warmup=200, window=200, threads=2
    )
    packets = tulle.simulate(fabric, layers, load, seed=seed, threads=2)
    return [
        fabric.diameter,
        layers.next_hop.tolist(),
        paths.quality().disjoint.tolist(),
        layers.assign_vcs("dfsssp").num_vcs,
        [[bound.lower, bound.upper] for bound in bounds],
        disjoint_paths(fabric, 4, mode="exact").count.tolist(),
        packets.flows.to_csv(),
        packets.slowdown.tolist(),
        [flit.accepted, flit.latency_mean],
    ]


@pytest.fixture(scope="module")
def known() -> list[object]:
    return everything(0)


@pytest.mark.parametrize("method", sorted({"fork", "spawn"} & set(multiprocessing.get_all_start_methods())))
def test_a_pool_of_processes(known: list[object], method: str) -> None:
    # The test's process has already started threads; a forked child process does not have these threads.
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method))
    try:
        found = [pool.submit(everything, 0) for _ in range(2)]
        assert [future.result(PATIENCE) for future in found] == [known, known]
    finally:
        # The test kills child processes, so that it does not wait for a child that hangs.
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_forks_amid_calls(known: list[object]) -> None:
    """Check calls in child processes that are forked while other threads are inside calls."""

    def call() -> bool:
        # If the child hangs, this alarm ends it, so its exit code is not 0.
        signal.alarm(PATIENCE)
        return tulle.route(tulle.Fabric("slimfly:q=3"), "minimal").quality().pairs == 18 * 17

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(everything, 0) for _ in range(2)]
        children: list[int] = []
        while not all(future.done() for future in running) and len(children) < 4:
            child = os.fork()
            if child == 0:
                right = False
                try:
                    right = call()
                    grandchild = os.fork()
                    if grandchild == 0:
                        os._exit(0 if call() else 1)
                    right = os.waitpid(grandchild, 0)[1] == 0 and right
                finally:
                    os._exit(0 if right else 1)
            children.append(child)
        ended = [os.waitpid(child, 0)[1] for child in children]
        assert [future.result(PATIENCE) for future in running] == [known, known]
    assert ended == [0] * len(children)


def test_threads_and_an_event_loop(known: list[object]) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(everything, [0] * 4)) == [known] * 4

    async def gathered() -> list[list[object]]:
        calls = [asyncio.to_thread(everything, seed) for seed in (0, 1, 0)]
        return await asyncio.gather(*calls)

    first, other, again = asyncio.run(gathered())
    assert first == again == known
    assert other != known
