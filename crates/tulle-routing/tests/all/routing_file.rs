//! Tests routing files: written files can be read, and damaged or forged files are refused.

use std::path::PathBuf;

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing, verify, verify_paths};

/// Returns the folder for temporary files. It is in memory if possible, because the tests write thousands of files.
fn folder() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// A temporary file for one test. It is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(folder().join(format!("tulle-{}-{name}.routing", std::process::id())))
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).unwrap()
    }

    /// Loads a routing from these bytes. An error message must be one line that begins with the path of the file. The function returns the
    /// message without this path.
    fn load(&self, bytes: &[u8], fabric: &Fabric) -> Result<Routing, String> {
        std::fs::write(&self.0, bytes).unwrap();
        let told = |error: Error| {
            let text = error.to_string();
            assert!(!text.contains('\n'), "{text}");
            text.strip_prefix(&format!("{}: ", self.0.display())).expect("errors begin with the path").to_owned()
        };
        Routing::load(&self.0, fabric).map_err(told)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Updates the checksum at the end of `bytes`.
fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

/// Writes `routing` of `fabric` to a file, and returns its bytes.
fn file(scratch: &Scratch, fabric: &Fabric, routing: &str) -> Vec<u8> {
    tulle_routing::build(fabric, routing, 1).unwrap().save(fabric, &scratch.0).unwrap();
    scratch.bytes()
}

/// Returns the position of the header's JSON text in the file. The first column follows the header.
fn header(bytes: &[u8]) -> std::ops::Range<usize> {
    16..16 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize
}

#[test]
fn every_scheme_reads_back() {
    let scratch = Scratch::new("back");
    let fabrics = [
        "fattree:levels=3,radix=4",
        "flattenedclos:switches=30,ports=12",
        "slimfly:q=5",
        "mlfm:h=3",
        "clique:degree=1",
        // With more than 256 neighbours, port numbers take two bytes.
        "clique:degree=270",
    ];
    for spec in fabrics {
        let fabric = tulle_topologies::build(spec, 1).unwrap();
        for scheme in tulle_routing::schemes() {
            for routing in scheme.info.examples {
                if fabric.num_switches() > 100 && !["minimal", "ksp:k=1"].contains(routing) {
                    continue;
                }
                let Ok(routing) = tulle_routing::build(&fabric, routing, 1) else { continue };
                routing.save(&fabric, &scratch.0).unwrap();
                let bytes = scratch.bytes();
                assert_eq!(Routing::load(&scratch.0, &fabric).unwrap(), routing, "{spec}");
                routing.save(&fabric, &scratch.0).unwrap();
                assert_eq!(scratch.bytes(), bytes, "the same bytes again");
            }
        }
    }
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let beside = format!(".tulle-{}-back.routing.", std::process::id());
    assert!(names.filter(|name| name.to_string_lossy().starts_with(&beside)).count() == 0, "nothing is left beside");
}

#[test]
fn damage_is_found() {
    let scratch = Scratch::new("damage");
    let fabric = tulle_topologies::build("fattree:levels=2,radix=4", 1).unwrap();
    for routing in ["minimal", "ksp:k=3"] {
        let good = file(&scratch, &fabric, routing);
        for length in 0..good.len() {
            let error = scratch.load(&good[..length], &fabric).unwrap_err();
            assert!(error.contains("truncated") || error.contains("is not a routing file"), "{length}: {error}");
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(scratch.load(&bad, &fabric).is_err(), "bit {bit} of byte {at}");
            }
        }
        let longer = [&good[..], b"\0"].concat();
        assert!(scratch.load(&longer, &fabric).unwrap_err().contains("damaged"));
    }
}

