//! All shortest next hops, in one layer.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::shortest::all_next_hops;
use crate::{Error, Routes, TableBuilder};

plugin! {
    pub struct Minimal {}
    name: "minimal",
    summary: "one layer of all shortest next hops, as OSPF with ECMP installs them",
    paper: "FatPaths §VII-A3 (the ECMP baseline); diameter-two §3.1",
    limitations: "Low-diameter fabrics have mostly one shortest path per pair: it exposes no others.",
    examples: ["minimal"],
    rejects: [("minimal:layers=2", "it takes none")],
}

impl Scheme for Minimal {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        let links = LayerLinks::all(fabric);
        let distances = connected_distances(&Minimal::INFO, fabric, &links)?;
        let mut builder = TableBuilder::new(fabric);
        all_next_hops(&mut builder, &links, &distances);
        Ok(Routes::Layers(vec![builder.finish()]))
    }
}
