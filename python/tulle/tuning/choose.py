"""Choose a candidate within the budget: of those with nearly the best score, the one with the fewest virtual channels.

Among several such candidates, it is the one with the fewest layers. `TIE` and `THROUGHPUT_TIE` define how near a score
must be to the best one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from tulle import _tulle
from tulle._internal.arguments import read_seed, read_texts
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.text import brief
from tulle.errors import InputError, SpecError
from tulle.fabric import as_fabric
from tulle.routing.fewest_vcs import fewest
from tulle.routing.routing import Routing, route
from tulle.tuning.candidates import Candidate, candidates, carriers
from tulle.tuning.reason import reason
from tulle.tuning.score import ENOUGH, PAIRS, TIE, Score
from tulle.tuning.throughput_score import TIE as THROUGHPUT_TIE
from tulle.tuning.throughput_score import Purpose, ThroughputScore, purposes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

DEADLOCK = ("one-vc", "dfsssp", "lash", "colouring", "hops")
"""Deadlock schemes to try. The scheme with the fewest virtual channels wins; ties go to the first scheme in this list.
`fewest` has an exception for routings with many paths."""

_PROVE_ALL = 100_000
"""If pairs times layers is at most this, virtual channels are counted for every candidate; otherwise only for
possible winners.
"""


_KEPT = 1_000_000
"""Routings with up to this many table entries stay in memory until virtual channels are counted. Of larger ones, only
the best stays."""

_PATIENCE_PATHS, _PATIENCE_THROUGHPUT = 600.0, 25.0
"""Default patience in seconds."""

_CHEAP = 1.0
"""A candidate that cannot win is still measured if its estimated time is at most this many seconds."""


@dataclass(frozen=True)
class Row(Shown):
    """One candidate."""

    routing: str
    """Its spec."""
    layers: int
    """Number of layers of the candidate."""
    score: Score | ThroughputScore | None
    """The score of the candidate's paths, or its throughput; None if it was not measured."""
    entries: int | None = None
    """The largest number of forwarding entries of a switch, by `Routing.entries`; None if the candidate was not
    routed."""
    vcs: int | None = None
    """The fewest virtual channels that a deadlock scheme needs; None if they were not counted or no scheme works."""
    scheme: str | None = None
    """The deadlock scheme that needs `vcs` virtual channels."""
    ruled_out: str | None = None
    """Why the candidate cannot be chosen; None if it can."""


@dataclass(frozen=True)
class Tuning(Shown):
    """A routing chosen for a fabric, and why. Made by `tulle.tune`."""

    fabric: Fabric
    rows: tuple[Row, ...]
    """Every candidate, sorted by score; candidates that were not measured are last."""
    chosen: Row
    routing: Routing
    """The routing of the chosen row."""
    plan: VcPlan
    """The virtual-channel plan of the chosen routing. With a limit `vcs`, paths spread over that many virtual channels;
    without a limit, the plan uses as few as possible."""
    reason: str
    """Why this routing was chosen, as a text."""

    def _overview(self) -> Overview:
        values = {
            "chosen": self.chosen.routing,
            "reason": self.reason,
            "layers": self.chosen.layers,
            "entries per switch": self.chosen.entries,
            "needed_vcs": self.plan.needed_vcs,
            "candidates": len(self.rows),
        }
        rows = [
            {
                "routing": row.routing,
                "layers": row.layers,
                "entries": row.entries,
                "vcs": row.vcs,
                "ruled_out": row.ruled_out,
            }
            for row in self.rows
        ]
        return Overview("Tuning", self.fabric.spec, values, rows=rows)


