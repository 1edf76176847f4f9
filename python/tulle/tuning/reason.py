"""Why a row was chosen, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.tuning.candidates import DRAWS
from tulle.tuning.score import TIE
from tulle.tuning.throughput_score import TIE as THROUGHPUT_TIE
from tulle.tuning.throughput_score import WORDS, ThroughputScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan
    from tulle.tuning.choose import Row
    from tulle.tuning.score import Score


def reason(fabric: Fabric, rows: Sequence[Row], chosen: Row, plan: VcPlan, vcs: int | None) -> str:
    """Explain the choice of a routing in a few sentences: its score, its costs, and the drawbacks of others."""
    score = chosen.score
    assert score is not None
    vcs_needed = f"{plan.needed_vcs} virtual channel{'' if plan.needed_vcs == 1 else 's'} by {plan.scheme}"
    worth = _throughputs(score) if isinstance(score, ThroughputScore) else _paths(score)
    has_entries = chosen.entries is not None and isinstance(score, ThroughputScore)
    entries = f" and {chosen.entries} entries a switch" if has_entries else ""
    parts = [
        f"{chosen.routing} scores best of {len(rows)} candidates on {fabric.spec}: {worth}",
        f"It needs {vcs_needed}{'' if vcs is None else f' ({vcs} available)'}{entries}.",
    ]
    better = [row for row in rows if row.score is not None and row.score.total > score.total]
    out = [row for row in better if row.ruled_out is not None]
    if out:
        parts.append(f"{out[0].routing} scores higher but is ruled out: it {out[0].ruled_out}.")
    elif better:
        alike = THROUGHPUT_TIE if isinstance(score, ThroughputScore) else TIE
        parts.append(
            f"{better[0].routing} has the same score within {alike:.1%}, but it needs {_more(better[0], chosen)}."
        )
    family = _tulle.spec_name(chosen.routing)
    others = (row for row in rows if row.ruled_out is None and _tulle.spec_name(row.routing) != family)
    other = next((row for row in others if row.score is not None and row.score.total <= score.total), None)
    if other is not None:
        assert other.score is not None
        parts.append(f"The best candidate of another scheme, {other.routing}, {_lacks(score, other.score)}.")
    return " ".join(parts)


def _paths(score: Score) -> str:
    drawn = " of a sample" if score.sampled else ""
    has = "every pair" if score.disjoint == 1 else f"{_disjoint(score)} of pairs{drawn}"
    stretch = f"{1 / score.directness:.2f} times the mean distance" if score.directness < 0.9995 else "all minimal"
    return (
        f"{has} can have three disjoint paths; paths have {score.mean_hops:.2f} hops on average ({stretch}) and "
        f"{score.longest} at most; the standard deviation of "
        f"paths per channel is {score.spread:.1%} of their mean."
    )


def _disjoint(score: Score) -> str:
    if not score.is_lower_bound or score.disjoint == 1:
        return f"{score.disjoint:.1%}"
    return f"at least {score.disjoint:.1%} (counted over {DRAWS} random choices of one next hop per group)"


def _throughputs(score: ThroughputScore) -> str:
    each = [
        f"{score.best[name]:.3f} of {WORDS[name]} with the best split ({score.fixed[name]:.3f} with the even split)"
        for name in score.best
    ]
    return (
        f"it carries {', '.join(each)}, relative to the rate of the busiest sender; paths have "
        f"{score.mean_hops:.2f} hops on average and {score.longest} at most."
    )


def _more(row: Row, chosen: Row) -> str:
    if (row.vcs or 0) > (chosen.vcs or 0):
        return f"{row.vcs} virtual channels"
    return f"{row.layers} layers"


def _lacks(score: Score | ThroughputScore, other: Score | ThroughputScore) -> str:
    """Describe the measure in which another candidate is worst compared with the chosen one."""
    if isinstance(score, ThroughputScore) or isinstance(other, ThroughputScore):
        return f"has {other.total / score.total:.0%} of its score"
    ratios = {
        "diversity": other.diversity / max(score.diversity, 1e-9),
        "directness": other.directness / score.directness,
        "evenness": other.evenness / score.evenness,
    }
    worst = min(ratios, key=lambda name: ratios[name])
    if ratios[worst] > 1 - TIE:
        return "has an equal score"
    if worst == "diversity":
        return f"gives three disjoint paths to {_disjoint(other)} of pairs"
    if worst == "directness":
        return f"has paths of {other.mean_hops:.2f} hops on average"
    return f"spreads paths less evenly: their standard deviation per channel is {other.spread:.1%} of the mean"
