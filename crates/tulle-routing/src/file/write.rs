//! Writes routing files.

use std::io::{self, Write};
use std::path::Path;

use tulle_base::files::Replacement;
use tulle_fabric::Fabric;

use super::{Form, Header, LAYER, MAGIC, PATHS, SHARES, Shape, VERSION, structural_hash};
use crate::{Error, NO_GROUP, PathSet, Routes, Routing, Table};

/// Writes `routing` of `fabric` to the file `path`.
pub(crate) fn save(routing: &Routing, fabric: &Fabric, path: &Path) -> Result<(), Error> {
    let file = Replacement::new(path, |out| encode(routing, fabric, out));
    file.and_then(Replacement::put).map_err(|source| Error::File { path: path.to_owned(), source })
}

/// Returns the bytes that [`save`] writes.
pub(crate) fn to_bytes(routing: &Routing, fabric: &Fabric) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(routing, fabric, &mut bytes).expect("memory takes what is written");
    bytes
}

fn encode(routing: &Routing, fabric: &Fabric, out: &mut dyn Write) -> io::Result<()> {
    let (form, columns) = match routing.routes() {
        Routes::Paths(paths) => (Form::Paths, path_columns(paths).to_vec()),
        Routes::Layers(layers) => (Form::Layers, layers.iter().flat_map(layer_columns).collect()),
    };
    let header = Header {
        spec: routing.spec().to_owned(),
        fabric: fabric.spec().to_owned(),
        fabric_hash: format!("{:016x}", structural_hash(fabric)),
        switches: fabric.num_switches() as u64,
        form,
        columns: columns.iter().map(Column::shape).collect(),
    };
    write(&header, &columns, out)
}

fn write(header: &Header, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_vec(header)?;
    let mut out = Hashed { out, hasher: crc32fast::Hasher::new() };
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(&json)?;
    for (column, shape) in columns.iter().zip(&header.columns) {
        column.write(shape.width, &mut out)?;
    }
    let checksum = out.hasher.finalize();
    out.out.write_all(&checksum.to_le_bytes())
}

/// A column of the file.
#[derive(Clone, Copy)]
struct Column<'a> {
    name: &'static str,
    values: Values<'a>,
}

/// The numbers that a column stores, with the path set or table that contains them.
#[derive(Clone, Copy)]
enum Values<'a> {
    PathsPerPair(&'a PathSet),
    HopsPerPath(&'a PathSet),
    Ports(&'a PathSet),
    SetsPerSwitch(&'a Table),
    PortsPerSet(&'a Table),
    SetPorts(&'a Table),
    Groups(&'a Table),
    PortShares(&'a Table),
    LayerShares(&'a Table),
}

fn path_columns(paths: &PathSet) -> [Column<'_>; 3] {
    let values = [Values::PathsPerPair(paths), Values::HopsPerPath(paths), Values::Ports(paths)];
    std::array::from_fn(|at| Column { name: PATHS[at], values: values[at] })
}

fn layer_columns(table: &Table) -> Vec<Column<'_>> {
    let values =
        [Values::SetsPerSwitch(table), Values::PortsPerSet(table), Values::SetPorts(table), Values::Groups(table)];
    let shares = [Values::PortShares(table), Values::LayerShares(table)];
    let columns = LAYER.into_iter().zip(values);
    let shares = SHARES.into_iter().zip(shares).filter(|_| table.is_weighted());
    columns.chain(shares).map(|(name, values)| Column { name, values }).collect()
}

impl<'a> Column<'a> {
    /// Returns the shape of this column. The width is the smallest one that is large enough for all numbers of the column.
    fn shape(&self) -> Shape {
        let (mut largest, mut count) = (0, 0);
        for value in self.values() {
            largest = value.max(largest);
            count += 1;
        }
        let width = match largest {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        };
        Shape { name: self.name.to_owned(), width, count }
    }

    fn write(&self, width: u8, out: &mut impl Write) -> io::Result<()> {
        const BLOCK: usize = 1 << 16;
        let mut block = Vec::with_capacity(BLOCK + 4);
        for value in self.values() {
            block.extend_from_slice(&value.to_le_bytes()[..usize::from(width)]);
            if block.len() >= BLOCK {
                out.write_all(&block)?;
                block.clear();
            }
        }
        out.write_all(&block)
    }

    fn values(&self) -> Box<dyn Iterator<Item = u32> + 'a> {
        fn sets(table: &Table) -> impl Iterator<Item = &[u16]> {
            (0..table.num_switches() as u32).flat_map(|switch| table.sets(switch))
        }
        match self.values {
            Values::PathsPerPair(paths) => Box::new(paths.paths_per_pair()),
            Values::HopsPerPath(paths) => Box::new(paths.hops_per_path()),
            Values::Ports(paths) => Box::new(paths.all_ports().iter().map(|&port| u32::from(port))),
            Values::SetsPerSwitch(table) => {
                Box::new((0..table.num_switches() as u32).map(|switch| table.sets(switch).count() as u32))
            }
            Values::PortsPerSet(table) => Box::new(sets(table).map(|ports| ports.len() as u32)),
            Values::SetPorts(table) => Box::new(sets(table).flatten().map(|&port| u32::from(port))),
            Values::PortShares(table) => {
                Box::new((0..table.num_switches() as u32).flat_map(|switch| table.set_shares(switch)).map(u32::from))
            }
            Values::LayerShares(table) => Box::new((0..table.num_switches() as u32).flat_map(move |source| {
                let destinations = 0..table.num_switches() as u32;
                destinations.map(move |destination| match destination == source {
                    true => 0,
                    false => table.layer_share(source, destination).into(),
                })
            })),
            // The group of a switch toward itself is always [`NO_GROUP`]. It is stored as 0, because the large number [`NO_GROUP`] would
            // make the column wider.
            Values::Groups(table) => Box::new((0..table.num_switches() as u32).flat_map(move |switch| {
                table.row(switch).iter().enumerate().map(move |(destination, &group)| {
                    if destination == switch as usize && group == NO_GROUP { 0 } else { u32::from(group) }
                })
            })),
        }
    }
}

/// A writer that passes bytes to another writer and updates the checksum.
struct Hashed<'a> {
    out: &'a mut dyn Write,
    hasher: crc32fast::Hasher,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