def tune(
    fabric: Fabric | str,
    *,
    for_: Purpose = "paths",
    layers: int = 4,
    entries: int | None = None,
    groups: bool = True,
    vcs: int | None = None,
    max_hops: int | None = None,
    deadlock: str | Sequence[str] = DEADLOCK,
    patience: float | None = None,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
    observe: Callable[[Row], object] | None = None,
) -> Tuning:
    """Choose scheme, layers and their density ρ for a fabric, by path quality or by throughput.

    Candidates are routed and measured. Among the candidates within the budget, the highest `Score.total` or
    `ThroughputScore.total` wins. Scores within 0.5% of each other (throughput: 2%) count as equal; then the fewest
    virtual channels win, then the fewest layers, then the score.

    With the goal ``paths``, a pair has at most as many disjoint paths as there are layers, which limits the score of
    candidates with few layers. A candidate that would take more than a second is skipped if it cannot reach the best
    score so far; its row says so.

    Parameters
    ----------
    fabric
        A connected fabric.
    for_
        The goal: ``paths`` rates path quality for any traffic (`Score`). The other goals rate throughput
        (`ThroughputScore`) for a random ``permutation``, for ``skewed`` traffic (all endpoints of a switch
        send to those of one other switch, FatPaths Fig. 11), for the ``worst`` case (the longest matching of switches,
        TopoBench), or for ``all`` three.
    layers
        Maximum number of layers of next-hop tables that the hardware can hold, 1 to 255.
    entries
        Maximum number of forwarding entries of a switch, counted as by `Routing.entries`; None: no limit.
    groups
        Whether switches support groups of equal-cost or weighted next hops. Used only for throughput goals.
    vcs
        Virtual channels of the hardware, 1 to 255; None: no limit.
    max_hops
        The most hops that a path may have; None: no limit.
    deadlock
        Deadlock schemes that the hardware supports. A scheme counts only if it changes no path, which ``colouring``
        may do.
    patience
        Limit on the estimated time of all routing and measuring, in seconds on one core. Candidates that would exceed
        it are skipped. None: 600 for ``paths``, 25 for other goals. The estimate depends on the fabric's size and not
        on a clock, so the same arguments give the same choice on any machine.
    seed
        Seed of random schemes and of the sample of pairs.
    progress
        Called before every candidate, and once before virtual channels are counted, with the number of finished steps
        and the number of all steps (one step per candidate, and one for all counts).
    observe
        Called with the row of every candidate when it is measured or skipped, so that rows are kept if the call is
        interrupted.

    Raises
    ------
    tulle.SpecError
        For an unknown goal or deadlock scheme.
    tulle.InputError
        For a disconnected fabric, an argument out of range, or a budget that no candidate fits.

    Examples
    --------
    >>> import tulle
    >>> tuning = tulle.tune(tulle.Fabric("slimfly:q=5"), layers=4, vcs=4)
    >>> tuning.routing.num_layers, tuning.plan.num_vcs
    (4, 4)
    """
    fabric = as_fabric(fabric, seed)
    seed = read_seed(seed)
    if patience is None:
        patience = _PATIENCE_PATHS if for_ == "paths" else _PATIENCE_THROUGHPUT
    _check(fabric, for_, layers, entries, vcs, max_hops, patience)
    distance = fabric.average_path_length or 1.0
    edge = max(len(set(fabric.endpoint_switch.tolist())), 1)
    judged = purposes(fabric, for_)
    if judged:
        tried = list(carriers(fabric, layers, max_hops, groups=groups))
    else:
        tried = list(candidates(fabric, layers, max_hops, min(PAIRS, edge * (edge - 1))))
    every = edge * edge * layers <= _PROVE_ALL
    counter = _VcCounter(fabric, vcs, read_texts("deadlock", deadlock), seed, {}, {}, THROUGHPUT_TIE if judged else TIE)
    rows: list[Row] = []
    left = float(patience)
    for number, candidate in enumerate(tried):
        if progress is not None:
            progress(number, len(tried) + 1)
        reach = min(candidate.layers if candidate.measured == candidate.spec else ENOUGH, ENOUGH) / ENOUGH
        if candidate.seconds > left:
            why = f"takes about {candidate.seconds:.0f} s, but only {max(left, 0):.0f} s of patience are left"
            row = Row(candidate.spec, candidate.layers, None, ruled_out=why)
        elif not judged and candidate.seconds > _CHEAP and reach < 1 and reach < counter.best(rows) * (1 - TIE):
            why = f"scores {reach:.4g} at most with {candidate.layers} layers"
            row = Row(candidate.spec, candidate.layers, None, ruled_out=why)
        else:
            left -= candidate.seconds
            best = max((row.score.total for row in rows if row.score and row.ruled_out is None), default=0.0)
            budget = _Budget(max_hops, entries)
            row = _measured(fabric, candidate, distance, budget, judged, seed, counter.routed, best)
        rows.append(row)
        if observe is not None:
            observe(row)
    if progress is not None:
        progress(len(tried), len(tried) + 1)
    rows.sort(key=lambda row: -row.score.total if row.score else 1.0)
    plans = counter.prove(rows, every=every)
    chosen = _choose(rows, plans, counter.tie)
    if chosen is None:
        raise InputError(_nothing(fabric, rows, layers, vcs, _Budget(max_hops, entries)))
    plan = plans[chosen.routing]
    if vcs is not None:
        # With more virtual channels than needed, the plan spreads paths over all of them.
        joint = "," if ":" in plan.spec else ":"
        plan = plan.routing.assign_vcs(plan.spec if "vcs=" in plan.spec else f"{plan.spec}{joint}vcs={vcs}")
    words = reason(fabric, rows, chosen, plan, vcs)
    return Tuning(fabric, tuple(rows), chosen, plan.routing, plan, words)


