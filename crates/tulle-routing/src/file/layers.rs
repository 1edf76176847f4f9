//! Reads the columns of layers.

use std::collections::HashSet;

use rayon::prelude::*;
use tulle_fabric::Fabric;

use super::columns::{Column, named};
use super::{LAYER, SHARES};
use crate::table::verify_shares;
use crate::{NO_GROUP, Table, TableBuilder, verify};

pub(super) fn read_layers(columns: &[Column], fabric: &Fabric) -> Result<Vec<Table>, String> {
    if columns.is_empty() {
        return Err("has no layers; legal: 1 or more".to_owned());
    }
    let layers: Vec<(usize, &[Column])> = columns.chunk_by(|_, next| next.name != LAYER[0]).enumerate().collect();
    let read = |&(layer, columns): &(usize, &[Column])| {
        let told = |problem: String| format!("layer {layer}: {problem}");
        let table = read_layer(columns, fabric).map_err(told)?;
        verify(fabric, &table).map_err(|flaw| told(flaw.to_string()))?;
        Ok(table)
    };
    // All results are collected first, so that the error always names the first wrong layer, regardless of the order in which threads
    // finish.
    let layers = layers.par_iter().map(read).collect::<Vec<Result<Table, String>>>();
    let layers: Vec<Table> = layers.into_iter().collect::<Result<_, _>>()?;
    verify_shares(&layers)?;
    Ok(layers)
}

/// A set of ports, and their shares if the file stores shares.
struct Set<'a> {
    ports: &'a [u16],
    shares: Vec<u8>,
}

fn read_layer(columns: &[Column], fabric: &Fabric) -> Result<Table, String> {
    let is_weighted = columns.len() > LAYER.len();
    let (columns, shares) = columns.split_at_checked(LAYER.len()).unwrap_or((columns, &[]));
    let [sets, sizes, ports, groups] = named(columns, LAYER)?;
    let switches = fabric.num_switches();
    if sets.values().len() != switches || groups.values().len() != switches * switches {
        let (lists, entries) = (sets.values().len(), groups.values().len());
        return Err(format!(
            "has {lists} lists of ports and {entries} table entries; legal: {switches} lists and {} entries, for {switches} switches",
            switches * switches
        ));
    }
    let ports = ports.ports()?;
    if !is_weighted {
        let sets = read_sets(fabric, sets, sizes, &ports, None)?;
        return table(fabric, &sets, groups);
    }
    let [port_shares, layer_shares] = named(shares, SHARES)?;
    let sets = read_sets(fabric, sets, sizes, &ports, Some(port_shares))?;
    let layer_shares = bytes(layer_shares)?;
    if layer_shares.len() != switches * switches {
        return Err(format!("has {} shares of pairs; legal: {}", layer_shares.len(), switches * switches));
    }
    let table = table(fabric, &sets, groups)?;
    let groups: Vec<u32> = groups.values().collect();
    Ok(table.weighted(|row| {
        let (switch, degree) = (row.switch as usize, fabric.degree(row.switch));
        for destination in row.destinations() {
            let at = switch * switches + destination as usize;
            row.set_layer_share(destination, layer_shares[at]);
            if let Some(set) = (groups[at] as usize).checked_sub(degree) {
                let set = &sets[switch][set];
                row.set(destination, set.ports.to_vec(), set.shares.clone());
            }
        }
    }))
}

/// Returns the port sets of every switch.
fn read_sets<'a>(
    fabric: &Fabric,
    sets: &Column,
    sizes: &Column,
    ports: &'a [u16],
    shares: Option<&Column>,
) -> Result<Vec<Vec<Set<'a>>>, String> {
    let shares = shares.map(bytes).transpose()?;
    if shares.as_ref().is_some_and(|shares| shares.len() != ports.len() || shares.contains(&0)) {
        return Err(format!("has wrong port shares; legal: {} numbers from 1 to 255", ports.len()));
    }
    let (mut sizes, mut at) = (sizes.values(), 0);
    let mut all = Vec::with_capacity(fabric.num_switches());
    for (switch, count) in (0..fabric.num_switches() as u32).zip(sets.values()) {
        let degree = fabric.degree(switch);
        let groups = degree + count as usize;
        if groups > usize::from(NO_GROUP) {
            return Err(format!("switch {switch} has {groups} groups; legal: at most {NO_GROUP}"));
        }
        let (mut own, mut seen) = (Vec::with_capacity(count as usize), HashSet::new());
        for _ in 0..count {
            let size = sizes.next().ok_or("has fewer port sets than its switches declare")? as usize;
            let set = ports.get(at..at + size).ok_or("has fewer ports than its sets declare")?;
            let shares = shares.as_ref().map_or_else(Vec::new, |shares| shares[at..at + size].to_vec());
            at += size;
            let legal = size > 1 && set.is_sorted_by(|a, b| a < b) && usize::from(set[size - 1]) < degree;
            if !legal || !seen.insert((set, shares.clone())) {
                return Err(format!(
                    "switch {switch} has the set of ports {set:?}; legal: two or more ports below {degree}, ascending; no set twice"
                ));
            }
            own.push(Set { ports: set, shares });
        }
        all.push(own);
    }
    if sizes.len() > 0 || at != ports.len() {
        return Err("has more port sets than its switches declare, or more ports than its sets declare".to_owned());
    }
    Ok(all)
}

/// Returns the table with these `groups`. All ports have equal shares.
fn table(fabric: &Fabric, sets: &[Vec<Set>], groups: &Column) -> Result<Table, String> {
    let mut builder = TableBuilder::new(fabric);
    let mut groups = groups.values();
    for (switch, sets) in (0..fabric.num_switches() as u32).zip(sets) {
        let degree = fabric.degree(switch);
        // If the file has no shares, the sets are added before the entries, so that groups get the same numbers as in the file.
        sets.iter().filter(|set| set.shares.is_empty()).for_each(|set| builder.add_set(switch, set.ports));
        for destination in 0..fabric.num_switches() as u32 {
            let group = groups.next().ok_or("has too few groups")? as usize;
            if destination == switch {
                continue;
            }
            if group < degree {
                builder.set(switch, destination, &[group as u16]);
                continue;
            }
            let most = degree + sets.len();
            let set = sets.get(group - degree).ok_or_else(|| {
                format!("switch {switch} has group {group} toward {destination}; legal: below {most}")
            })?;
            builder.set(switch, destination, set.ports);
        }
    }
    Ok(builder.finish())
}

fn bytes(column: &Column) -> Result<Vec<u8>, String> {
    let bytes: Result<Vec<u8>, _> = column.values().map(u8::try_from).collect();
    bytes.map_err(|_| format!("has a number beyond 255 in column '{}'", column.name))
}
