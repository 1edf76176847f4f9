//! A minimal policy for tests. It shows what a new policy needs: one file, and one line in `policy.rs`.

use tulle_spec::plugin;

use super::{Kind, PolicyPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy {}
    name: "toy",
    summary: "one class of virtual channels per hop, all of them used",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy"],
    rejects: [("toy:spare=idle", "unknown parameter")],
}

impl PolicyPlugin for Toy {
    fn kind(&self) -> Kind {
        Kind::Hops { spare: true }
    }
}

#[test]
fn one_line_registers_it() {
    let config = crate::Config { policy: "toy".to_owned(), ..crate::Config::default() };
    assert_eq!(crate::resolve(&config).unwrap().policy, "toy");
    assert!(super::policies().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("clique:degree=3,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let traffic = crate::Traffic::new(&fabric, "uniform", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &traffic, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().accepted > 0.0);
}
