"""Solve linear programs, which are given as arrays, with HiGHS.

A solution is not a proof: its values can be useful even without the status "optimal", and an optimum is exact only
within tolerances. Callers therefore compute proven bounds from a solution.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tulle import _tulle
from tulle._internal.runtime import starting

if TYPE_CHECKING:
    from collections.abc import Callable

    import highspy
    from numpy.typing import NDArray

Solver = Literal["ipm", "pdlp"]

# Seconds between two checks for signals.
_PERIOD = 0.05

# Bytes per matrix entry, and bytes per row or column: a low estimate of the memory of HiGHS. HiGHS stores the program
# twice, its transpose, a factorisation of equal size, and vectors.
_PER_ENTRY, _PER_LINE = 60, 200

# Bytes of stack and heap of the solver's thread. If this memory is missing, the C runtime aborts the process.
_PER_THREAD = 128 << 20

# Up to this product of columns and rows, the dual simplex (HiGHS' default) takes a fraction of a second. On such small
# programs, its time is between 1/3 and 4 times the time of interior points, and cannot be predicted. On larger
# programs, interior points are up to ten times faster.
_SMALL = 1_200_000

# Relative distance from the optimum at which PDLP stops; interior points use HiGHS' default of 1e-8.
_PDLP_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Program:
    """A linear program: maximise the last column. All columns are at least 0.

    The first `equalities` rows are equations, all other rows are "≤".
    """

    start: NDArray[np.int32]
    """Index of the first entry of each column, followed by the number of all entries."""
    index: NDArray[np.int32]
    """The row of each entry."""
    value: NDArray[np.float64]
    """The coefficient of each entry."""
    bound: NDArray[np.float64]
    """The right-hand side of each row."""
    equalities: int


@dataclass(frozen=True)
class Solution:
    """The result of running a linear-program solver."""

    columns: NDArray[np.float64]
    """Values of the columns. They contain no NaN, but are feasible only within tolerances."""
    prices: NDArray[np.float64]
    """Absolute dual value of each inequality."""
    optimal: bool
    """Whether the solver reports an optimum."""
    status: str
    """The status of the solver, in the words of HiGHS."""


def solve(program: Program, solver: Solver, look: Callable[[], object] | None = None) -> Solution:
    """Run HiGHS on one thread: interior points without crossover (simplex for small programs), or PDLP.

    `look` is called repeatedly, except for small programs. An exception in `look` stops the solver, as Ctrl-C does.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, when the solver has finished its current iteration (for PDLP, a stage of many iterations).
    """
    import highspy

    columns, rows = len(program.start) - 1, len(program.bound)
    _tulle.require_memory(
        f"a linear program of {columns} columns, {rows} rows and {len(program.index)} entries",
        _PER_ENTRY * len(program.index) + _PER_LINE * (columns + rows) + _PER_THREAD,
    )
    infinity = highspy.kHighsInf
    linear = highspy.HighsLp()
    linear.num_col_, linear.num_row_ = columns, rows
    linear.sense_ = highspy.ObjSense.kMaximize
    linear.col_cost_ = np.eye(1, columns, columns - 1)[0]
    linear.col_lower_ = np.zeros(columns)
    linear.col_upper_ = np.full(columns, infinity)
    lower = program.bound.copy()
    lower[program.equalities :] = -infinity
    linear.row_lower_, linear.row_upper_ = lower, program.bound
    linear.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    linear.a_matrix_.start_, linear.a_matrix_.index_ = program.start, program.index
    linear.a_matrix_.value_ = program.value

    def prepared(**more: float | str) -> highspy.Highs:
        highs = _silent()
        options = {"threads": 1, "solver": solver, "run_crossover": "off", **more}
        for name, value in options.items():
            highs.setOptionValue(name, value)
        highs.passModel(linear)
        return highs

    if solver == "ipm" and columns * rows <= _SMALL:
        # A small program is solved before a delayed Ctrl-C matters. A check for Ctrl-C would cost a Python call per
        # iteration.
        highs = prepared(solver="simplex")
        highs.run()
    else:
        near = {"kkt_tolerance": _PDLP_TOLERANCE, "pdlp_optimality_tolerance": _PDLP_TOLERANCE}
        highs = prepared(**near) if solver == "pdlp" else prepared()
        _run(highs, look)
    found = highs.getSolution()
    values, duals = np.asarray(found.col_value, dtype=np.float64), np.asarray(found.row_dual, dtype=np.float64)
    if len(values) != columns or not np.isfinite(values).all():
        values = np.zeros(columns)
    if len(duals) != rows or not np.isfinite(duals).all():
        duals = np.zeros(rows)
    status = highs.getModelStatus()
    # Tiny programs can end with the status "unknown" although their values are right, so values are always returned.
    return Solution(
        np.maximum(values, 0.0),
        np.abs(duals[program.equalities :]),
        status == highspy.HighsModelStatus.kOptimal,
        highs.modelStatusToString(status).lower(),
    )


def _silent() -> highspy.Highs:
    """Return a solver that prints nothing.

    Since version 1.16, the constructor of HiGHS enables callbacks, which prints the name and licence of HiGHS to
    standard output, in front of the JSON of `--json`. ``output_flag`` must therefore be off before this happens.
    """
    import highspy

    class Silent(highspy.Highs):
        def enableCallbacks(self) -> None:  # noqa: N802
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()  # type: ignore[no-untyped-call]

    highs = Silent()  # type: ignore[no-untyped-call]
    # In some versions, the constructor does not call enableCallbacks.
    highs.setOptionValue("output_flag", False)
    return highs


def _run(highs: highspy.Highs, look: Callable[[], object] | None) -> None:
    """Run the solver in a second thread, while the calling thread checks for Ctrl-C.

    If the calling thread ran the solver, Ctrl-C would have no effect until the solver ends. An exception in the calling
    thread, for example from Ctrl-C, stops the solver at its next iteration. The calling thread waits until the solver
    has stopped. Further Ctrl-C do not end this wait, because HiGHS aborts a process that ends while the solver runs.
    (HiGHS has a similar mechanism, but it has only one lock for all solvers of a process.)
    """
    highs.HandleUserInterrupt = True
    ended = allocate_lock()
    ended.acquire()
    # When the solver has ended, this list contains its exception, or None.
    outcome: list[BaseException | None] = []

    def work() -> None:
        failed = None
        try:
            highs.run()
        except BaseException as error:
            failed = error
        outcome.append(failed)
        ended.release()

    # Thread.start waits until the thread runs; a Ctrl-C during this wait would leave a running thread without record.
    # `extend` starts and records the thread in one step of the interpreter, which no signal can interrupt.
    started: list[int] = []
    raised: BaseException | None = None

    def wait() -> None:
        if not started:
            with starting():
                started.extend(map(start_new_thread, (work,), ((),)))
        while not outcome:
            ended.acquire(timeout=_PERIOD)
            if look is not None and raised is None:
                look()

    while not outcome:
        try:
            wait()
        except BaseException as error:  # noqa: PERF203
            if not started:
                raise
            raised = raised or error
            highs.cancelSolve()  # type: ignore[no-untyped-call]
    raised = raised or outcome[0]
    if raised is not None:
        raise raised
