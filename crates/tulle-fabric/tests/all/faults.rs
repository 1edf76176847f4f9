//! Tests that failure specs are parsed and printed, and tests the fabrics that remain after failures.

use proptest::prelude::*;
use tulle_fabric::{Amount, FabricBuilder, Faults};
use tulle_topologies::build;

fn faults(text: &str) -> Faults {
    text.parse().unwrap()
}

#[test]
fn text_reads_and_writes() {
    let named = [
        "leaf1/3",
        "0/1+2--3",
        "(0,1)--(1,1)+spine2",
        "links=leaf1/3",
        "names:7",
        "links=\"names:a=b,c\",switches=s1+s2",
    ];
    let counted = ["links=5%", "links=3,switches=2", "switches=ids:1+4", "links=100%", "links=0"];
    for text in counted.into_iter().chain(named) {
        assert_eq!(faults(text).to_string(), text);
    }
    assert_eq!(faults("links=1.0"), faults("links=1"));
    assert_ne!(faults("links=100%"), faults("links=1"));
    for (text, fragment) in [
        ("links=150%", "links=150% is out of range; legal: 0% to 100%"),
        (
            "links=0.05",
            "links=0.05 is not a whole number; did you mean 5%? legal: a fraction such as 5%, a count such as 3",
        ),
        ("links=nan", "links=nan is not an amount"),
        ("links=-3", "links=-3 is not an amount"),
        ("switches=ids:1+", "does not list ids"),
        ("cables=3", "unknown parameter 'cables=3'"),
        ("", "faults: '' does not say what fails; legal: links=5%"),
        ("5%", "faults: '5%' does not say what fails; legal: links=5%, switches=2"),
        ("links=5%,7", "faults: 'links=5%,7' cannot be read: '7' is not key=value; legal: links=5%"),
    ] {
        let error = text.parse::<Faults>().unwrap_err().to_string();
        assert!(error.contains(fragment), "{text}: {error}");
    }
}

#[test]
fn missing_parts_cannot_fail() {
    let fabric = build("clique:degree=3", 0).unwrap();
    for (faults, fragment) in [
        (faults("links=7"), "faults: links=7 is more than the fabric has; legal: 0 to 6"),
        (faults("switches=5"), "legal: 0 to 4"),
        (
            faults("links=ids:0+3"),
            "faults: links=ids:3 is a channel, the reverse direction of cable 0; legal: cables, each by",
        ),
        (faults("links=ids:99"), "faults: links=ids:99 does not exist; nearest"),
        (faults("switches=ids:9"), "switches=ids:9 does not exist; nearest 3"),
        (Faults { links: Some(Amount::Fraction(f64::NAN)), ..Faults::default() }, "links=NaN is out of range"),
    ] {
        let error = fabric.without(&faults, 0).unwrap_err().to_string();
        assert!(error.contains(fragment), "{error}");
    }
}

#[test]
fn parts_fail_by_name() {
    let mut builder = FabricBuilder::new(4);
    builder.labels(["leaf1", "leaf2", "spine1", "spine2"].map(str::to_owned).to_vec());
    for (a, b) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        builder.cable(a, b);
    }
    let fabric = builder.finish("edges", tulle_spec::Parameters::new()).unwrap();
    let left = |text: &str| {
        let damaged = fabric.without(&faults(text), 0).unwrap();
        assert_eq!(damaged.faults(), [text], "the seed has no effect on named parts");
        damaged.origin().unwrap().channels.clone()
    };
    assert_eq!(left("leaf1/1"), left("links=ids:1"));
    assert_eq!(left("spine2"), left("switches=ids:3"));
    assert_eq!(left("leaf2--spine1+leaf1/1"), left("links=ids:1+2"));
    assert_eq!(left("links=leaf2--spine1,switches=leaf1"), left("links=ids:2,switches=ids:0"));
    let error = |text: &str| fabric.without(&faults(text), 0).unwrap_err().to_string();
    assert_eq!(error("spine3"), "no switch 'spine3'; did you mean spine1 or spine2?");
    assert_eq!(error("leaf1/2"), "no cable at port '2' of 'leaf1'; legal: 0, 1");
    assert!(error("switches=leaf1--spine1").starts_with("no switch 'leaf1--spine1'"));
}

