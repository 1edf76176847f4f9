//! Runs the routers on one or several threads. All routers run one block of cycles, then exchange flits.

use std::ops::ControlFlow;

use tulle_base::{memory, task};

use crate::channel_buffer::ChannelBuffer;
use crate::flit::{Flit, Handle};
use crate::goal::Goal;
use crate::measure::Tally;
use crate::outcome::Deadlock;
use crate::router::context::{Local, Run};
use crate::router::core::Router;
use crate::router::feedback::Feedback;
use crate::router::switch::Switch;
use crate::router::switching::Switching;
use crate::warmup::Warmup;
use crate::window::Window;
use crate::{Config, Error, Progress, watchdog};

/// Cycles between runs of the watchdog.
const WATCH: u32 = 4096;

/// The work of one thread: how many routers it runs, and how many outgoing channels these routers have.
#[derive(Debug, Clone, Copy)]
struct Share {
    routers: usize,
    channels: usize,
}

/// The state of a run when it ended.
pub(crate) struct End {
    /// The statistics of all threads.
    pub tally: Tally,
    /// Per channel: flits sent in the measurement window.
    pub sent: Vec<u32>,
    /// Number of simulated cycles.
    pub now: u32,
    /// Whether the goal of the run has been reached.
    pub complete: bool,
    pub deadlock: Option<Deadlock>,
    /// The measured window, and whether the warm-up converged if a tolerance was set.
    pub window: Window,
    pub converged: Option<bool>,
}

/// Runs `routers` until `goal` is reached.
pub(crate) fn drive<S: Switching<P>, const P: usize>(
    run: &mut Run,
    mut routers: Vec<Router<S, P>>,
    config: &Config,
    mut goal: Goal,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<End, Error> {
    let shares = shares(run, config.threads);
    let pool = match shares.len() {
        1 => None,
        threads => {
            let task = task::current();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .start_handler(move |_| task.iter().cloned().for_each(task::set_current));
            // If a thread cannot be started, memory for its stack is usually missing.
            Some(memory::must(pool.build().map_err(|_| memory::no_thread())))
        }
    };
    let mut locals: Vec<Local<S::Scratch>> = shares.iter().map(|_| Local::default()).collect();
    let channels = run.fabric.num_channels();
    let mut buffers = [(); 2].map(|()| memory::array("channel buffers", ChannelBuffer::default(), channels));
    let mut warmup = Warmup::of(config).filter(|_| !matches!(goal, Goal::Arrival(..)));
    let mut converged = warmup.as_ref().map(|_| false);
    let (mut now, mut watched) = (0u32, 0u32);
    let (mut complete, mut deadlock) = (false, None);
    while u64::from(now) < goal.last(run, config) {
        goal.release(&mut routers, now, now + run.block as u32);
        let [write, read] = &mut buffers;
        let shared = &*run;
        match &pool {
            None => run_share(shared, now, &mut routers, 0, read, write, &mut locals[0]),
            Some(pool) => {
                let mut parts = parts(&shares, &mut routers, write, &mut locals);
                let (first, rest) = parts.split_first_mut().expect("there is a thread");
                let read = &read[..];
                pool.in_place_scope(|scope| {
                    for part in rest {
                        scope.spawn(move |_| part.run(shared, now, read));
                    }
                    first.run(shared, now, read);
                });
            }
        }
        settle(run, &mut routers, &mut locals);
        buffers.swap(0, 1);
        run.routes.next_block();
        now += run.block as u32;
        if let Some(switch) = locals.iter().find_map(|local| local.full) {
            return Err(too_many(run, &routers[switch as usize], now));
        }
        #[cfg(feature = "conservation")]
        crate::conservation::check(run, &routers, &locals, &buffers[1], now);
        if let Some((window, agreed)) =
            warmup.as_mut().and_then(|warmup| warmup.update(now, locals.iter().map(|local| &local.tally)))
        {
            run.sending.window = window;
            (warmup, converged) = (None, Some(agreed));
        }
        complete = goal.is_reached(run, &routers, &mut locals, now);
        if complete {
            break;
        }
        if now - watched >= WATCH {
            watched = now;
            let stuck: Vec<_> = routers.iter().flat_map(|router| router.stuck(run)).collect();
            deadlock = watchdog::deadlock(run.fabric, &stuck, now.into());
            if deadlock.is_some() {
                break;
            }
        }
        let sum = |count: fn(&Tally) -> u64| locals.iter().map(|local| count(&local.tally)).sum::<u64>();
        let delivered = sum(|tally| tally.delivered);
        let in_flight = sum(|tally| tally.created_flits) - sum(|tally| tally.delivered_flits);
        if observe(&Progress { cycle: now.into(), delivered, in_flight }).is_break() {
            break;
        }
    }
    let mut tally = Tally::default();
    locals.iter().for_each(|local| tally.add(&local.tally));
    let sent = routers.iter().flat_map(|router| router.switch.sent()).collect();
    Ok(End { tally, sent, now, complete, deadlock, window: run.sending.window, converged })
}

/// Counts the flits that reached their endpoints in the last block of cycles, and sends acknowledgements to their first switches.
fn settle<S: Switching<P>, const P: usize>(run: &Run, routers: &mut [Router<S, P>], locals: &mut [Local<S::Scratch>]) {
    // A packet's data are prefetched this many packets ahead.
    const AHEAD: usize = 8;
    let Some(idle) = &run.idle else { return };
    let feedback = routers.iter_mut().map(|router| router.switch.feedback.as_deref_mut());
    let mut first: Vec<&mut Feedback> = feedback.map(|it| it.expect("every switch gets feedback")).collect();
    let last = first.len().next_power_of_two() - 1;
    // The low bits of a packet's number are the number of its first switch.
    let place = |flit: &Flit| flit.created as usize & last;
    for local in locals {
        let mut ejected = std::mem::take(&mut local.ejected);
        for at in 0..ejected.len() {
            if let Some((_, flit)) = ejected.get(at + AHEAD) {
                first[place(flit)].prefetch_trip(flit);
            }
            let (now, mut flit) = ejected[at];
            flit.created = first[place(&flit)].arrive(idle, &flit, now);
            local.arrive(run, &flit, now);
        }
        ejected.clear();
        local.ejected = ejected;
    }
}

/// The error for a switch that holds so many flits, or has so many packets under way, that their numbers run out.
fn too_many<S: Switching<P>, const P: usize>(run: &Run, router: &Router<S, P>, now: u32) -> Error {
    let Switch { layout, feedback, .. } = &router.switch;
    let name = run.fabric.called(layout.switch);
    if let Some(feedback) = feedback.as_ref().filter(|feedback| feedback.is_nearly_full(layout.endpoints * run.block)) {
        let most = feedback.max_packets();
        let problem = format!(
            "the buffers are too large: after {now} cycles about {most} packets of switch {name} are under way"
        );
        let legal = format!(
            "up to {most} packets per switch with a selector that learns; use smaller buffers or another selector"
        );
        return Error::shape(problem, legal);
    }
    let (records, ports) = (run.timing.records(), if P == 1 { "at most 64 ports" } else { "more than 64 ports" });
    let most = Handle::<P>::NUMBER - 1;
    let problem =
        format!("the buffers of switch {name} are too large: after {now} cycles they hold about {most} {records}");
    Error::shape(
        problem,
        format!("up to {most} {records} in a switch of {ports}; use smaller buffers or fewer virtual channels"),
    )
}

/// Divides the routers, in the order of their ids, into groups with about the same number of ports.
fn shares(run: &Run, threads: usize) -> Vec<Share> {
    let fabric = run.fabric;
    let switches = fabric.num_switches();
    let threads = threads.clamp(1, switches.max(1));
    let ports = |switch: usize| fabric.degree(switch as u32) + fabric.endpoints_of(switch as u32).len();
    let all: usize = (0..switches).map(ports).sum();
    let mut shares = vec![Share { routers: 0, channels: 0 }; threads];
    let mut before = 0;
    for switch in 0..switches {
        let share = &mut shares[(before * threads / all.max(1)).min(threads - 1)];
        share.routers += 1;
        share.channels += fabric.degree(switch as u32);
        before += ports(switch);
    }
    shares
}

/// The routers that one thread runs for one block of cycles.
struct Part<'a, S: Switching<P>, const P: usize> {
    routers: &'a mut [Router<S, P>],
    /// The switch id of the first router in `routers`.
    first: usize,
    out: &'a mut [ChannelBuffer],
    local: &'a mut Local<S::Scratch>,
}

