//! UGAL-G: chooses the minimal route or a route through an intermediate switch, by the sum of the queues along the route.

use tulle_spec::plugin;

use super::{Estimate, Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Compares the minimal route with a few indirect routes, by all queues along the routes.
    #[derive(Debug)]
    pub(crate) struct UgalG {
        /// number of random indirect routes that are compared per packet (n_I in Kathareios et al., SC15)
        candidates: u32 = integer(1, 64), default "1";
    }
    name: "ugal-g",
    summary: "the minimal route or the best of some indirect routes, by the queues of all switches (UGAL-G): a reference \
        that real switches cannot reach",
    paper: "Singh: Load-balanced routing in interconnection networks, 2005; Kathareios et al. (SC15) §3.3 (the global \
        variant)",
    limitations: "Queues are credits in use over all virtual channels. The queue lengths of other switches are at most \
        one cycle older than the latency of the shortest link. If a switch has several shortest next hops, a candidate \
        route uses a random one. The packet takes the same port at the first switch, but chooses again at later \
        switches. Ties go to the minimal route.",
    examples: ["ugal-g", "ugal-g:candidates=4"],
    rejects: [("ugal-g:candidates=65", "candidates=65 is out of range; legal: 1 to 64")],
}

impl Select for UgalG {
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 2;
    const GLOBAL: bool = true;

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let cost = |request: &mut RouteRequest<'_, Q>, route: Route| {
            let (queue, route) = request.first_port(Estimate::All, route);
            let port = route.port.unwrap_or_default();
            (queue + request.choices.queues_along(&route, port, request.from, request.to, request.generator), route)
        };
        let (mut least, mut best) = cost(request, Route::minimal());
        for _ in 0..self.candidates {
            let route = request.choices.indirect(request.from, request.to, request.generator);
            let (sum, route) = cost(request, route);
            if sum < least {
                (least, best) = (sum, route);
            }
        }
        best
    }
}
