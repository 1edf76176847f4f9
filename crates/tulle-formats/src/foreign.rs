//! Formats that networkx reads. The Python package registers a converter, which returns a graph as networkx's JSON.

use std::path::Path;
use std::sync::OnceLock;

use super::Format;
use super::listing::{Listing, Order};
use super::node_link;
use super::text::Text;
use tulle_fabric::Error;

/// A function that reads a file of a format and returns its graph as `node-link` JSON, or a one-line error.
pub type Converter = fn(&Path, &str) -> Result<String, String>;

static CONVERTER: OnceLock<Converter> = OnceLock::new();

/// Registers the converter for the lifetime of the process.
pub fn convert_with(converter: Converter) {
    // The registered converter is always the same function. So a failure of `set`, which means that a converter is already registered, is
    // ignored.
    let _ = CONVERTER.set(converter);
}

macro_rules! foreign {
    ($($constant:ident $word:literal, $name:literal, $($extension:literal),+;)*) => {
        $(pub const $constant: Format =
            Format::read_only($word, $name, &[$($extension),+], |text| read(text, $word));)*
    };
}

foreign! {
    GML "gml", "GML", "gml";
    GEXF "gexf", "GEXF", "gexf";
    PAJEK "pajek", "Pajek", "net", "paj";
    GRAPH6 "graph6", "graph6", "g6";
    SPARSE6 "sparse6", "sparse6", "s6";
    MULTILINE "multiline-adjacency-list", "multiline adjacency list", "madj";
}

fn read(text: &Text, word: &str) -> Result<Listing, Error> {
    let convert = CONVERTER.get().ok_or_else(|| {
        text.error(format!(
            "format {word} can be read only with networkx, from Python; legal: the tulle package, or another format"
        ))
    })?;
    let json = convert(&text.path, word).map_err(|problem| text.error(problem))?;
    let graph = Text { path: text.path.clone(), content: json, keep_aggregation: false };
    // The error has no position, because positions in the converted text differ from positions in the file.
    let mut listing = node_link::read(&graph).map_err(|error| match error {
        Error::Format { problem, .. } => text.error(problem),
        other => other,
    })?;
    if word == MULTILINE.word {
        // A multiline adjacency list does not state whether its graph is directed.
        listing.order = Order::Maybe;
    }
    listing.sort_by_name();
    Ok(listing)
}