impl<S: Switching<P>, const P: usize> Part<'_, S, P> {
    fn run(&mut self, run: &Run, now: u32, read: &[ChannelBuffer]) {
        run_share(run, now, self.routers, self.first, read, self.out, self.local);
    }
}

fn parts<'a, S: Switching<P>, const P: usize>(
    shares: &[Share],
    mut routers: &'a mut [Router<S, P>],
    mut out: &'a mut [ChannelBuffer],
    locals: &'a mut [Local<S::Scratch>],
) -> Vec<Part<'a, S, P>> {
    let mut first = 0;
    let mut parts = Vec::with_capacity(shares.len());
    for (share, local) in shares.iter().zip(locals) {
        let mine = routers.split_off_mut(..share.routers).expect("shares add up");
        let channels = out.split_off_mut(..share.channels).expect("shares add up");
        parts.push(Part { routers: mine, first, out: channels, local });
        first += share.routers;
    }
    parts
}

/// Returns the incoming channels of `switch`.
fn incoming<'a>(run: &'a Run, switch: usize) -> impl Iterator<Item = usize> + use<'a> {
    let row = run.fabric.channels_of(switch as u32);
    run.fabric.reverse()[row].iter().map(|&channel| channel as usize)
}

fn run_share<S: Switching<P>, const P: usize>(
    run: &Run,
    now: u32,
    routers: &mut [Router<S, P>],
    first: usize,
    read: &[ChannelBuffer],
    out: &mut [ChannelBuffer],
    local: &mut Local<S::Scratch>,
) {
    let [mut here, mut next] = std::mem::take(&mut local.inboxes);
    if let Some(router) = routers.first_mut() {
        router.switch.gather(run, now, read, &mut here);
    }
    let mut channel = 0;
    for at in 0..routers.len() {
        // Prefetch two routers ahead and read the buffers one router ahead, so that memory accesses overlap with the
        // work of earlier routers.
        if let Some(router) = routers.get(at + 2) {
            router.touch();
            incoming(run, first + at + 2).for_each(|channel| read[channel].touch());
            incoming(run, first + at + 2).for_each(|channel| read[channel].prefetch());
        }
        if let Some(router) = routers.get_mut(at + 1) {
            router.switch.gather(run, now, read, &mut next);
            router.prefetch(run);
        }
        let degree = run.fabric.degree((first + at) as u32);
        routers[at].block(run, now, &mut here, &mut out[channel..channel + degree], local);
        if routers[at].is_nearly_full(run) {
            local.full = Some((first + at) as u32);
        }
        channel += degree;
        std::mem::swap(&mut here, &mut next);
    }
    local.inboxes = [here, next];
}
