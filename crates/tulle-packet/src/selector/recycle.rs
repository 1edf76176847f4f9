//! Recycling at the first switch: a packet takes the cheapest of a minimal path, some random paths, and some remembered paths. A path is
//! remembered if its acknowledgement came back fast.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, Feedback, FirstHop, Flows, PacketStatus, Path, ReversePath, Select, View, ecmp};
use crate::packet::{Kind, Packet};

/// The weight of a new delay in a smoothed delay is 1/8, as for round-trip times (RFC 6298 §2.3).
const GAIN: u64 = 8;
/// A flow that avoids layer 0 gets no feedback from layer 0, and a flow that stays in layer 0 gets no feedback from other layers. The
/// stored delay of an avoided layer would therefore never change. So if the stored delay of other layers exceeds the delay of layer 0, each
/// answer from layer 0 reduces this excess by 1/64. Answers from other layers reduce an excess delay of layer 0 in the same way. A few
/// hundred packets after congestion has ended, the flow tries the avoided layers again.
const FORGET: u64 = 64;

/// The state that the selector stores for a flow. Delays are the times in picoseconds from the first switch to the answer, smoothed, and
/// are 0 before the first answer. Besides the remembered paths, the state has four numbers.
#[derive(Debug, Clone, Default)]
struct State {
    /// Remembered paths, the oldest first. Each path is used once.
    good: Vec<Path>,
    /// The smoothed delay of packets that arrived unmarked.
    mean: u64,
    /// The smoothed delay of packets in layer 0. Trimmed, marked and lost packets count with a longer delay.
    minimal: u64,
    /// The smoothed delay of packets in other layers. Until such a packet is answered, this is the delay of the flow's first answered
    /// packet. A flow can then leave a congested layer 0 even if its first queue is always empty.
    longer: u64,
    /// The number of random paths that the flow has chosen so far.
    drawn: u32,
}

