//! The paths to one destination in one layer. The paths of some switches have failed.

use tulle_fabric::Fabric;
use tulle_routing::Table;

use super::States;
use super::dynamic_order::DynamicOrder;
use crate::VcPlan;

/// The data that all trees share. Switches and channels have their ids from before the failure.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    pub fabric: &'a Fabric,
    pub tables: &'a [Table],
    pub plan: &'a VcPlan,
    /// The virtual channels, indexed by `(switch * 2 + injected) * num_sls + sl`.
    pub lanes: &'a [u8],
    pub num_sls: usize,
    pub vcs: usize,
    /// Whether each channel works.
    pub is_up: Vec<bool>,
    /// For each switch, whether it has endpoints that send.
    pub is_sender: Vec<bool>,
    /// The states that must be free of deadlock.
    pub states: States,
    /// The maximum number of hops of a new path.
    pub most_hops: usize,
    /// For each channel, the number of forwarding entries that lead over it.
    pub load: Vec<u32>,
    /// The number of the current attempt. The first attempts prefer short paths, and among these lightly loaded channels. Later attempts
    /// try channels in a random order that differs in each attempt (see [`BY_LOAD`] and [`BY_HOPS`]).
    pub attempt: u32,
}

/// Attempts with a number below this limit prefer short paths, and among these the least loaded channel.
const BY_LOAD: u32 = 4;
/// Attempts with a number below this limit prefer short paths. Later attempts choose at random among all paths that are short enough.
const BY_HOPS: u32 = 12;

impl Whole<'_> {
    /// Returns a key that rates a path of `hops` hops whose first channel is `channel`. The path with the smallest key is tried first.
    fn preference(&self, hops: usize, channel: u32) -> (usize, u32) {
        // A multiplicative hash (Knuth) shuffles the channels, differently in every attempt.
        let shuffled =
            (channel ^ self.attempt << 20).wrapping_mul(0x9E37_79B1).rotate_left(15).wrapping_mul(0x85EB_CA6B);
        match self.attempt {
            0..BY_LOAD => (hops, self.load[channel as usize]),
            BY_LOAD..BY_HOPS => (hops, shuffled),
            _ => (0, shuffled),
        }
    }

    fn target(&self, channel: u32) -> u32 {
        self.fabric.targets()[channel as usize]
    }

    /// Returns the graph node of `channel` for packets of service level `sl`. `injected` is true if the packets come from an endpoint, and
    /// false if they come from another switch.
    fn node(&self, channel: u32, injected: bool, sl: u8) -> u32 {
        let switch = self.fabric.sources()[channel as usize] as usize;
        let vc = self.lanes[(switch * 2 + usize::from(injected)) * self.num_sls + usize::from(sl)];
        channel * self.vcs as u32 + u32::from(vc)
    }
}

/// The state of a switch in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The path of the switch works.
    Intact,
    /// The path of the switch has failed. The value is the number of hops from the switch to the failure.
    Broken(u32),
    /// The path of the switch has failed, and the switch has a new entry. The value is the channel to which this entry leads.
    Rerouted(u32),
    /// The switch itself has failed.
    Failed,
}

/// The paths of one layer to one destination.
#[derive(Debug)]
pub(super) struct Tree {
    pub layer: usize,
    pub destination: u32,
    /// The number of attempts in which the search found no solution for this tree.
    pub failures: u32,
    /// The switches whose path has failed, each with the number of hops to the failure; switches far from the failure come first.
    broken: Vec<(u32, u32)>,
    /// The switches that have failed.
    failed: Vec<u32>,
    /// The port to which the old entry of each switch leads; [`tulle_routing::NO_GROUP`] for the destination.
    ports: Vec<u16>,
    /// The state of each switch; empty if all paths work.
    states: Vec<State>,
}

