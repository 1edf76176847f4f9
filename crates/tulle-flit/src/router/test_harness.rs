//! Test harness for a single router. The router is the centre of a star network, and the rest of the network does not
//! run.

use tulle_fabric::FabricBuilder;
use tulle_spec::{Plugin, SpecError};

use super::context::Run;
use super::core::Router;
use super::switching::Switching;
use crate::setup::Setup;
use crate::sources::{Sending, Supply};
use crate::window::Window;
use crate::{Config, Order, SaturationRule};

/// Calls `test` with the router of switch 0, built from the spec `router`. The switch is the centre of a star with
/// `leaves` leaves and has no endpoints; port `p` leads to leaf p + 1.
pub(super) fn with_router<S, const P: usize>(
    router: &str,
    leaves: u32,
    packet: u16,
    seed: u64,
    test: impl FnOnce(&Run, Router<S, P>),
) where
    S: Switching<P>,
    S::Model: for<'a> Plugin<Context<'a> = (), Error = SpecError>,
{
    let mut builder = FabricBuilder::new(leaves + 1);
    for leaf in 1..=leaves {
        builder.cable(0, leaf);
        builder.endpoints(leaf, 1);
    }
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let model = S::Model::parse(router, &()).unwrap();
    let config = Config {
        router: router.to_owned(),
        policy: "free".to_owned(),
        packet: packet.into(),
        seed,
        ..Config::default()
    };
    let sending = Sending {
        supply: Supply::Posted(Order::InOrder),
        packet,
        latency: config.endpoint_latency,
        window: Window { start: 0, end: u32::MAX, sample: 1 },
        rule: SaturationRule::Arrivals,
    };
    Setup::new(&fabric, &routing, &config)
        .unwrap()
        .share(sending, &config, |run, _, _| test(run, Router::new(&model, run, 0)));
}

/// Returns whether the counts of equally likely outcomes are within five standard deviations of their mean.
pub(super) fn is_uniform(counts: &[u32]) -> bool {
    let (all, of) = (f64::from(counts.iter().sum::<u32>()), counts.len() as f64);
    let deviation = (all / of * (1.0 - 1.0 / of)).sqrt();
    counts.iter().all(|&count| (f64::from(count) - all / of).abs() <= 5.0 * deviation)
}
