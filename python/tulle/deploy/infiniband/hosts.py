"""The setup of hosts, so that they use layers and service levels as the proof assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted

if TYPE_CHECKING:
    from tulle.deploy.infiniband.generate import Deployment


def files(made: Deployment) -> dict[str, str]:
    """Return the files of the folder ``hosts``, as texts by name."""
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
        f"# Open MPI over openib, {counted(layers, 'layer')}, {what}. Add this to "
        "openmpi-mca-params.conf, or use mpirun --tune FILE.\n"
        "# The first setting exists only if Open MPI was configured with --enable-openib-dynamic-sl.\n"
        "# It takes the service level of every connection from its path record. The proof does not hold without it.\n"
        "btl_openib_ib_path_record_service_level = 1\n"
        "# The number of LIDs of a port to use; 0: all.\n"
        f"btl_openib_max_lmc = {lids}\n"
        "# Send over every LID, with one connection each. Reserve no LID as an alternate path after failures.\n"
        "btl_openib_enable_apm_over_lmc = 0\n"
        "btl_openib_btls_per_lid = 1\n"
        "pml = ob1\n"
        "btl = openib,vader,self\n"
    )


def _ucx(made: Deployment) -> str:
    if made.plan.num_sls > 1:
        return (
            "# No settings: UCX uses one service level for all destinations (UCX_IB_SL), "
            f"but this plan has {made.plan.num_sls}.\n"
            "# Connections without a path record use a wrong level for most destinations, which voids the proof.\n"
        )
    bits = f"0-{(1 << made.lmc) - 1}"
    return (
        "# UCX supports one service level for all destinations, as this plan has. Not tested on hardware.\n"
        "UCX_IB_SL=0\n"
        f"UCX_IB_LID_PATH_BITS={bits}\n"
        f"UCX_IB_NUM_PATHS={1 << made.lmc}\n"
    )


def _readme(made: Deployment) -> str:
    layers, lids = made.plan.routing.num_layers, 1 << made.lmc
    again = "" if layers == lids else f" modulo {layers}"
    return f"""# Setup of hosts

Every adapter port has {lids} LIDs from its base LID on; a packet to base LID + l takes layer l{again}. The host
chooses the LID, and with it the layer. It must not choose the service level (SL), but take it from the path record of
source and destination LID.
**A host that sends on another SL, for example on the default SL 0, voids the proof: the network may deadlock.**
`tulle deploy verify --paths` checks the path records that the subnet manager returns, but not whether hosts use them.

| policy (Blach et al., NSDI24, §5.3) | how |
|---|---|
| round robin | `openmpi-round-robin.conf`: Open MPI cycles over the LIDs of a port |
| one layer | `openmpi-one-layer.conf`: only base LIDs, for comparison |
| random | not supported by Open MPI's openib; your program must pick a random LID for each connection |
| by size | not supported by Open MPI's openib; your program must send small messages to base LIDs, large ones to all |

The settings for Open MPI come from public scripts of this paper's authors and have not been tested on hardware.
`ucx.conf` describes what UCX supports.

* Programs that use verbs: query the SA for the path record of both LIDs, and put its SL into the address handle.
* Connections by the connection manager (RDMA-CM) use the SL of the path record, and the base LID, that is, layer 0.
* IPoIB uses path records for unicast, and the SL of its partition for multicast.
"""
