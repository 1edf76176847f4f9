//! Creates folders for tests, and graph files in them.

use std::fs;
use std::path::{Path, PathBuf};

use tulle_fabric::{Error, Fabric};
use tulle_topologies::build;

/// Returns an empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn read(edges: &Path, nodes: Option<&Path>) -> Result<Fabric, Error> {
    let nodes = nodes.map(|nodes| format!(",nodes=\"{}\"", nodes.display())).unwrap_or_default();
    build(&format!("file:edges=\"{}\"{nodes}", edges.display()), 0)
}
