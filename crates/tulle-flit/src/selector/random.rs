//! Random: every packet takes one of the paths, or layers, at random.

use tulle_spec::plugin;

use super::{Over, Queues, Route, Select, Start};

plugin! {
    /// Any path.
    #[derive(Debug)]
    pub(crate) struct Random {}
    name: "random",
    summary: "every packet on one of the paths of its pair, or layers, at random",
    paper: "Jellyfish §III-B (random)",
    limitations: "Sees no load.",
    examples: ["random"],
    rejects: [("random:k=8", "unknown parameter 'k=8'; it takes none")],
}

impl Select for Random {
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;

    #[inline]
    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let number = start.choices.draw_choice(start.from, start.to, start.generator);
        start.choices.numbered(number, start.from, start.to)
    }
}