@dataclass(frozen=True)
class _Budget:
    """Limits on forwarding entries and hops of a routing; None: no limit."""

    max_hops: int | None
    entries: int | None


def _check(
    fabric: Fabric,
    for_: str,
    layers: int,
    entries: int | None,
    vcs: int | None,
    max_hops: int | None,
    patience: float,
) -> None:
    if for_ not in get_args(Purpose):
        raise SpecError(f"for={brief(str(for_))} is not a choice; legal: {', '.join(get_args(Purpose))}")
    if for_ != "paths" and fabric.num_endpoints == 0:
        raise InputError(
            f"for={brief(str(for_))} on {fabric.spec}, which has no endpoints; legal: paths, or "
            f"a fabric with endpoints{fabric._core.endpoint_hint}"
        )
    if entries is not None and entries < 1:
        raise InputError(f"entries={entries} is out of range; legal: 1 or more")
    for name, value in (("layers", layers), ("vcs", vcs)):
        if value is not None and not 1 <= value <= 255:
            raise InputError(f"{name}={value} is out of range; legal: 1 to 255")
    if not patience > 0:
        raise InputError(f"patience={patience} is out of range; legal: above 0 seconds")
    if fabric.num_switches < 2:
        raise InputError(f"tune: {fabric.spec} has {fabric.num_switches} switches; legal: 2 or more")
    diameter = fabric.diameter
    if diameter is None:
        raise InputError(f"tune: {fabric.spec} has switches without a path between them; legal: connected fabrics")
    if max_hops is not None and max_hops < diameter:
        raise InputError(f"max_hops={max_hops} is below the diameter of {fabric.spec}; legal: {diameter} or more")


def _measured(
    fabric: Fabric,
    candidate: Candidate,
    distance: float,
    budget: _Budget,
    judged: tuple[str, ...],
    seed: int,
    routed: dict[str, Routing],
    best: float,
) -> Row:
    """Measure a candidate without counting virtual channels; `best` is the highest score so far."""
    row = Row(candidate.spec, candidate.layers, None)
    try:
        routing = route(fabric, candidate.spec, seed)
        measured = routing if candidate.measured == candidate.spec else route(fabric, candidate.measured, seed)
    except InputError as error:
        problem = str(error).split("; ")[0]
        return replace(row, ruled_out=problem.removeprefix(f"{_tulle.spec_name(candidate.spec)}: "))
    if routing.num_layers > candidate.layers:
        return replace(row, ruled_out=f"makes {routing.num_layers} layers")
    entries = int(routing.entries.max())
    row = replace(row, routing=routing.spec, layers=routing.num_layers, entries=entries)
    if budget.entries is not None and entries > budget.entries:
        return replace(row, ruled_out=f"needs {entries} entries, but the limit is {budget.entries}")
    score = ThroughputScore.of(routing, judged, seed) if judged else Score.of(routing, measured, distance, seed)
    row = replace(row, score=score)
    if budget.max_hops is not None and score.longest > budget.max_hops:
        row = replace(row, ruled_out=f"has paths of {score.longest} hops, but the limit is {budget.max_hops}")
    if fabric.num_switches**2 * routing.num_layers > _KEPT:
        # For large fabrics, only the best candidate's tables stay in memory. Other tables are computed again if needed.
        if row.ruled_out is not None or score.total <= best:
            return row
        routed.clear()
    routed[routing.spec] = routing
    return row