/// A ring of switches with these names.
fn ring(names: &[&str]) -> tulle_fabric::Fabric {
    let mut builder = FabricBuilder::new(names.len() as u32);
    builder.labels(names.iter().map(|&name| name.to_owned()).collect());
    for switch in 0..names.len() as u32 {
        builder.cable(switch, (switch + 1) % names.len() as u32);
    }
    builder.finish("edges", tulle_spec::Parameters::new()).unwrap()
}

#[test]
fn names_may_be_joined_by_commas() {
    let fabric = ring(&["MF0;s1:M/U1", "s2", "(0,1)", "a,b", "s3"]);
    let failing = |text: &str| fabric.failing(&faults(text), 0).map_err(|error| error.to_string());
    for (text, switches) in [
        ("MF0;s1:M/U1", &[0][..]),
        ("switches=MF0;s1:M/U1", &[0]),
        ("s2,s3", &[1, 4]),
        ("s2, MF0;s1:M/U1", &[1, 0]),
        ("s2,(0,1),a,b", &[1, 2, 3]),
        ("(0,1)", &[2]),
        ("s3+s2,a,b", &[4, 1, 3]),
    ] {
        assert_eq!(failing(text).unwrap().1, switches, "{text}");
        let faults = faults(text);
        assert_eq!(faults.to_string().parse::<Faults>().unwrap(), faults, "{text}");
    }
    assert!(failing("s2,s9").unwrap_err().starts_with("no switch 's9'"));
    assert!(failing("(0,9)").unwrap_err().starts_with("no switch '(0,9)'"));
    let error = "s2,5%".parse::<Faults>().unwrap_err().to_string();
    assert!(error.contains("names joined by + as leaf1/3+spine2, or any name as names:NAME"), "{error}");
}

#[test]
fn unusual_names_need_no_prefix() {
    let names = ["=X", "a=b", "#1", "x%", "a+b", "c", "a--b", "to:1"];
    let fabric = ring(&names);
    let switches = |text: &str| fabric.failing(&faults(text), 0).unwrap().1;
    assert_eq!(switches("=X"), [0]);
    assert_eq!(switches("#1"), [2]);
    assert_eq!(switches("switches==X"), [0]);
    assert_eq!(switches("switches=a=b"), [1]);
    assert_eq!(switches("switches=#1+=X"), [2, 0]);
    assert_eq!(switches("switches=x%"), [3]);
    assert_eq!(switches("switches=names:to:1"), [7]);
    assert_eq!(switches("a+b"), [4]);
    assert_eq!(switches("switches=a+b"), [4]);
    assert_eq!(switches("c+a+b+#1"), [5, 4, 2]);
    assert_eq!(switches("switches=a+b+c"), [4, 5]);
    assert_eq!(fabric.failing(&faults("links=a+b--c+=X--a=b"), 0).unwrap().0.len(), 2);
    assert_eq!(faults("switches==X").to_string(), "switches=names:=X");
    let error = |text: &str| fabric.failing(&faults(text), 0).unwrap_err().to_string();
    assert!(error("switches=a+b+d").starts_with("no switch 'a'; "));
    let error = |text: &str| text.parse::<Faults>().unwrap_err().to_string();
    assert_eq!(
        error("switches=to:1"),
        "faults: switches=to:1 is not an amount; legal: a fraction such as 5%, a count such as 3, ids such as ids:7+19, \
         or names such as leaf1/3+leaf2--spine1; any name as names:NAME"
    );
}

#[test]
fn given_parts_fail_and_nothing_else() {
    let fabric = build("clique:degree=3,p=2", 0).unwrap();
    let damaged = fabric.without(&faults("links=ids:0,switches=ids:2"), 9).unwrap();
    // Switches 0, 1 and 3 remain, without the cable 0–1.
    assert_eq!(damaged.targets(), [2, 2, 0, 1]);
    assert_eq!(damaged.faults(), ["links=ids:0,switches=ids:2"]);
    assert_eq!((0..3).map(|switch| damaged.label(switch)).collect::<Vec<_>>(), ["0", "1", "3"]);
    assert_eq!(damaged.endpoint_switch(), [0, 0, 1, 1, 2, 2]);
    let origin = damaged.origin().unwrap();
    assert_eq!((&origin.switches[..], &origin.endpoints[..]), (&[0, 1, 3][..], &[0, 1, 2, 3, 6, 7][..]));
    let again = damaged.without(&faults("switches=ids:1"), 9).unwrap();
    assert_eq!((again.label(1), again.origin().unwrap().switches[1]), ("3".to_owned(), 2));
    assert_eq!(again.faults().len(), 2);
}

