//! Analyses of fabrics: path lengths, disjoint paths, interference and connectivity.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use tulle_analysis::{Count, Disjoint, FlowTree, Limit, Mode, NextHops, ShortestPaths, sample};
use tulle_base::{memory, task};
use tulle_routing::paths::virtual_updown;

use crate::arrays::{collected, column, matrix, owned, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;

type Matrix<'py, T> = Bound<'py, PyArray2<T>>;
type Column<'py, T> = Bound<'py, PyArray1<T>>;

/// Returns the hops between all pairs of switches, uint8 (S, S), and the numbers of their shortest paths, uint32 (S, S).
#[pyfunction]
pub fn shortest_paths<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<(Matrix<'py, u8>, Matrix<'py, u32>)> {
    let (fabric, width) = (Arc::clone(&fabric.0), fabric.0.num_switches());
    let (hops, counts) = interruptible(py, move || ShortestPaths::of(&fabric).into_parts())?;
    Ok((matrix(py, hops, width)?, matrix(py, counts, width)?))
}

/// Returns the number of walks with `length` hops between all pairs of switches, uint64 (S, S).
#[pyfunction]
pub fn walks<'py>(py: Python<'py>, fabric: &Fabric, length: u32) -> PyResult<Matrix<'py, u64>> {
    let (fabric, width) = (Arc::clone(&fabric.0), fabric.0.num_switches());
    let numbers = interruptible(py, move || tulle_analysis::walks(&fabric, length))?;
    matrix(py, numbers, width)
}

/// Returns the number of channels that begin a shortest path, for all pairs of switches, uint16 (S, S).
#[pyfunction]
pub fn next_hop_counts<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<Matrix<'py, u16>> {
    let (fabric, width) = (Arc::clone(&fabric.0), fabric.0.num_switches());
    let sizes = interruptible(py, move || {
        let next = NextHops::of(&fabric);
        let switches = fabric.num_switches();
        let mut sizes = memory::must(memory::reserved(|| "numbers of next hops".to_owned(), switches * switches));
        (0..switches as u32).for_each(|switch| sizes.extend(next.sizes(switch).map(|size| size as u16)));
        sizes
    })?;
    matrix(py, sizes, width)
}

/// Returns the channels that begin shortest paths. The first array has the start of each pair's entries in the second array, int64 (S² +
/// 1,). The second array has the channels, int32 (n,).
#[pyfunction]
pub fn next_hops<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<(Column<'py, i64>, Column<'py, i32>)> {
    let fabric = Arc::clone(&fabric.0);
    let (offsets, channels) = interruptible(py, move || {
        let next = NextHops::of(&fabric);
        let switches = fabric.num_switches() as u32;
        let pairs = fabric.num_switches().pow(2);
        let mut offsets = memory::must(memory::reserved(|| format!("next hops of {pairs} pairs"), pairs + 1));
        let mut channels = Vec::new();
        offsets.push(0);
        for source in 0..switches {
            let first = fabric.offsets()[source as usize];
            task::check();
            for destination in 0..switches {
                let ports = next.ports(source, destination);
                ports.for_each(|port| memory::push("next hops", &mut channels, (first + port) as i32));
                offsets.push(channels.len() as i64);
            }
        }
        (offsets, channels)
    })?;
    Ok((owned(py, offsets), owned(py, channels)))
}

/// Returns sampled pairs of switches with endpoints (of all switches if none has endpoints), int32 (n, 2).
#[pyfunction]
pub fn sample_pairs<'py>(py: Python<'py>, fabric: &Fabric, number: usize, seed: u64) -> PyResult<Matrix<'py, i32>> {
    let fabric = Arc::clone(&fabric.0);
    let pairs = interruptible(py, move || sample::pairs(&fabric, number, seed))?.or_raise(py)?;
    matrix(py, collected(py, pairs.into_iter().flat_map(|(a, b)| [a as i32, b as i32]))?, 2)
}

/// Returns the number of edge-disjoint virtual up-down paths of sampled pairs of switches, and the sum of their hops, uint32 (n, 2).
#[pyfunction]
pub fn virtual_updown_counts<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    number: usize,
    seed: u64,
) -> PyResult<Matrix<'py, u32>> {
    let fabric = Arc::clone(&fabric.0);
    let pairs = interruptible(py, {
        let fabric = Arc::clone(&fabric);
        move || sample::pairs(&fabric, number, seed)
    })?
    .or_raise(py)?;
    let counts = interruptible(py, move || virtual_updown::counts(&fabric, &pairs))?.or_raise(py)?;
    matrix(py, collected(py, counts.into_iter().flatten())?, 2)
}

/// Returns all pairs of switches with endpoints (of all switches if none has endpoints), with the lower switch first, int32 (n, 2).
#[pyfunction]
pub fn all_pairs<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<Matrix<'py, i32>> {
    let fabric = Arc::clone(&fabric.0);
    let pairs = interruptible(py, move || sample::all_pairs(&fabric))?.or_raise(py)?;
    matrix(py, collected(py, pairs.into_iter().flat_map(|(a, b)| [a as i32, b as i32]))?, 2)
}

/// Returns sampled quadruples a, b, c, d of switches, int32 (n, 4). If `number` is `None`, returns all quadruples with a < c and b < d. They
/// consist of switches with endpoints, or of any switches if none has endpoints.
#[pyfunction]
pub fn sample_quadruples<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    number: Option<usize>,
    seed: u64,
) -> PyResult<Matrix<'py, i32>> {
    let fabric = Arc::clone(&fabric.0);
    let quadruples = interruptible(py, move || match number {
        Some(number) => sample::quadruples(&fabric, number, seed),
        None => sample::all_quadruples(&fabric),
    })?
    .or_raise(py)?;
    matrix(py, collected(py, quadruples.into_iter().flatten().map(|switch| switch as i32))?, 4)
}