@dataclass(frozen=True)
class _VcCounter:
    """A counter of the virtual channels that routings need; it counts each routing once."""

    fabric: Fabric
    vcs: int | None
    deadlock: Sequence[str]
    seed: int
    routed: dict[str, Routing]
    """Routings in memory, by spec; missing routings are computed again."""
    counted: dict[str, VcPlan | None]
    """Virtual-channel plans by the spec of the routing; None if no deadlock scheme works."""
    tie: float
    """Scores count as equal if their ratio differs from 1 by less than this."""

    def plan(self, routing: str) -> VcPlan | None:
        """Return the plan with the fewest virtual channels for a routing; None if no deadlock scheme works."""
        if routing not in self.counted:
            made = self.routed.get(routing) or route(self.fabric, routing, self.seed)
            self.counted[routing] = fewest(made, self.deadlock, self.vcs)
        return self.counted[routing]

    def fits(self, plan: VcPlan | None) -> bool:
        """Check whether the virtual channels of a plan fit the budget."""
        return plan is not None and (self.vcs is None or plan.needed_vcs <= self.vcs)

    def best(self, rows: Sequence[Row]) -> float:
        """Return the highest score of the rows within the budget, or 0 if there is none."""
        scored = [(row.score.total, row.routing) for row in rows if row.score is not None and row.ruled_out is None]
        return next((total for total, spec in sorted(scored, reverse=True) if self.fits(self.plan(spec))), 0.0)

    def prove(self, rows: list[Row], *, every: bool) -> dict[str, VcPlan]:
        """Return the plans of the rows that can be chosen, best score first.

        The method also stores the number of virtual channels in these rows.
        """
        plans: dict[str, VcPlan] = {}
        enough: float | None = None
        for at, row in enumerate(rows):
            if row.score is None or row.ruled_out is not None:
                continue
            if enough is not None and row.score.total < enough and not every:
                break
            plan = self.plan(row.routing)
            if plan is None:
                rows[at] = replace(row, ruled_out=f"has no VC plan by {', '.join(self.deadlock)}")
                continue
            rows[at] = replace(row, vcs=plan.needed_vcs, scheme=plan.scheme)
            if not self.fits(plan):
                rows[at] = replace(rows[at], ruled_out=f"needs {plan.needed_vcs} VCs, but the limit is {self.vcs}")
                continue
            plans[row.routing] = plan
            if enough is None:
                enough = row.score.total * (1 - self.tie)
        return plans


def _choose(rows: list[Row], plans: dict[str, VcPlan], tie: float) -> Row | None:
    """Among rows that tie with the best score, return the one with the fewest virtual channels.

    Among several rows with the fewest virtual channels, it is the one with the fewest layers.
    """
    open_rows = [(row, row.score) for row in rows if row.score is not None and row.routing in plans]
    if not open_rows:
        return None
    alike = open_rows[0][1].total * (1 - tie)
    good = [(row, score) for row, score in open_rows if score.total >= alike]
    return min(good, key=lambda pair: (pair[0].vcs or 0, pair[0].layers, -pair[1].total))[0]


def _nothing(fabric: Fabric, rows: list[Row], layers: int, vcs: int | None, kept: _Budget) -> str:
    """Return the error message for a budget that no candidate fits."""
    limits = {"layers": layers, "vcs": vcs, "max_hops": kept.max_hops, "entries": kept.entries}
    budget = ", ".join(f"{name}={value}" for name, value in limits.items() if value is not None)
    needs = [row.vcs for row in rows if row.vcs is not None]
    legal = "a larger patience" + ("" if kept.max_hops is None else " or max_hops")
    sizes = [row.entries for row in rows if row.entries is not None]
    if kept.entries is not None and sizes and min(sizes) > kept.entries:
        legal = f"entries={min(sizes)} or more"
    elif needs and vcs is not None and min(needs) > vcs:
        legal = f"vcs={min(needs)} or more"
    return f"tune: no routing of {fabric.spec} is within the limits {budget}; legal: {legal}"
