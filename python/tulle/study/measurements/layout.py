"""The measurement `layout`: racks, cable lengths and the bill of materials of a fabric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tulle._internal.arguments import input_files
from tulle.columns import Columns
from tulle.design.floor import read_floor
from tulle.design.placement import place
from tulle.design.prices import read_prices
from tulle.design.through import MOST_PORTS, PORTS
from tulle.fabric import build_with_failures
from tulle.metric import Metric
from tulle.study.measurements.parameters import InputFile, Parameters, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class LaidOut(Parameters):
    """A fabric, some arguments of `tulle.place`, and a price list."""

    fabric: Annotated[str, Spec("fabrics")]
    """the fabric"""
    floor: Annotated[str, InputFile(".toml")] = "standard"
    """spacing and racks, for example column=2m,row=1m; or the name of a floor, or a .toml file"""
    parts: Literal["metis"] | None = None
    """how switches are divided into racks: by a partition of the graph; default: by the family's structure"""
    through: Literal["optical", "panels"] | None = None
    """devices that all links pass through: optical switches or patch panels"""
    ports: int = Field(default=PORTS, ge=1, le=MOST_PORTS)
    """ports of an optical switch or patch panel"""
    prices: Annotated[str | None, InputFile(".toml")] = None
    """a price list by its name, or a .toml file; default: no costs"""


def resolve(parameters: LaidOut) -> LaidOut:
    """Return the parameters with canonical fabric and floor; read the price list to check it."""
    if parameters.prices is not None:
        read_prices(parameters.prices)
    return parameters.model_copy(update={**parameters.canonical_specs(), "floor": read_floor(parameters.floor)})


def inputs(parameters: LaidOut) -> list[Path]:
    """Return the files of the fabric, and the price list if it is a file."""
    own = parameters.prices is not None and parameters.prices.endswith(".toml")
    return [*input_files(parameters.fabric), *([Path(str(parameters.prices))] if own else [])]


def laid_out(parameters: LaidOut, seed: int, advance: Advance) -> Rows:
    """Place the fabric on a floor, and compute its cost."""
    advance(0.0)
    fabric = build_with_failures(parameters.fabric, seed, None, None)
    found = place(
        fabric,
        parameters.floor,
        parts=parameters.parts,
        through=parameters.through,
        ports=parameters.ports,
        seed=seed,
    )
    advance(0.5)
    items = found.items
    bill = None if parameters.prices is None else found.bill(parameters.prices)
    network = found.cables["kind"] != "endpoint"
    lengths = found.cables["length_mm"][network]
    copper = found.cable_copper if found.circuits is None else np.zeros(len(lengths), np.bool_)
    switches = found.cables["kind"] == "switch"
    between = cables_between_racks(found.cables["from_rack"][switches], found.cables["to_rack"][switches], found.racks)
    figures = {
        "racks": len(found.racks),
        "switches": fabric.num_switches,
        "endpoints": fabric.num_endpoints,
        "copper_cables": int(copper.sum()),
        "fibre_cables": int((~copper).sum()),
        "least_between_racks": int(between.min()) if len(between) else None,
        "most_between_racks": int(between.max()) if len(between) else None,
        "mean_m": float(lengths.mean()) / 1000 if len(lengths) else None,
        "copper_km": sum(length * count for length, count in items.copper.items()) / 1e6,
        "fibre_km": sum(length * count for length, count in items.fibre.items()) / 1e6,
        "cost_millions": None if bill is None else bill.cost / 1e6,
        "cost_per_endpoint": None if bill is None else bill.cost_per_endpoint,
    }
    racks = np.arange(len(found.racks))
    held = (found.switch_rack, found.endpoint_rack, found.device_rack)
    counts = [np.bincount(at, minlength=len(racks)) for at in held]
    table = Columns(
        {
            "rack": np.array(found.racks),
            "column": found.rack_places[:, 0],
            "row": found.rack_places[:, 1],
            **dict(zip(("switches", "endpoints", "devices"), counts, strict=True)),
        }
    )
    return Rows(table, figures, {"racks": len(racks)}, tuple(f"{fabric.spec}: {note}" for note in found.notes))


def cables_between_racks(one: NDArray[np.str_], other: NDArray[np.str_], racks: Sequence[str]) -> NDArray[np.int64]:
    """Count the cables between each two of the racks, given the racks of both ends of each cable."""
    index = {name: at for at, name in enumerate(racks)}
    counts = np.zeros((len(racks), len(racks)), np.int64)
    np.add.at(counts, tuple(np.array([index[name] for name in ends], np.int64) for ends in (one, other)), 1)
    return (counts + counts.T)[np.triu_indices(len(racks), 1)]


MEASUREMENT = Measurement(
    name="layout",
    example={"fabric": "slimfly:q=3"},
    summary="racks, lengths and media of cables, and the bill of materials of a fabric",
    paper="Slim Fly deployment §3; Flattened Clos App. A.4",
    parameters=LaidOut,
    resolve=resolve,
    inputs=inputs,
    measure=laid_out,
    figures=(
        Metric("racks", "racks"),
        Metric("switches", "switches"),
        Metric("endpoints", "endpoints"),
        Metric("copper_cables", "cables of copper between switches", usually_zero=True),
        Metric("fibre_cables", "cables of fibre between switches, or to devices", usually_zero=True),
        Metric("least_between_racks", "least number of cables between two racks", on_request=True),
        Metric("most_between_racks", "largest number of cables between two racks", on_request=True),
        Metric("mean_m", "mean length of these cables, m"),
        Metric("copper_km", "copper in km, including cables of endpoints"),
        Metric("fibre_km", "fibre in km, including cables of endpoints"),
        Metric("cost_millions", "cost, millions", usually_zero=True),
        Metric("cost_per_endpoint", "cost per endpoint", usually_zero=True),
    ),
    note="Lengths are Manhattan distances between racks plus heights inside racks.",
    rows_file="racks.csv",
)
