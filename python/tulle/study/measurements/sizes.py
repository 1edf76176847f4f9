"""The measurement `sizes`: a fabric's parts and distances, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from tulle._internal.arguments import input_files
from tulle.columns import Columns
from tulle.design.forms import closed_forms
from tulle.errors import InputError
from tulle.metric import Metric
from tulle.study.measurements.parameters import Parameters, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


class Sized(Parameters):
    """Parameters: a fabric spec, as for `tulle.design.closed_forms`."""

    fabric: Annotated[str, Spec("fabrics")]
    """the fabric"""


def resolve(parameters: Sized) -> Sized:
    """Return the parameters with the canonical fabric."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Sized) -> list[Path]:
    """The files of the fabric."""
    return input_files(parameters.fabric)


def sizes(parameters: Sized, _seed: int, advance: Advance) -> Rows:
    """The closed forms."""
    advance(0.0)
    forms = closed_forms([parameters.fabric])[0]
    if forms is None:
        raise InputError(f"'{parameters.fabric}' has no closed form")
    figures = {
        "switches": forms.switches,
        "endpoints": forms.endpoints,
        "cables": forms.cables,
        "radix": forms.radix,
        "network_radix": forms.network_radix,
        "concentration": forms.concentration,
        "ports_per_endpoint": forms.ports_per_endpoint if forms.endpoints else None,
        "links_per_endpoint": forms.links_per_endpoint if forms.endpoints else None,
        "diameter": forms.diameter,
        "average_path_length": forms.average_path_length,
        "all_to_all": forms.all_to_all,
        "moore_share": forms.moore_share,
    }
    table = {
        "figure": np.array(list(figures)),
        "value": np.array([np.nan if value is None else float(value) for value in figures.values()]),
    }
    return Rows(Columns(table), figures, {"figures": len(figures)})


MEASUREMENT = Measurement(
    name="sizes",
    example={"fabric": "slimfly:q=3"},
    summary="parts, distances and an upper bound on the throughput of a fabric",
    paper="Slim Fly deployment (NSDI24) Table 4; Kathareios et al. (SC15) §2; FatPaths Table V",
    parameters=Sized,
    resolve=resolve,
    inputs=inputs,
    measure=sizes,
    figures=(
        Metric("switches", "switches"),
        Metric("endpoints", "endpoints"),
        Metric("cables", "cables between switches"),
        Metric("radix", "ports of a switch"),
        Metric("network_radix", "k'", on_request=True),
        Metric("concentration", "p", on_request=True),
        Metric("ports_per_endpoint", "ports per endpoint"),
        Metric("links_per_endpoint", "links per endpoint"),
        Metric("diameter", "diameter"),
        Metric("average_path_length", "average path length"),
        Metric("all_to_all", "all-to-all bound"),
        Metric("moore_share", "share of the Moore bound"),
    ),
    note="Closed forms. The average path length is an upper bound for Dragonfly, and a lower bound for random fabrics "
    "and some other families, for example Kautz.",
    rows_file="sizes.csv",
)
