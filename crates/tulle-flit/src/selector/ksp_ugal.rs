//! KSP-UGAL: the shortest path of a pair or a random other path.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, Select, Start};

plugin! {
    /// Compares the first path with a random other one.
    #[derive(Debug)]
    pub(crate) struct KspUgal {
        queue: Queue;
    }
    name: "ksp-ugal",
    summary: "the shortest path or a random other path of the pair, by queue times length",
    paper: "Jellyfish §III-B (KSP-UGAL)",
    limitations: "Sees only the queues of the first switch. Ties go to the shortest path. The first path of the set \
        counts as shortest.",
    examples: ["ksp-ugal", "ksp-ugal:queue=output"],
    rejects: [("ksp-ugal:k=8", "unknown parameter 'k=8'")],
}

impl Select for KspUgal {
    const OVER: Over = Over::Paths;

    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let choices = start.choices.choices(start.from, start.to);
        let minimal = start.choices.numbered(choices.start, start.from, start.to);
        let others = choices.len() as u32 - 1;
        if others == 0 {
            return minimal;
        }
        let number = choices.start + 1 + start.generator.below(others);
        let other = start.choices.numbered(number, start.from, start.to);
        let (queue, minimal) = start.first_port(self.queue.estimate, minimal);
        let (other_queue, other) = start.first_port(self.queue.estimate, other);
        let length = |route: &Route| start.choices.path_hops(route.number);
        if queue * length(&minimal) <= other_queue * length(&other) { minimal } else { other }
    }
}
