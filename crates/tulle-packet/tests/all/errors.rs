//! Registries and errors: every example works, and every illegal input gives an error of one line.

use std::ops::ControlFlow;

use crate::support::{flows, layers, minimal, row, run};
use tulle_fabric::Fabric;
use tulle_packet::{Config, default_selector, nics, queues, resolve, selectors, simulate, transports};
use tulle_routing::Routing;
use tulle_spec::Info;
use tulle_traffic::Workload;

fn error(fabric: &Fabric, routing: &Routing, workload: &Workload, config: &Config) -> String {
    let error = simulate(fabric, routing, workload, config, &mut |_| ControlFlow::Continue(())).unwrap_err();
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

/// A registry: the descriptions of its plug-ins, and a function that returns a configuration with the plug-in of a spec.
type Registry = (Vec<&'static Info>, fn(&str) -> Config);

fn registries() -> [Registry; 4] {
    [
        (transports(), |spec| Config { transport: spec.to_owned(), ..Config::default() }),
        (selectors(), |spec| Config { selector: spec.to_owned(), ..Config::default() }),
        (queues(), |spec| Config { queue: spec.to_owned(), ..Config::default() }),
        (nics(), |spec| Config { nic: spec.to_owned(), ..Config::default() }),
    ]
}

#[test]
fn examples_work_and_rejects_are_refused() {
    let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=3,rho=0.8", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=200KB", 0).unwrap();
    for (infos, config) in registries() {
        for info in infos {
            assert!(!info.examples.is_empty() && !info.rejects.is_empty() && !info.paper.is_empty(), "{}", info.name);
            for example in info.examples {
                assert!(run(&fabric, &routing, &workload, &config(example)).complete, "{example}");
            }
            for (spec, fragment) in info.rejects {
                let error = error(&fabric, &routing, &workload, &config(spec));
                assert!(error.contains(fragment), "{spec}: {error}");
            }
        }
        let error = error(&fabric, &routing, &workload, &config("nonsense"));
        assert!(error.starts_with("unknown ") && error.contains("'nonsense'; legal: "), "{error}");
    }
}

/// Canonical specs contain every parameter, and resolving them again does not change them.
#[test]
fn canonical_specs_hold_every_parameter() {
    for (infos, config) in registries() {
        for info in infos {
            for example in info.examples {
                let given = config(example);
                let resolved = resolve(&given).unwrap();
                assert_eq!(resolve(&resolved).unwrap(), resolved, "{example}");
                let specs = [&resolved.transport, &resolved.selector, &resolved.queue, &resolved.nic];
                let spec = specs.into_iter().find(|spec| spec.split(':').next() == Some(info.name)).unwrap();
                let given = example.split_once(':').map_or("", |(_, parameters)| parameters);
                for parameter in given.split(',').filter(|text| !text.is_empty()) {
                    let name = parameter.split('=').next().unwrap();
                    assert!(spec.contains(&format!("{name}=")), "{example}: {spec}");
                }
            }
        }
    }
    let of = |config: Config| resolve(&config).unwrap();
    let resolved = of(Config { queue: "trim".to_owned(), ..Config::default() });
    assert_eq!(resolved.queue, "trim:packets=8,headers=1125,weight=100");
    assert_eq!(resolved.transport, "purified:window=8,timeout=7200us,pace=0.99,priority=yes,change=yes");
    assert_eq!(resolved.selector, "recycle:buffer=8,candidates=4,bias=3,full=2,hop=1,slow=1.2,failed=4");
    assert_eq!(["mptcp", "dcqcn"].map(|name| default_selector(name).unwrap()), ["recycle", "flowlet"]);
    let fast = Config { rate: 100_000_000_000, transport: "ndp".to_owned(), ..Config::default() };
    assert_eq!(of(fast).transport, "ndp:window=30,timeout=1ms,pace=0.99");
    let pfc = Config { queue: "pfc:threshold=testbed".to_owned(), ..Config::default() };
    assert_eq!(
        of(pfc).queue,
        "pfc:threshold=static,xoff=50KB,xon=47KB,headroom=29500B,control=first,mark=yes,kmin=5KB,kmax=200KB,pmax=0.01"
    );
}

/// Every numeric parameter accepts the minimum and maximum of its documented range, and no larger value.
#[test]
fn numbers_are_legal_within_their_documented_range() {
    let mut tried = 0;
    for (infos, config) in registries() {
        for info in infos {
            for parameter in info.parameters {
                let legal = parameter.kind.plain().to_string();
                let Some((least, most)) = legal.split_once(" to ").filter(|(_, most)| !most.contains(' ')) else {
                    continue;
                };
                let with = |value: &str| resolve(&config(&format!("{}:{}={value}", info.name, parameter.name)));
                for end in [least, most] {
                    // An error for a value in the documented range has one of two reasons: the parameter needs another parameter, or the
                    // legal range is narrower than documented. In the second case, the parameter has a note about the narrower range.
                    let refused = with(end).err().map(|error| error.to_string());
                    assert!(
                        refused.as_ref().is_none_or(|error| error.contains("needs ") || !parameter.note.is_empty()),
                        "{} {}: {refused:?}",
                        info.name,
                        parameter.name
                    );
                    tried += 1;
                }
                if most.starts_with(|c: char| c.is_ascii_digit()) {
                    let error = with(&format!("1{most}")).unwrap_err().to_string();
                    assert!(error.contains("; legal: "), "{} {}: {error}", info.name, parameter.name);
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// Checks defaults that depend on the link or on other parameters.
#[test]
fn defaults_are_as_documented() {
    let of = |config: Config| resolve(&config).unwrap();
    let transport =
        |transport: &str, mtu| of(Config { transport: transport.to_owned(), mtu, ..Config::default() }).transport;
    assert_eq!(
        transport("dcqcn", 9000),
        "dcqcn:control=yes,notice=50us,gain=0.00390625,timer=55us,counter=10MB,step=40Mbps,leap=400Mbps,least=10Mbps,\
         timeout=7200us,window=bdp"
    );
    // The timeout is the transmission time of 1000 packets, within limits.
    for (rate, expected) in [(100_000_000_000, "1ms"), (8_000_000, "9s"), (1_000_000, "60s")] {
        let transport = of(Config { transport: "dcqcn".to_owned(), rate, ..Config::default() }).transport;
        assert!(transport.contains(&format!(",timeout={expected},")), "{transport}");
    }
    // RFC 8257 §4.2: 1/16.
    assert!(["dctcp", "mptcp"].iter().all(|name| transport(name, 9000).ends_with(",gain=0.0625")));
    // RFC 5681 §3.1: by the payload.
    for (payload, window) in [(1, 4), (1095, 4), (1096, 3), (2190, 3), (2191, 2)] {
        assert!(transport("tcp", payload + 64).starts_with(&format!("tcp:window={window},")), "{payload}");
    }
    assert!(transport("tcp", 9000).contains(",rto_initial=1s,rto_min=200us,rto_max=60s,"));
    assert!(
        transport("tcp", 9000).contains(",unsent=128KiB,")
            && transport("tcp:unsent=none", 9000).contains(",unsent=none,")
    );
    for (given, initial) in [
        ("handshake=yes", "1s"),
        ("handshake=no", "2ms"),
        ("handshake=no,rto_min=7s", "1s"),
        ("handshake=no,rto_min=1ms,rto_max=5ms", "5ms"),
    ] {
        let spec = transport(&format!("tcp:{given}"), 9000);
        assert!(spec.contains(&format!("rto_initial={initial},")), "{spec}");
    }
    let queue = |queue: &str| of(Config { queue: queue.to_owned(), ..Config::default() }).queue;
    let headroom = "headroom=29500B,control=first";
    for (given, expected) in [
        ("ecn", "ecn:packets=100,mark=33,full=33,chance=1".to_owned()),
        ("ecn:packets=98", "ecn:packets=98,mark=32,full=32,chance=1".to_owned()),
        ("pfc:xoff=2KB,mark=no", format!("pfc:threshold=static,xoff=2KB,xon=0B,{headroom},mark=no")),
        (
            "pfc:kmin=1MB",
            format!("pfc:threshold=dynamic,alpha=0.11,buffer=32MB,{headroom},mark=yes,kmin=1MB,kmax=1MB,pmax=0.01"),
        ),
    ] {
        assert_eq!(queue(given), expected);
    }
}

#[test]
fn illegal_inputs_are_refused() {
    let fabric = row(3, 2);
    let routing = minimal(&fabric);
    let good = flows(&[(0, 5, 1000)]);
    let config = Config::default;
    let refused = |workload: &Workload| error(&fabric, &routing, workload, &config());
    assert_eq!(
        refused(&flows(&[(0, 1, 9), (3, 3, 9)])),
        "flow 1: endpoint 3 sends to itself; legal: two different endpoints"
    );
    assert_eq!(refused(&flows(&[(6, 1, 9)])), "flow 0: source=6 is not an endpoint; legal: below 6");
    assert_eq!(refused(&flows(&[(0, 7, 9)])), "flow 0: destination=7 is not an endpoint; legal: below 6");
    assert!(refused(&flows(&[(0, 1, 0)])).starts_with("flow 0: bytes=0 is out of range; legal: 1 to "));
    assert!(refused(&flows(&[(0, 1, u64::MAX)])).contains("is out of range; legal: 1 to "));
    assert!(refused(&Workload { start: vec![u64::MAX], ..good.clone() }).contains("start=18446744073709551615 ps"));
    assert!(refused(&Workload { start: vec![], ..good.clone() }).contains("column start of the workload has 0 rows"));
    let refused = |config: Config| error(&fabric, &routing, &good, &config);
    assert_eq!(refused(Config { rate: 0, ..config() }), "rate=0 is out of range; legal: 1Mbps to 100Tbps");
    assert!(refused(Config { mtu: 64, ..config() }).starts_with("mtu=64 is out of range"));
    let other = minimal(&row(4, 1));
    assert_eq!(
        error(&fabric, &other, &good, &config()),
        "routing 'minimal' is for 4 switches, the fabric has 3; legal: a routing made for this fabric"
    );
    // In the second layer, switch 0 has no forwarding entry toward switch 2.
    let gap = layers(&fabric, &[&[&[0, 1, 1], &[0, 1, 2], &[1, 1, 2]], &[&[0, 1], &[0, 1, 2], &[1, 1, 2]]]);
    assert!(error(&fabric, &gap, &good, &config()).contains("no path from switch 0 to switch 2 in layer 1"));
    // The flow of this run does not need the missing entry in the forwarding table.
    assert!(run(&fabric, &gap, &flows(&[(2, 5, 1000)]), &config()).complete);
}

#[test]
fn sampled_links_must_exist() {
    let fabric = row(3, 1);
    let error = |names: &[&str], sample: Option<u64>| {
        let sample_links = names.iter().map(|&name| name.to_owned()).collect();
        let config = Config { sample, sample_links, ..Config::default() };
        error(&fabric, &minimal(&fabric), &flows(&[(0, 1, 1000)]), &config)
    };
    let sampled = |name: &str| error(&["to:0", name], Some(1_000_000));
    assert_eq!(sampled("4"), "sample_links=4 is not a channel; legal: channel ids from 0 to 3");
    assert_eq!(sampled("to:0"), "sample_links=to:0 names a link that is already listed; legal: every link once");
    assert_eq!(sampled("to:3"), "no endpoint '3'; legal: 0 to 2");
    assert_eq!(sampled("0--2"), "no cable from '0' to '2'; legal neighbours: 1");
    assert_eq!(sampled(""), "no switch ''; legal: 0 to 2");
    let never = "sample_links=to:0 has no sampling time; legal: only together with sample=, the time between samples";
    assert_eq!(error(&["to:0"], None), never);
}