/// Counts disjoint paths of pairs of switches. The three arrays are the number of paths found, its upper bound, and the number of cables in
/// the smallest cut found. `pairs` = `None` means all pairs. `hops` = `None` limits paths to the length of shortest paths.
#[pyfunction]
pub fn disjoint_paths<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    pairs: Option<PyReadonlyArray2<'_, i64>>,
    hops: Option<u32>,
    exact: bool,
) -> PyResult<[Column<'py, u32>; 3]> {
    let pairs = pairs.map(|pairs| as_pairs(py, &rows(py, &pairs)?)).transpose()?;
    let fabric = Arc::clone(&fabric.0);
    let counts = interruptible(py, move || match pairs {
        Some(pairs) => tulle_analysis::disjoint_paths_within(&fabric, &pairs, limit(hops), mode(exact)),
        None => tulle_analysis::disjoint_paths_of_all(&fabric, limit(hops), mode(exact)),
    })?
    .or_raise(py)?;
    columns(py, &counts)
}

/// Counts disjoint paths between two sets of switches. The three numbers are the paths found, their upper bound, and the number of cables
/// in the smallest cut found.
#[pyfunction]
pub fn disjoint_paths_of_sets(
    py: Python<'_>,
    fabric: &Fabric,
    sources: PyReadonlyArray1<'_, i64>,
    destinations: PyReadonlyArray1<'_, i64>,
    hops: Option<u32>,
    exact: bool,
) -> PyResult<(u32, u32, u32)> {
    let from = read_ids(py, "switch", sources.as_array().iter().copied())?;
    let to = read_ids(py, "switch", destinations.as_array().iter().copied())?;
    let fabric = Arc::clone(&fabric.0);
    let work = move || tulle_analysis::disjoint_paths_of_sets(&fabric, &[(from, to)], limit(hops), mode(exact));
    let count = interruptible(py, work)?.or_raise(py)?[0];
    Ok((count.paths, count.most, count.cut))
}

/// Returns the interference of quadruples of switches, int32 (n,).
#[pyfunction]
pub fn interference<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    quadruples: PyReadonlyArray2<'_, i64>,
    hops: u32,
    exact: bool,
) -> PyResult<Column<'py, i32>> {
    let switches = rows(py, &quadruples)?;
    let fabric = Arc::clone(&fabric.0);
    let values = interruptible(py, move || {
        let quadruples: Vec<[u32; 4]> = switches.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]]).collect();
        tulle_analysis::interference(&fabric, &quadruples, hops, mode(exact))
    })?
    .or_raise(py)?;
    Ok(owned(py, values))
}

/// Returns the edge connectivity of pairs of switches, uint32 (n,). Each value comes from a maximum flow.
#[pyfunction]
pub fn edge_connectivity<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    pairs: PyReadonlyArray2<'_, i64>,
) -> PyResult<Column<'py, u32>> {
    let pairs = as_pairs(py, &rows(py, &pairs)?)?;
    let fabric = Arc::clone(&fabric.0);
    let flows = interruptible(py, move || tulle_analysis::edge_connectivity(&fabric, &pairs))?.or_raise(py)?;
    Ok(owned(py, flows))
}

/// Returns the equivalent-flow tree, int32 (S − 1, 3). A row has a switch, its parent and the flow between them. The first switch has no
/// row.
#[pyfunction]
pub fn flow_tree<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<Matrix<'py, i32>> {
    let fabric = Arc::clone(&fabric.0);
    let tree = interruptible(py, move || FlowTree::of(&fabric))?.or_raise(py)?;
    let edges = tree.edges().flat_map(|(switch, above, flow)| [switch as i32, above as i32, flow as i32]);
    matrix(py, collected(py, edges)?, 3)
}

/// Returns the connectivity of pairs of switches, as the rank of a matrix (FatPaths App. B-C), uint32 (n,). `hops` = `None` means that
/// paths may have any length.
#[pyfunction]
pub fn rank_connectivity<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    pairs: PyReadonlyArray2<'_, i64>,
    hops: Option<u32>,
    vertices: bool,
    seed: u64,
) -> PyResult<Column<'py, u32>> {
    let pairs = as_pairs(py, &rows(py, &pairs)?)?;
    let fabric = Arc::clone(&fabric.0);
    let kind = if vertices { Disjoint::Vertices } else { Disjoint::Edges };
    let work = move || tulle_analysis::rank_connectivity(&fabric, &pairs, hops, kind, seed);
    Ok(owned(py, interruptible(py, work)?.or_raise(py)?))
}

fn rows(py: Python<'_>, rows: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<u32>> {
    let length = rows.as_array().ncols();
    if ![2, 4].contains(&length) {
        return Err(errors::input(py, &format!("each row has {length} switches; legal: 2 or 4")));
    }
    read_ids(py, "switch", rows.as_array().iter().copied())
}

fn as_pairs(py: Python<'_>, switches: &[u32]) -> PyResult<Vec<(u32, u32)>> {
    collected(py, switches.chunks_exact(2).map(|pair| (pair[0], pair[1])))
}

fn mode(exact: bool) -> Mode {
    if exact { Mode::Exact } else { Mode::Greedy }
}

fn limit(hops: Option<u32>) -> Limit {
    hops.map_or(Limit::Shortest, Limit::Hops)
}

fn columns<'py>(py: Python<'py>, counts: &[Count]) -> PyResult<[Column<'py, u32>; 3]> {
    let part = |part: fn(&Count) -> u32| column(py, counts.iter().map(part));
    Ok([part(|count| count.paths)?, part(|count| count.most)?, part(|count| count.cut)?])
}