#[test]
fn everything_may_fail() {
    let fabric = build("clique:degree=3", 0).unwrap();
    let damaged = fabric.without(&faults("switches=100%"), 0).unwrap();
    assert_eq!((damaged.num_switches(), damaged.num_channels(), damaged.num_endpoints()), (0, 0, 0));
    assert_eq!((damaged.network_radix(), damaged.radix(), damaged.concentration()), (0, 0, 0));
    let unlinked = fabric.without(&faults("links=100%"), 0).unwrap();
    assert_eq!((unlinked.num_switches(), unlinked.num_cables(), unlinked.num_endpoints()), (4, 0, 12));
}

#[test]
fn fractions_round_to_the_nearest_count_and_fewer_are_among_more() {
    let fabric = build("jellyfish:switches=50,degree=5", 3).unwrap();
    let left = |text: &str| {
        let damaged = fabric.without(&faults(text), 5).unwrap();
        (damaged.num_cables(), damaged.origin().unwrap().channels.clone())
    };
    assert_eq!(left("links=1.4%").0, 123, "1.75 of 125 cables are 2");
    let (few, many) = (left("links=10").1, left("links=30").1);
    assert!(many.iter().all(|channel| few.contains(channel)));
}

proptest! {
    #[test]
    fn every_name_can_fail(names in prop::collection::hash_set("[a-z0-9=+#%:,\"/ é中(){}_.]{1,6}", 3..9)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let fabric = ring(&names);
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        for (switch, name) in names.iter().enumerate() {
            let any = format!("names:{name}");
            for text in [any.clone(), format!("switches={}", quoted(&any))] {
                prop_assert_eq!(fabric.failing(&faults(&text), 0).unwrap().1, [switch as u32], "{}", text);
                // The canonical text means the same switch.
                let written = faults(&text).to_string();
                prop_assert_eq!(fabric.failing(&faults(&written), 0).unwrap().1, [switch as u32], "{}", written);
            }
        }
        for cable in fabric.cables() {
            let any = format!("names:{}", fabric.cable_name(cable));
            for text in [any.clone(), format!("links={}", quoted(&any))] {
                prop_assert_eq!(fabric.failing(&faults(&text), 0).unwrap().0, [cable], "{}", text);
            }
        }
    }

    #[test]
    fn a_damaged_fabric_is_part_of_the_whole(
        spec in prop::sample::select(&[
            "fattree:levels=3,radix=4",
            "flattenedclos:switches=12,ports=9",
            "fattree:levels=2,leaves=4,cores=3,cables=2,p=2",
            "jellyfish:switches=11,degree=4",
        ][..]),
        links in 0.0..1.0, switches in 0u64..8, seed: u64,
    ) {
        let whole = build(spec, 1).unwrap();
        let [cut, dead] = [Amount::Fraction(links), Amount::Count(switches)].map(Some);
        let faults = Faults { links: cut, switches: dead, ..Faults::default() };
        let part = whole.without(&faults, seed).unwrap();
        prop_assert_eq!(&part, &whole.without(&faults, seed).unwrap());
        let origin = part.origin().unwrap();
        prop_assert_eq!(part.num_switches() as u64, whole.num_switches() as u64 - switches);
        for list in [&origin.switches, &origin.channels, &origin.endpoints] {
            prop_assert!(list.is_sorted_by(|a, b| a < b));
        }
        for (channel, &before) in origin.channels.iter().enumerate() {
            let before = before as usize;
            prop_assert_eq!(origin.switches[part.sources()[channel] as usize], whole.sources()[before]);
            prop_assert_eq!(origin.switches[part.targets()[channel] as usize], whole.targets()[before]);
            prop_assert_eq!(origin.channels[part.reverse()[channel] as usize], whole.reverse()[before]);
            prop_assert!(part.channels_of(part.sources()[channel]).contains(&channel));
            prop_assert_eq!(part.classes()[channel], whole.classes()[before]);
            prop_assert_eq!(part.virtual_layers().get(channel), whole.virtual_layers().get(before));
        }
        for (switch, &before) in (0u32..).zip(&origin.switches) {
            prop_assert_eq!(part.label(switch), whole.label(before));
            prop_assert_eq!(part.levels()[switch as usize], whole.levels()[before as usize]);
            let endpoints: Vec<u32> =
                part.endpoints_of(switch).iter().map(|&endpoint| origin.endpoints[endpoint as usize]).collect();
            prop_assert_eq!(&endpoints[..], whole.endpoints_of(before));
        }
    }
}
