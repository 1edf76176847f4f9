//! A minimal traffic pattern for tests. It shows what a new pattern needs: one file, and one line in `traffic.rs`.

use tulle_spec::plugin;

use super::kinds::{Kind, TrafficPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy {}
    name: "toy",
    summary: "every packet goes to another endpoint",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy"],
    rejects: [("toy:self=no", "unknown parameter")],
}

impl TrafficPlugin for Toy {
    fn kind(&self) -> Kind {
        Kind::Uniform { to_self: false }
    }
}

#[test]
fn one_line_registers_it() {
    assert_eq!(super::canonical_traffic("toy").unwrap(), "toy");
    assert!(super::traffics().iter().any(|info| info.name == "toy" && info.fault().is_none()));
}
