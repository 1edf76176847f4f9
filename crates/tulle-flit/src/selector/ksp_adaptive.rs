//! KSP-adaptive: the better of two random paths of a pair.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, Select, Start};

plugin! {
    /// Compares two random paths.
    #[derive(Debug)]
    pub(crate) struct KspAdaptive {
        queue: Queue;
    }
    name: "ksp-adaptive",
    summary: "the better of two random paths of the pair, by queue times length",
    paper: "Jellyfish §III-B (KSP-adaptive)",
    limitations: "Sees only the queues of the first switch. Ties go to the path with fewer hops, then to the one drawn \
        first.",
    examples: ["ksp-adaptive", "ksp-adaptive:queue=class"],
    rejects: [("ksp-adaptive:k=8", "unknown parameter 'k=8'")],
}

impl Select for KspAdaptive {
    const OVER: Over = Over::Paths;

    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let choices = start.choices.choices(start.from, start.to);
        let count = choices.len() as u32;
        let first = start.generator.below(count);
        if count == 1 {
            return start.choices.numbered(choices.start, start.from, start.to);
        }
        let second = (first + 1 + start.generator.below(count - 1)) % count;
        let mut cost = |number: u32| {
            let route = start.choices.numbered(choices.start + number, start.from, start.to);
            let (queue, route) = start.first_port(self.queue.estimate, route);
            let hops = start.choices.path_hops(route.number);
            ((queue * hops, hops), route)
        };
        let (first, second) = (cost(first), cost(second));
        if first.0 <= second.0 { first.1 } else { second.1 }
    }
}
