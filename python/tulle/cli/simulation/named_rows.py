"""Add columns with names to tables of flows and links, if the fabric has names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["named_flows", "named_links"]


def named_flows(flows: Columns, fabric: Fabric) -> Columns:
    """Return flows or messages, with the columns ``source_name`` and ``destination_name`` if endpoints have names."""
    names = _given(fabric.endpoint_names)
    if names is None:
        return flows
    ends = ("source", "destination")
    return Columns({**flows, **{f"{end}_name": names[flows[end]] for end in ends}}, flows.units)


def named_links(links: Columns, fabric: Fabric) -> Columns:
    """Return links or samples of links, with ``source_name`` and ``target_name`` if switches or endpoints have names.

    The name of an endpoint is at the end of its link that has no switch.
    """
    # The labels of switches of other families are ids or coordinates.
    switches = _given(fabric.labels) if fabric.family == "file" else None
    if switches is None and _given(fabric.endpoint_names) is None:
        return links
    # Both arrays have one more entry, because the id -1 means that this end is no switch, or no endpoint.
    switches, endpoints = (np.array([*names, ""]) for names in (fabric.labels, fabric.endpoint_names))
    names = {
        f"{end}_name": np.where(links[end] < 0, endpoints[links["endpoint"]], switches[links[end]])
        for end in ("source", "target")
    }
    return Columns({**links, **names}, links.units)


def _given(names: Sequence[str]) -> NDArray[np.str_] | None:
    """Return names as an array; None if all names are ids."""
    return None if all(name == str(at) for at, name in enumerate(names)) else np.array(names)
