"""What hosts are set up with, so that they use layers and service levels as the proof assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted

if TYPE_CHECKING:
    from tulle.deploy.infiniband.generate import Deployment


def files(made: Deployment) -> dict[str, str]:
    """The files of the folder ``hosts``."""
    return {
        "README.md": _readme(made),
        "openmpi-round-robin.conf": _openib(made, 0),
        "openmpi-one-layer.conf": _openib(made, 1),
        "ucx.conf": _ucx(made),
    }


def _openib(made: Deployment, lids: int) -> str:
    layers = made.plan.routing.num_layers
    what = f"all {1 << made.lmc} LIDs of a port in turn" if lids == 0 else "layer 0 alone"
    return (
        f"# Open MPI over openib, {counted(layers, 'layer')}, {what}: into "
        "openmpi-mca-params.conf, or mpirun --tune FILE.\n"
        "# Open MPI must have been configured with --enable-openib-dynamic-sl, or the first setting is not there.\n"
        "# The service level of every connection is that of its path record: without it the proof does not hold.\n"
        "btl_openib_ib_path_record_service_level = 1\n"
        "# LIDs of a port that are used; 0: all.\n"
        f"btl_openib_max_lmc = {lids}\n"
        "# A connection per LID at once, and none kept back for when another fails.\n"
        "btl_openib_enable_apm_over_lmc = 0\n"
        "btl_openib_btls_per_lid = 1\n"
        "pml = ob1\n"
        "btl = openib,vader,self\n"
    )


def _ucx(made: Deployment) -> str:
    if made.plan.num_sls > 1:
        return (
            "# No settings: UCX has one service level for all destinations (UCX_IB_SL), "
            f"this plan has {made.plan.num_sls}.\n"
            "# What connects without a path record is on a wrong one for most destinations: the proof is void.\n"
        )
    bits = f"0-{(1 << made.lmc) - 1}"
    return (
        "# UCX: the plan has one service level, which is all that UCX can be told. Not tried on hardware.\n"
        "UCX_IB_SL=0\n"
        f"UCX_IB_LID_PATH_BITS={bits}\n"
        f"UCX_IB_NUM_PATHS={1 << made.lmc}\n"
    )


def _readme(made: Deployment) -> str:
    layers, lids = made.plan.routing.num_layers, 1 << made.lmc
    again = "" if layers == lids else f" modulo {layers}"
    return f"""# What hosts do

Every adapter port has {lids} LIDs from its base LID on; a packet to base LID + l takes layer l{again}. Which
LID, and so which layer, is the host's choice; the service level (SL) is not: it is that of the path record of source
and destination LID.
**A host that sends on another SL, as on SL 0 by default, voids the proof: packets may wait for each other for ever.**
`tulle deploy verify --paths` compares path records, which is what hosts are told; what they do with them only they
know.

| policy (deployment paper §5.3) | how |
|---|---|
| round robin | `openmpi-round-robin.conf`: Open MPI's own way over the LIDs of a port |
| one layer | `openmpi-one-layer.conf`: base LIDs alone, as a baseline |
| random | not in Open MPI's openib: a program of your own picks a LID per connection |
| by size | not in Open MPI's openib: likewise, small messages to base LIDs, large ones to all |

Settings of Open MPI are from public scripts of that deployment and have not been tried on hardware. `ucx.conf` says
what UCX can do.

* Programs over verbs: ask the SA for the path record of both LIDs, and put its SL into the address handle.
* Connections by the connection manager (RDMA-CM) take the SL of the path record, and the base LID: layer 0.
* IPoIB takes path records for unicast, and the SL of its partition for multicast.
"""
