//! The Python module `tulle._tulle`. It converts arguments, calls the Rust crates and maps errors to exceptions. The Python package around
//! it is the public interface.
//!
//! Ids are passed as `int32` arrays, and sizes and times as `int64`; −1 stands for "none". Every call that may take long runs without the
//! interpreter's lock and stops on Ctrl-C (see [`call`]).

mod analysis;
mod arrays;
mod arrow;
mod call;
mod cbd;
mod closed_forms;
mod deadlock;
mod declared;
mod deploy;
mod design;
mod errors;
mod ethernet;
mod exchange;
mod fabric;
mod flit;
mod foreign;
mod layout;
mod options;
mod outcome;
mod packet;
mod pools;
mod properties;
mod quantity;
mod registry;
mod routing;
mod routing_arrays;
mod states;
mod throughput;
mod traffic;

use pyo3::prelude::*;

/// The compiled Rust code of tulle.
#[pymodule]
mod _tulle {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::analysis::{
        all_pairs, disjoint_paths, disjoint_paths_of_sets, edge_connectivity, flow_tree, interference, next_hop_counts,
        next_hops, rank_connectivity, sample_pairs, sample_quadruples, shortest_paths, virtual_updown_counts, walks,
    };
    #[pymodule_export]
    use super::arrow::arrow_stream;
    #[pymodule_export]
    use super::cbd::cbd;
    #[pymodule_export]
    use super::closed_forms::closed_forms;
    #[pymodule_export]
    use super::deadlock::{
        VcPlan, acyclic_together, adapt_plan, assign_vcs, reroute, reroute_undisturbed, restore_plan,
    };
    #[pymodule_export]
    use super::declared::Declared;
    #[pymodule_export]
    use super::deploy::{ForwardingTables, InfinibandDeployment, deploy_infiniband, in_subnet, read_lfts};
    #[pymodule_export]
    use super::design::{bounded_families, design_candidates, largest_candidates, searched_families};
    #[pymodule_export]
    use super::errors::{memory_left, require_memory};
    #[pymodule_export]
    use super::ethernet::{PrefixEntries, prefix_entries};
    #[pymodule_export]
    use super::exchange::{ExchangeOutcome, flit_exchange};
    #[pymodule_export]
    use super::fabric::{Fabric, build, canonical_link, from_edges, without_reverse_entries};
    #[pymodule_export]
    use super::flit::{FlitOutcome, FlitProgress, FlitTraffic, flit, flit_saturation, flit_traffic, resolve_flit};
    #[pymodule_export]
    use super::layout::{
        Layout, estimate_clos, estimate_flattened_clos, lay_out, optical, panelled, panels, read_floor,
    };
    #[pymodule_export]
    use super::options::simulator_options;
    #[pymodule_export]
    use super::outcome::Outcome;
    #[pymodule_export]
    use super::packet::{Progress, default_queue, default_selector, resolve, simulate};
    #[pymodule_export]
    use super::pools::stop_calls;
    #[pymodule_export]
    use super::quantity::{read_duration, read_length, read_rate, read_size};
    #[pymodule_export]
    use super::registry::{
        canonical, graph_formats, input_files, join_spec, registered, spec_name, split_spec, traffic_files,
    };
    #[pymodule_export]
    use super::routing::{Routing, load_routing, restore_routing, route, routing_notes};
    #[pymodule_export]
    use super::routing_arrays::{from_next_hop, from_paths, path_columns, paths_over};
    #[pymodule_export]
    use super::states::{address_tables, in_cycles, may_deadlock, state_dependencies};
    #[pymodule_export]
    use super::throughput::{
        Demands, EdgeFlow, PathFlow, demands, demands_all_to_all, demands_from, demands_of, edge_flow, path_flow,
        split_loads, subflow_rates, weights_over_fabric, weights_over_paths,
    };
    #[pymodule_export]
    use super::traffic::{Workload, messages, stress, traffic};

    /// Registers the Python functions that read graph formats with networkx.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        tulle_formats::convert_with(super::foreign::convert);
        Ok(())
    }

    /// The version of tulle.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
