//! A router model as short as can be: one file, and one line in `router.rs`.

use tulle_spec::plugin;

use super::virtual_cut_through::VirtualCutThrough;
use super::{Builds, Lanes, Model};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy {
        lanes: Lanes;
    }
    name: "toy",
    summary: "the switch of diameter-two",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:vcs=2"],
    rejects: [("toy:vcs=0", "vcs=0 is out of range; legal: 1 to 16")],
}

impl Builds for Toy {
    fn model(&self) -> Model {
        Model::VirtualCutThrough(VirtualCutThrough::preset(self.lanes))
    }
}

#[test]
fn it_is_registered_by_its_line() {
    let config = crate::Config { router: "toy".to_owned(), ..crate::Config::default() };
    assert!(crate::resolve(&config).is_ok());
    assert!(super::routers().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_fabric::build("clique:degree=3,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let traffic = crate::Traffic::new(&fabric, "uniform", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &traffic, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().accepted > 0.0);
}