#[test]
fn forged_files_load_only_where_they_are_sound() {
    let scratch = Scratch::new("forged");
    let fabric = tulle_topologies::build("fattree:levels=2,radix=4", 1).unwrap();
    for routing in ["minimal", "ksp:k=3", "random:layers=2,rho=0.9"] {
        let good = file(&scratch, &fabric, routing);
        let (mut sound, mut refused) = (0, 0);
        for at in 8..good.len() - 4 {
            for change in [1, 2, 4, 128, 255] {
                let mut forged = good.clone();
                forged[at] ^= change;
                seal(&mut forged);
                match scratch.load(&forged, &fabric) {
                    Err(_) => refused += 1,
                    Ok(routing) => {
                        sound += 1;
                        for table in routing.layers() {
                            verify(&fabric, table).unwrap();
                        }
                        routing.path_set().map_or(Ok(()), |paths| verify_paths(&fabric, paths)).unwrap();
                    }
                }
            }
        }
        // Some changes give another valid file, for example if they change one letter of a name, or the port of a next hop.
        assert!(sound > 0 && refused > sound, "{routing}: {sound} damaged files were accepted, {refused} were refused");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let scratch = Scratch::new("errors");
    let fabric = tulle_topologies::build("clique:degree=3", 1).unwrap();
    let paths = file(&scratch, &fabric, "ksp:k=2");
    let tables = file(&scratch, &fabric, "minimal");
    let fails = |bytes: &[u8], fragment: &str| {
        let mut bytes = bytes.to_vec();
        seal(&mut bytes);
        let error = scratch.load(&bytes, &fabric).unwrap_err();
        assert!(error.contains(fragment), "{fragment}: {error}");
    };
    let with = |bytes: &[u8], at: usize, value: u8| {
        let mut bytes = bytes.to_vec();
        bytes[at] = value;
        bytes
    };
    fails(b"PK\x03\x04 something else altogether", "is not a routing file: its first bytes differ");
    fails(&with(&paths, 8, 2), "has format version 2; legal: 1");
    fails(&with(&paths, 15, 9), "has a header of 1509");
    fails(&with(&paths, 16, b'['), "has a header that cannot be read: ");
    let columns = header(&paths).end;
    // The first column has the number of paths of each of the sixteen pairs: two, or none from a switch to itself. The second column has
    // the number of hops of each of the 24 paths: one for the first path of a pair, two for the second path. The third column has ports.
    fails(&with(&paths, columns, 1), "has columns that do not fit together");
    fails(&with(&paths, columns + 16, 2), "has columns that do not fit together");
    fails(&with(&paths, columns + 16 + 24, 1), "path 0 from switch 0 to 1 ends at switch 2");
    fails(&with(&paths, columns + 16 + 24, 3), "path 0 from switch 0 to 1 takes port 3 of switch 0");
    let columns = header(&tables).end;
    fails(&with(&tables, columns + 4 + 1, 3), "layer 0: switch 0 has group 3 toward 1; legal: below 3");
    // Switch 0 forwards to switch 1 over switch 2, and switch 2 forwards to switch 1 over switch 0.
    let around = with(&with(&tables, columns + 4 + 1, 1), columns + 4 + 2 * 4 + 1, 0);
    fails(&around, "layer 0: packets toward 1 can loop through switch 0");
    fails(&with(&tables, columns, 1), "layer 0: has fewer port sets");
    fails(&[&tables[..tables.len() - 4], &[7; 5]].concat(), "has 1 more bytes after its last column");
    let header = std::str::from_utf8(&paths[header(&paths)]).unwrap().to_owned();
    let with_header = |from: &str, to: &str| {
        let text = header.replacen(from, to, 1);
        assert_ne!(text, header);
        let length = (text.len() as u32).to_le_bytes();
        [&paths[..12], &length, text.as_bytes(), &paths[16 + header.len()..]].concat()
    };
    fails(&with_header("ksp:k=2", "ksp\\n:k=2"), "has the spec 'ksp\\n:k=2'; legal: one line");
    fails(&with_header("\"width\":1", "\"width\":3"), "has a column 'paths' of width 3; legal: 1, 2 or 4");
    fails(
        &with_header("\"count\":16", "\"count\":18446744073709551615"),
        "for column 'paths' of 18446744073709551615 numbers",
    );
    fails(
        &with_header("\"paths\",\"columns\"", "\"layers\",\"columns\""),
        "layer 0: has other columns than sets, set-ports",
    );
    fails(&with_header("\"spec\"", "\"spce\""), "unknown field `spce`");
    let other = tulle_topologies::build("hypercube:dimensions=2", 1).unwrap();
    let error = scratch.load(&paths, &other).unwrap_err();
    assert!(error.starts_with("is a routing of clique:degree=3,p=3 (hash "), "{error}");
    assert!(error.contains(", not of hypercube:dimensions=2"), "{error}");
    let gone = Routing::load(&scratch.0.with_extension("gone"), &fabric).unwrap_err();
    assert!(matches!(gone, Error::File { .. }) && !gone.to_string().contains('\n'));
    let nowhere = tulle_routing::build(&fabric, "minimal", 0).unwrap().save(&fabric, &scratch.0.join("below/a/file"));
    assert!(matches!(nowhere, Err(Error::File { .. })));
}
