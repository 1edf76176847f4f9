//! A session answers requests. It stores the last fabric and its routings for the next request.

use std::rc::Rc;

use serde::Serialize;
use serde_json::{Value, json};
use tulle_fabric::{Amount, Fabric, Faults};
use tulle_routing::Routing;
use tulle_topologies::families::FAMILIES;

use crate::request::{Network, Request, Routed};
use crate::{Error, answers, files, limits};

/// Maximum number of stored routings: the routing that the user chose, and minimal paths for comparison.
const KEPT: usize = 2;

/// Answers requests. The session stores the last fabric and its routings, so that a click on a pair of switches does not compute the
/// routing again.
#[derive(Default)]
pub struct Session {
    fabric: Option<(Network, Rc<Fabric>)>,
    routings: Vec<(Routed, Rc<Routing>)>,
}

impl Session {
    /// Answers a request in JSON. The answer is `{"answer": …}`, or `{"error": "…"}` with one line that says what is wrong and what is legal.
    pub fn answer(&mut self, request: &str) -> String {
        let answer = match self.read(request) {
            Ok(answer) => json!({ "answer": answer }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        answer.to_string()
    }

    fn read(&mut self, request: &str) -> Result<Value, Error> {
        match serde_json::from_str(request)? {
            Request::Components => written(answers::components()),
            Request::Fabric(network) => written(answers::fabric(&*self.fabric(&network)?)),
            Request::Route(routed) => {
                let (fabric, routing) = self.routed(&routed)?;
                written(answers::route(&fabric, &routing))
            }
            Request::Paths(pair) => {
                let (fabric, routing) = self.routed(&pair.routed)?;
                written(answers::paths(&fabric, &routing, [pair.source, pair.destination])?)
            }
            Request::Simulate(simulation) => {
                let (fabric, routing) = self.routed(&simulation.routed)?;
                written(answers::simulate(&fabric, &routing, &simulation)?)
            }
        }
    }

    fn fabric(&mut self, network: &Network) -> Result<Rc<Fabric>, Error> {
        if let Some((of, fabric)) = &self.fabric
            && of == network
        {
            return Ok(Rc::clone(fabric));
        }
        // The old fabric and its routings are dropped first, so that old and new need not fit in memory together.
        self.fabric = None;
        self.routings.clear();
        let fabric = Rc::new(build(network)?);
        self.fabric = Some((network.clone(), Rc::clone(&fabric)));
        Ok(fabric)
    }

    fn routed(&mut self, routed: &Routed) -> Result<(Rc<Fabric>, Rc<Routing>), Error> {
        let fabric = self.fabric(&routed.network)?;
        if let Some((_, routing)) = self.routings.iter().find(|(of, _)| of == routed) {
            return Ok((fabric, Rc::clone(routing)));
        }
        let routing = Rc::new(tulle_routing::build(&fabric, &routed.routing, routed.network.seed)?);
        limits::routing(&fabric, &routing)?;
        self.routings.truncate(KEPT - 1);
        self.routings.insert(0, (routed.clone(), Rc::clone(&routing)));
        Ok((fabric, routing))
    }
}

/// Builds a fabric within the limits. The sizes come from closed forms and are checked before the fabric is built.
fn build(network: &Network) -> Result<Fabric, Error> {
    // Files are refused first, because some families open their file when their spec is read.
    files::refuse("fabric", &FAMILIES.infos(), &network.fabric)?;
    let (_, member) = tulle_topologies::families::member(&network.fabric)?;
    let expected = member.expect();
    limits::at_most(&network.fabric, expected.switches, "switches", limits::MAX_SWITCHES)?;
    limits::at_most(&network.fabric, expected.endpoints, "endpoints", limits::MAX_ENDPOINTS)?;
    let fabric = member.build(network.seed)?;
    if network.cut.is_empty() {
        return Ok(fabric);
    }
    let faults = Faults { links: Some(Amount::Ids(network.cut.clone())), ..Faults::default() };
    Ok(fabric.without(&faults, network.seed)?)
}

fn written(answer: impl Serialize) -> Result<Value, Error> {
    Ok(serde_json::to_value(answer)?)
}
