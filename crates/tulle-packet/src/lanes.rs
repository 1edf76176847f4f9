//! Virtual lanes: the lane of a packet at every hop, which a plan of virtual channels assigns, and the waiting packets of every lane.
//!
//! As in InfiniBand, a packet carries a service level, which its source or its first switch sets. Service level, hop and switch determine
//! the lane. A packet that waits at a switch occupies memory of the lane on which it arrived, and waits for the lane on which it leaves.
//! These are the dependencies that the plan's certificate covers, so packets cannot wait for each other in a cycle.

mod plan;
mod queues;
#[cfg(test)]
mod tests;

use crate::forwarding::Forwarding;
use crate::packet::{Arena, Packet};
pub(crate) use plan::LanePlan;
pub(crate) use queues::LaneQueues;

/// The position of a packet in its plan.
#[derive(Debug, Clone, Copy, Default)]
struct Course {
    /// The service level.
    level: u8,
    /// The number of the next hop between switches.
    hop: u8,
    /// The lane of the link that the packet crosses, or for which it waits.
    lane: u8,
}

/// The virtual lanes of a simulation.
#[derive(Debug)]
pub(crate) struct Lanes<'a> {
    plan: LanePlan<'a>,
    /// The position of each packet, by packet id.
    courses: Vec<Course>,
    pub(crate) queues: LaneQueues,
}

impl<'a> Lanes<'a> {
    /// Returns the lanes of `plan` at this number of ports.
    pub(crate) fn new(plan: LanePlan<'a>, ports: usize) -> Self {
        Self { plan, courses: Vec::new(), queues: LaneQueues::new(ports, plan.num_lanes()) }
    }

    /// Returns the number of lanes per port.
    pub(crate) fn num_lanes(&self) -> usize {
        self.plan.num_lanes()
    }

    /// Assigns the lanes of packet `id`, which starts at switch `from`. On the link from its endpoint, the packet has the lane of its first
    /// hop, as with the tables of InfiniBand adapters.
    pub(crate) fn start(&mut self, id: u32, packet: &Packet, forwarding: &Forwarding, from: u32) {
        let to = u32::from(packet.switch);
        // A packet that stays at one switch has no route in the plan. It uses lane 0.
        let mut course = Course::default();
        if from != to {
            course.level = self.plan.level(forwarding.route(packet.layer, from, to), from, to);
            course.lane = self.plan.lane(course.level, 0, from);
        }
        if self.courses.len() <= id as usize {
            self.courses.resize(id as usize + 1, Course::default());
        }
        self.courses[id as usize] = course;
    }

    /// Assigns the service level of packet `id` again, because its first switch, `from`, has chosen its layer. On the link from its
    /// endpoint, the packet keeps its lane.
    pub(crate) fn restart(&mut self, id: u32, packet: &Packet, forwarding: &Forwarding, from: u32) {
        let arrived = self.courses[id as usize].lane;
        self.start(id, packet, forwarding, from);
        self.courses[id as usize].lane = arrived;
    }

    /// Moves packet `id` on by one switch. Returns the lane on which it arrived, and the lane on which it leaves `switch`. On the link to
    /// its endpoint (`is_last`), a packet keeps its lane.
    #[inline]
    pub(crate) fn advance(&mut self, id: u32, switch: u32, is_last: bool) -> (u8, u8) {
        let course = &mut self.courses[id as usize];
        let arrived = course.lane;
        if !is_last {
            course.lane = self.plan.lane(course.level, course.hop, switch);
            course.hop = course.hop.saturating_add(1);
        }
        (arrived, course.lane)
    }

    /// Returns the packets that wait on any lane of the port with this number.
    pub(crate) fn waiting_at(&self, number: u32, packets: &Arena) -> impl Iterator<Item = u32> {
        (0..self.num_lanes() as u8).flat_map(move |lane| self.queues.iter(number, lane, packets))
    }

    /// Returns the lane of the link that packet `id` crosses, or for which it waits.
    #[inline]
    pub(crate) fn of(&self, id: u32) -> u8 {
        self.courses[id as usize].lane
    }
}