impl Tree {
    /// Returns the paths of `layer` to `destination`. `ports` has the port to which the entry of each switch leads.
    pub fn of(whole: &Whole<'_>, layer: usize, destination: u32, ports: &[u16]) -> Self {
        let size = whole.fabric.num_switches();
        let mut states = vec![None; size];
        states[destination as usize] = Some(State::Intact);
        let mut trail = Vec::new();
        for start in 0..size as u32 {
            let mut here = start;
            while states[here as usize].is_none() {
                trail.push(here);
                let channel = whole.fabric.offsets()[here as usize] + u32::from(ports[here as usize]);
                if !whole.is_up[channel as usize] {
                    break;
                }
                here = whole.target(channel);
            }
            // If the walk ended at a failed channel, `here` is the switch before this channel. It is the last switch of the trail, and its
            // state is not known yet.
            let mut ahead = match states[here as usize] {
                Some(State::Broken(hops)) => Some(hops + 1),
                Some(_) => None,
                None => Some(0),
            };
            while let Some(switch) = trail.pop() {
                states[switch as usize] = Some(ahead.map_or(State::Intact, State::Broken));
                ahead = ahead.map(|hops| hops + 1);
            }
        }
        let mut states: Vec<State> = states.into_iter().map(|state| state.expect("every switch has a path")).collect();
        for switch in 0..size as u32 {
            let mut channels = whole.fabric.channels_of(switch);
            if !channels.is_empty() && channels.all(|channel| !whole.is_up[channel]) {
                states[switch as usize] = State::Failed;
            }
        }
        let mut broken: Vec<(u32, u32)> = (0..size as u32)
            .filter_map(|switch| match states[switch as usize] {
                State::Broken(hops) => Some((hops, switch)),
                _ => None,
            })
            .collect();
        broken.sort_by_key(|&(hops, switch)| (std::cmp::Reverse(hops), switch));
        let failed = (0..size as u32).filter(|&switch| states[switch as usize] == State::Failed).collect();
        if broken.is_empty() {
            states = Vec::new();
        }
        Self { layer, destination, failures: 0, broken, failed, ports: ports.to_vec(), states }
    }

    /// Returns the channel to which the old entry of `switch` leads.
    fn entry(&self, whole: &Whole<'_>, switch: u32) -> u32 {
        whole.fabric.offsets()[switch as usize] + u32::from(self.ports[switch as usize])
    }

    pub fn is_intact(&self) -> bool {
        self.broken.is_empty()
    }

    pub fn num_broken(&self) -> usize {
        self.broken.len()
    }

    /// Returns the switches whose path has failed, and the switches that have failed themselves.
    pub fn sources(&self) -> impl Iterator<Item = u32> {
        self.broken.iter().map(|&(_, switch)| switch).chain(self.failed.iter().copied())
    }

