//! Tests that errors are one line with the value and the legal range, and that the accepted and rejected example specs
//! of every plug-in behave as declared.

use crate::support::{fabric, run};
use tulle_flit::{Config, Traffic, policies, resolve, routers, selectors};

fn refused(spec: &str, routing: &str, config: Config) -> String {
    let fabric = fabric(spec);
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    let traffic = Traffic::new(&fabric, "uniform", 0).unwrap();
    let error = run(&fabric, &routing, &traffic, &config).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn examples_are_legal_and_rejects_are_not() {
    let base = Config::default;
    let routers = routers().into_iter().map(|info| (info, 0));
    let selectors = selectors().into_iter().map(|info| (info, 1));
    let policies = policies().into_iter().map(|info| (info, 2));
    for (info, kind) in routers.chain(selectors).chain(policies) {
        let with = |spec: &str| match kind {
            0 => Config { router: spec.to_owned(), ..base() },
            1 => Config { selector: spec.to_owned(), ..base() },
            _ => Config { policy: spec.to_owned(), ..base() },
        };
        for example in info.examples {
            let resolved = resolve(&with(example)).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert_eq!(resolve(&resolved).unwrap(), resolved, "{example}");
        }
        for (reject, fragment) in info.rejects {
            let error = resolve(&with(reject)).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{reject}: {error}");
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let base = Config::default;
    for (config, expected) in [
        (Config { load: 1.5, ..base() }, "load=1.5 is out of range; legal: 0 to 1"),
        (Config { load: f64::NAN, ..base() }, "load=NaN is not a fraction; legal: 0 to 1"),
        (Config { packet: 0, ..base() }, "packet=0 is out of range; legal: 1 to 1024"),
        (Config { threads: 0, ..base() }, "threads=0 is out of range; legal: 1 to 256"),
        (Config { window: 0, ..base() }, "window=0 is out of range"),
        (Config { class_latency: vec![("up".to_owned(), 3)], ..base() }, "class_latency=up is not a channel class"),
        (Config { router: "input-queued:vcs=0".to_owned(), ..base() }, "vcs=0 is out of range; legal: 1 to 16"),
        (Config { router: "diameter-two".to_owned(), link_latency: 0, ..base() }, "link_latency=0 is too short"),
        (
            Config { router: "virtual-cut-through:buffer=3".to_owned(), packet: 4, ..base() },
            "packet=4 is more than the 3 flits of a buffer, which holds whole packets; legal: 1 to 3",
        ),
        (Config { router: "input-queued:vcs=1".to_owned(), ..base() }, "needs 2 virtual channels"),
        (
            Config { selector: "par:via=layer".to_owned(), policy: "plan:hops".to_owned(), ..base() },
            "policy 'plan:hops' assigns virtual channels to whole paths, but packets change to another layer at their second switch; legal: selector ugal:via=layer; or policy hops, phases or crossings",
        ),
        (Config { selector: "par".to_owned(), ..base() }, "for other fabrics ugal:via=switch or par:via=layer"),
        (Config { policy: "plan:one-vc".to_owned(), ..base() }, "can deadlock"),
        (Config { policy: "free".to_owned(), ..base() }, "can deadlock"),
        (Config { selector: "valiant".to_owned(), policy: "plan:hops".to_owned(), ..base() }, "plans for one phase"),
        (Config { selector: "dimension-order".to_owned(), ..base() }, "no dimension leads from switch"),
    ] {
        let error = refused("slimfly:q=3", "minimal", config);
        assert!(error.contains(expected), "{error} lacks {expected}");
    }
    let error = refused("clique:degree=3,p=254", "minimal", base());
    assert!(error.contains("has 257 ports; legal: at most 256"), "{error}");
    let error = refused("slimfly:q=3", "ksp:k=2", base());
    assert!(error.contains("which is a path set; legal: random, round-robin, ksp-ugal, ksp-adaptive; or a"), "{error}");
}

#[test]
fn small_buffers_give_a_warning() {
    let fabric = fabric("slimfly:q=3");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    let traffic = Traffic::new(&fabric, "uniform", 0).unwrap();
    let with =
        |buffer| Config { router: format!("input-queued:vcs=2,buffer={buffer}"), window: 100, ..Config::default() };
    let outcome = run(&fabric, &routing, &traffic, &with(24)).unwrap();
    assert!(outcome.warnings[0].contains("that needs 25 flits"), "{:?}", outcome.warnings);
    assert!(run(&fabric, &routing, &traffic, &with(25)).unwrap().warnings.is_empty());
}