plugin! {
    /// Remembers paths like [`super::reps::Reps`], compares paths by queue length times hops like [`super::ugal::Ugal`], and learns from
    /// answers whether layer 0 is congested after the first switch.
    #[derive(Debug)]
    pub(crate) struct Recycle(arguments, flows: Flows<'a>) {
        /// number of paths that a flow remembers
        buffer: u32 = integer(1, 64), default "8";
        /// number of random paths that each packet compares with the minimal path and the remembered paths
        candidates: u32 = integer(1, 64), default "4";
        /// cost in full packets that is added to a random path when it is compared with a remembered path
        bias: u32 = integer(0, 1_000_000), default "3";
        /// cost in full packets that is added to a path whose first queue is full
        full: u32 = integer(0, 1_000_000), default "2";
        /// weight of a path's idle time in its cost; the idle time is the time that a full packet needs to cross the path if all queues are
        /// empty
        hop: f64 = real(0.0), default "1";
        /// a path is remembered if its answer took less than this multiple of the flow's mean delay
        slow: f64 = positive(), default "1.2";
        /// factor for the delay of a trimmed, marked or lost packet, when the delays of layer 0 and of other layers are compared
        failed: f64 = positive(), default "4";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/recycle"));
        choices: Choices => flows.choices.clone();
        states: Vec<State> => vec![State::default(); flows.source.len()];
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "recycle",
    summary: "each packet takes the cheapest of a minimal path, some random paths and remembered paths with fast \
        answers; the cost is the time to cross the path if all its queues are as long as the first one; a path whose \
        first queue is full costs more; layer 0 also costs its excess delay over other layers",
    paper: "tulle's own selector; remembers paths like REPS (arXiv:2407.21625) and compares costs like UGAL-L \
        (Kathareios et al. (SC15) §3.3)",
    limitations: "The first switch must know the endpoint's remembered paths; it can learn them, because all answers \
        pass through it. Unlike in REPS, a loss does not freeze the flow; the path of the lost packet is not remembered.",
    examples: ["recycle:buffer=8", "recycle", "recycle:buffer=2,candidates=1,bias=0,hop=0,slow=1000,failed=1"],
    rejects: [
        ("recycle:buffer=65", "buffer=65 is out of range; legal: 1 to 64"),
        ("recycle:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
        ("recycle:slow=0", "slow=0 is not a positive number"),
    ],
}

impl State {
    /// Returns by how many picoseconds the delay of layer 0 exceeds the delay of other layers. This excess is caused by congestion that the
    /// first queue does not show.
    fn excess(&self) -> u64 {
        self.minimal.saturating_sub(self.longer)
    }

    /// Updates the smoothed delays with the delay of a packet in layer 0 or in another layer.
    fn learn(&mut self, is_minimal: bool, delay: u64) {
        let mean = if is_minimal { &mut self.minimal } else { &mut self.longer };
        *mean = smoothed(*mean, delay);
        if self.longer == 0 {
            self.longer = delay;
        }
        if is_minimal {
            self.longer -= self.longer.saturating_sub(self.minimal) / FORGET;
        } else {
            self.minimal -= self.minimal.saturating_sub(self.longer) / FORGET;
        }
    }
}

/// Returns the smoothed delay after a new `delay`.
fn smoothed(mean: u64, delay: u64) -> u64 {
    if mean == 0 { delay } else { mean - mean / GAIN + delay / GAIN }
}

impl Recycle {
    /// Draws a random path.
    fn draw(&mut self, flow: u32) -> Path {
        let hash = self.hash(flow);
        Path::of(self.choices.draw(flow, (hash >> 32) as u32), mix(hash) as u32)
    }

    /// Returns the next random number of a flow.
    fn hash(&mut self, flow: u32) -> u64 {
        let state = &mut self.states[flow as usize];
        state.drawn = state.drawn.wrapping_add(1);
        mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(state.drawn))
    }

    /// Returns the cost of a path in picoseconds: the time that a full packet needs to cross it if all its queues are as long as the
    /// first one. A path in layer 0 also costs the excess delay of layer 0. A path whose first queue is full costs more, because the
    /// packet would be trimmed or lost and sent again.
    fn cost(&self, first: &FirstHop, view: &View, to: u32, excess: u64) -> u64 {
        let (hops, crossing) = view.crossing(first.layer, to, first.entropy);
        let idle = (self.hop * crossing as f64) as u64;
        let learned = if first.layer == 0 { excess } else { 0 };
        let resent = if view.is_full(first.port, first.backlog) { packets(self.full, view, first) } else { 0 };
        [hops.saturating_mul(first.backlog), idle, learned, resent].into_iter().fold(0, u64::saturating_add)
    }
}

/// Returns the transmission time of `count` full packets over the first link of a path, in picoseconds.
fn packets(count: u32, view: &View, first: &FirstHop) -> u64 {
    u64::from(count).saturating_mul(view.full(first.port))
}

impl Select for Recycle {
    const IN_SWITCH: bool = true;
    const LEARNS: bool = true;

    #[inline]
    fn data(&mut self, _flow: u32, _now: u64) -> Path {
        Path::any(0)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }

    fn on_feedback(&mut self, flow: u32, feedback: &Feedback) {
        let state = &mut self.states[flow as usize];
        let has_arrived = feedback.status == PacketStatus::Arrived;
        let delay = if has_arrived { feedback.after } else { (self.failed * feedback.after as f64) as u64 };
        state.learn(feedback.path.layer == 0, delay);
        if !has_arrived {
            return;
        }
        state.mean = smoothed(state.mean, feedback.after);
        if (feedback.after as f64) < self.slow * state.mean as f64 {
            if state.good.len() == self.buffer as usize {
                state.good.remove(0);
            }
            state.good.push(feedback.path);
        }
    }

    fn at_switch(&mut self, packet: &mut Packet, view: &View) {
        let (flow, to) = (packet.flow, u32::from(packet.switch));
        if !view.is_first || packet.kind != Kind::Data || to == view.switch {
            return;
        }
        let state = &self.states[flow as usize];
        let (remembered, excess) = (state.good.len(), state.excess());
        let good = (0..remembered).map(|place| (view.first_hop(state.good[place], to), place));
        let costs = good.map(|(first, place)| (self.cost(&first, view, to, excess), place, first));
        let mut best = costs.min_by_key(|(cost, place, _)| (*cost, *place));
        // With a single layer, the random candidates are as short as the minimal path, so no separate minimal path is compared.
        if self.choices.of(flow) > 1 {
            let minimal = view.first_hop(Path::of(0, self.hash(flow) as u32), to);
            let cost = self.cost(&minimal, view, to, excess);
            if best.is_none_or(|(least, ..)| cost <= least) {
                best = Some((cost, remembered, minimal));
            }
        }
        for _ in 0..self.candidates {
            let random = view.first_hop(self.draw(flow), to);
            let cost = self.cost(&random, view, to, excess);
            // A random path costs more than a remembered path, because the later queues of a random path are unknown. The later queues of a
            // remembered path were short.
            let bias = packets(self.bias, view, &random);
            if best
                .is_none_or(|(least, place, _)| cost.saturating_add(if place < remembered { bias } else { 0 }) < least)
            {
                best = Some((cost, remembered, random));
            }
        }
        let Some((_, place, first)) = best else { return };
        if place < remembered {
            self.states[flow as usize].good.remove(place);
        }
        (packet.layer, packet.entropy) = (first.layer, first.entropy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::config::Link;
    use crate::forwarding::Forwarding;
    use crate::link_table::{ByKind, LinkTable};
    use crate::packet::data;
    use crate::port::Port;
    use tulle_spec::Plugin;

    fn flows(choices: &Choices) -> Flows<'_> {
        Flows { source: &[0], destination: &[1], endpoint_switch: &[], bytes: &[1], choices, seed: 5 }
    }

    fn feed(recycle: &mut Recycle, path: Path, status: PacketStatus, after: u64) {
        recycle.on_feedback(0, &Feedback { path, status, after, now: 0 });
    }

    #[test]
    fn fast_paths_are_remembered_up_to_the_buffer() {
        let choices = Choices::Layers(4);
        let mut recycle = Recycle::parse("recycle:buffer=3,slow=1.5", &flows(&choices)).unwrap();
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|entropy| Path::of(1, entropy));
        feed(&mut recycle, a, PacketStatus::Arrived, 800);
        // The mean becomes 800 · 7/8 + 2000 / 8 = 950, and a delay of 2000 is more than 1.5 times the mean.
        feed(&mut recycle, b, PacketStatus::Arrived, 2000);
        for status in [PacketStatus::Trimmed, PacketStatus::Marked, PacketStatus::Lost] {
            feed(&mut recycle, c, status, 1);
        }
        assert_eq!((&recycle.states[0].good, recycle.states[0].mean), (&vec![a], 950));
        for path in [b, c, d, e] {
            feed(&mut recycle, path, PacketStatus::Arrived, 900);
        }
        assert_eq!(recycle.states[0].good, [c, d, e]);
    }

    /// A clique of four switches with three paths from switch 0 to switch 1: directly, over switch 2, and over switch 3.
    struct Clique {
        recycle: Recycle,
        fabric: tulle_fabric::Fabric,
        routing: tulle_routing::Routing,
        /// The number of full packets that fill a queue.
        room: u64,
    }

    impl Clique {
        fn new(spec: &str) -> Self {
            let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
            let routing = tulle_routing::build(&fabric, "ksp:k=3", 0).unwrap();
            let choices = Choices::Layers(3);
            Self { recycle: Recycle::parse(spec, &flows(&choices)).unwrap(), fabric, routing, room: u64::MAX }
        }

        /// Returns the path that a packet takes, and the number of paths remembered afterwards. `waiting` has the number of full packets in
        /// the first queue of each path.
        fn take(&mut self, waiting: [u64; 3]) -> (u8, usize) {
            let forwarding = Forwarding::new(&self.fabric, &self.routing);
            let link = Link::new(&Config::default()).unwrap();
            let links = LinkTable::uniform(link);
            let drains = ByKind::new(vec![self.room.saturating_mul(link.full())]);
            let mut ports: Vec<Port> = (0..12).map(|_| Port::new()).collect();
            for (path, packets) in waiting.into_iter().enumerate() {
                let (layer, mut entropy) = forwarding.enter(Path::of(path as u8, 0), 0, 1);
                let port = forwarding.next(layer, 0, 1, &mut entropy) as usize;
                ports[port].occupy(packets * links.kind(0).full(), 9000, true);
            }
            let mut packet = crate::packet::Packet { switch: 1, ..data(0, 0) };
            self.recycle.at_switch(&mut packet, &View::new(0, 0, true, &forwarding, &links, &ports, &drains));
            (packet.layer, self.recycle.states[0].good.len())
        }
    }

    #[test]
    fn queues_count_times_hops_and_every_hop_costs_its_idle_time() {
        // Costs are in transmission times of a full packet. At 10 Gb/s and a latency of 1 us, an idle hop takes 1.14 transmission times.
        // With the selector's option `hop`, a direct path with q waiting packets therefore costs q + 1.14 · hop. A path of two hops with an
        // empty queue costs 2.28 · hop.
        for (spec, direct) in
            [("recycle:candidates=16,hop=0", 0), ("recycle:candidates=16", 1), ("recycle:candidates=16,hop=2", 2)]
        {
            let mut clique = Clique::new(spec);
            assert_eq!(clique.take([direct, 0, 9]).0, 0, "{spec}");
            assert_eq!(clique.take([direct + 1, 0, 9]).0, 1, "{spec}");
        }
        // A direct path with 5 packets costs 6.14. A path of two hops with 2 packets in its first queue costs 6.28.
        assert_eq!(Clique::new("recycle:candidates=16").take([5, 2, 9]).0, 0);
        assert_eq!(Clique::new("recycle:candidates=16").take([6, 2, 9]).0, 1);
    }

    #[test]
    fn full_queues_cost_more() {
        // A direct path with one packet costs 2.14, and 4.14 if one packet fills the queue. An empty path of two hops costs 2.28.
        for (room, spec, taken) in
            [(2, "recycle:candidates=16", 0), (1, "recycle:candidates=16", 1), (1, "recycle:candidates=16,full=0", 0)]
        {
            assert_eq!(Clique { room, ..Clique::new(spec) }.take([1, 0, 9]).0, taken, "{room} {spec}");
        }
        // With a packet in its queue, the path of two hops costs 6.28.
        assert_eq!(Clique { room: 1, ..Clique::new("recycle:candidates=16") }.take([1, 1, 9]).0, 0);
    }

    #[test]
    fn remembered_paths_are_used_once_and_spare_the_bias() {
        // The direct path costs 10.14. The remembered path with q packets in its queue costs 2 · q + 2.28. The third path costs 2.28, plus
        // the bias of 3 when it is compared with the remembered path.
        for (queue, taken, left) in [(0, 1, 0), (1, 1, 0), (2, 2, 1)] {
            let mut clique = Clique::new("recycle:candidates=16,bias=3");
            feed(&mut clique.recycle, Path::of(1, 0), PacketStatus::Arrived, 1);
            assert_eq!(clique.take([9, queue, 0]), (taken, left), "{queue}");
        }
        // A packet on the minimal path does not use up a remembered path.
        let mut clique = Clique::new("recycle:bias=3");
        feed(&mut clique.recycle, Path::of(1, 0), PacketStatus::Arrived, 1);
        assert_eq!(clique.take([1, 0, 9]), (0, 1));
    }

    #[test]
    fn congestion_of_layer_0_behind_the_first_switch_is_learnt_and_forgotten() {
        let full = Link::new(&Config::default()).unwrap().full();
        let mut clique = Clique::new("recycle:candidates=16,slow=0.1");
        feed(&mut clique.recycle, Path::of(1, 0), PacketStatus::Arrived, 10 * full);
        // The delay of layer 0 exceeds the delay of other layers by the transmission time of one packet. The direct path therefore costs
        // 2.14 packets (1 + 1.14), and the path of two hops costs 2.28 packets.
        feed(&mut clique.recycle, Path::of(0, 0), PacketStatus::Arrived, 11 * full);
        assert_eq!(clique.take([0, 0, 9]).0, 0);
        // The delay of a trimmed packet counts four times. The delay of layer 0 becomes 11 · 7/8 + 44 / 8 = 15.125 packets, which is 5.125
        // more than 10.
        feed(&mut clique.recycle, Path::of(0, 0), PacketStatus::Trimmed, 11 * full);
        assert_eq!(clique.recycle.states[0].excess() / (full / 8), 41);
        assert_eq!(clique.take([0, 0, 9]).0, 1);
        let mut answers = 0;
        while clique.take([0, 0, 9]).0 != 0 {
            feed(&mut clique.recycle, Path::of(1, 0), PacketStatus::Arrived, 10 * full);
            answers += 1;
        }
        // Each answer multiplies the excess by 63/64. The excess falls from 5.125 packets to the 1.139 packets of an idle hop after ln
        // (5.125 / 1.139) / ln (64/63) = 95.5 answers.
        assert_eq!(answers, 96);
    }

    #[test]
    fn a_congested_layer_0_is_left_before_another_layer_is_known() {
        let full = Link::new(&Config::default()).unwrap().full();
        let mut clique = Clique::new("recycle:candidates=16,slow=0.1");
        feed(&mut clique.recycle, Path::of(0, 0), PacketStatus::Arrived, 10 * full);
        assert_eq!(clique.take([0, 0, 9]).0, 0);
        // The first answer has also set the delay of other layers to 10 packets. With the second answer, the delay of layer 0 becomes
        // 10 · 7/8 + 24 / 8 = 11.75 packets, which is 1.75 more.
        feed(&mut clique.recycle, Path::of(0, 0), PacketStatus::Arrived, 24 * full);
        assert_eq!(clique.take([0, 0, 9]).0, 1);
        // After a very slow answer from another layer, the flow stays in layer 0. The flow slowly forgets this delay, and then tries other
        // layers again.
        feed(&mut clique.recycle, Path::of(1, 0), PacketStatus::Lost, 1000 * full);
        assert_eq!(clique.take([0, 0, 9]).0, 0);
        for _ in 0..2000 {
            feed(&mut clique.recycle, Path::of(0, 0), PacketStatus::Arrived, 10 * full);
        }
        let state = &clique.recycle.states[0];
        assert!(state.minimal.abs_diff(state.longer) < FORGET, "{state:?}");
        feed(&mut clique.recycle, Path::of(0, 0), PacketStatus::Arrived, 24 * full);
        assert_eq!(clique.take([0, 0, 9]).0, 1);
    }
}