    /// Returns the new entries, each as a switch and the channel to which its entry leads.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32)> {
        self.broken.iter().filter_map(|&(_, switch)| match self.states[switch as usize] {
            State::Rerouted(channel) => Some((switch, channel)),
            _ => None,
        })
    }

    /// Removes the new entries.
    pub fn clear(&mut self) {
        for &(hops, switch) in &self.broken {
            self.states[switch as usize] = State::Broken(hops);
        }
    }

    /// Gives a new entry to every switch whose path has failed. Returns false if some switch has no entry that is free of deadlock.
    pub fn grow(&mut self, whole: &mut Whole<'_>, graph: &mut DynamicOrder) -> bool {
        let mut left: Vec<u32> = self.broken.iter().map(|&(_, switch)| switch).collect();
        loop {
            let before = left.len();
            left.retain(|&switch| !self.reroute(switch, whole, graph));
            if left.is_empty() || left.len() == before {
                return left.is_empty();
            }
        }
    }

    /// Gives `switch` the best entry that closes no cycle (see [`Whole::preference`]). Returns whether there is such an entry.
    fn reroute(&mut self, switch: u32, whole: &mut Whole<'_>, graph: &mut DynamicOrder) -> bool {
        let channels = whole.fabric.channels_of(switch).map(|channel| channel as u32);
        let mut candidates: Vec<((usize, u32), u32)> = channels
            .filter(|&channel| whole.is_up[channel as usize])
            .filter_map(|channel| {
                let hops = 1 + self.hops(whole, whole.target(channel))?;
                (hops <= whole.most_hops).then_some((whole.preference(hops, channel), channel))
            })
            .collect();
        candidates.sort_unstable();
        let senders = self.upstream(whole, switch);
        for (_, channel) in candidates {
            let before = std::mem::replace(&mut self.states[switch as usize], State::Rerouted(channel));
            if graph.insert_all(&self.dependencies(whole, &senders)) {
                whole.load[channel as usize] += 1;
                return true;
            }
            self.states[switch as usize] = before;
        }
        false
    }

    /// Returns the number of hops from `switch` to the destination over intact and new entries; `None` if there is no such path.
    fn hops(&self, whole: &Whole<'_>, switch: u32) -> Option<usize> {
        let (mut here, mut hops) = (switch, 0);
        while here != self.destination {
            let channel = match self.states[here as usize] {
                State::Intact => self.entry(whole, here),
                State::Rerouted(channel) => channel,
                State::Broken(_) | State::Failed => return None,
            };
            here = whole.target(channel);
            hops += 1;
        }
        Some(hops)
    }

    /// Calls `visit` with each channel to which `switch` may forward packets: the channels of its old and its new entry. The old entry may
    /// lead to a failed channel, which some packets crossed before it failed.
    fn choices(&self, whole: &Whole<'_>, switch: u32, mut visit: impl FnMut(u32)) {
        if switch == self.destination {
            return;
        }
        let (old, state) = (self.entry(whole, switch), self.states[switch as usize]);
        if whole.states != States::New || state == State::Intact {
            visit(old);
        }
        if let State::Rerouted(channel) = state
            && (channel != old || whole.states == States::New)
        {
            visit(channel);
        }
    }

    /// Returns the switches whose packets can reach `switch`, each with the service level of its packets. The path of `switch` has failed. A
    /// switch whose path works ([`State::Intact`]) sends only to such switches, so its packets never reach `switch`. The result has only
    /// switches whose path has failed, and failed switches: packets of a failed switch may have left it before its failure.
    fn upstream(&self, whole: &Whole<'_>, switch: u32) -> Vec<(u32, u8)> {
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for from in self.sources() {
            self.choices(whole, from, |channel| edges.push((whole.target(channel), from)));
        }
        let mut found = vec![switch];
        let mut next = 0;
        while next < found.len() {
            for &(to, from) in &edges {
                if to == found[next] && !found.contains(&from) {
                    found.push(from);
                }
            }
            next += 1;
        }
        found
            .into_iter()
            .filter(|&source| whole.is_sender[source as usize] && whole.is_sender[self.destination as usize])
            .map(|source| (source, whole.plan.sl(self.layer as u32, source, self.destination)))
            .collect()
    }

    /// Returns all channel dependencies that packets of `senders` can have.
    fn dependencies(&self, whole: &Whole<'_>, senders: &[(u32, u8)]) -> Vec<[u32; 2]> {
        let mut found: Vec<[u32; 2]> = Vec::new();
        let mut visited: Vec<(u32, u8)> = Vec::new();
        let mut stack: Vec<(u32, u8)> = Vec::new();
        for &(source, sl) in senders {
            self.choices(whole, source, |channel| stack.push((whole.node(channel, true, sl), sl)));
            while let Some((held, sl)) = stack.pop() {
                if visited.contains(&(held, sl)) {
                    continue;
                }
                visited.push((held, sl));
                let came = held / whole.vcs as u32;
                let back = whole.fabric.reverse()[came as usize];
                self.choices(whole, whole.target(came), |channel| {
                    if whole.states == (States::Mixtures { drops_u_turns: true }) && channel == back {
                        return;
                    }
                    let next = whole.node(channel, false, sl);
                    // No packet waits for a failed channel. So if a packet occupies a buffer of a failed channel, no other packet waits for
                    // this buffer.
                    if whole.is_up[came as usize] && whole.is_up[channel as usize] {
                        found.push([held, next]);
                    }
                    stack.push((next, sl));
                });
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
