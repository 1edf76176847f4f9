//! Driving the routers block by block, on one thread or several.

use std::ops::ControlFlow;

use tulle_base::{memory, task};

use crate::calendar::Calendar;
use crate::measure::{Tally, Window};
use crate::outcome::Deadlock;
use crate::router::context::{Local, Run};
use crate::router::skeleton::Router;
use crate::router::switching::Switching;
use crate::warmup::Warmup;
use crate::wires::Line;
use crate::{Config, Error, Progress, watchdog};

/// Cycles between looks of the watchdog.
const WATCH: u32 = 4096;

/// One thread's routers: how many, and their channels.
#[derive(Debug, Clone, Copy)]
struct Share {
    routers: usize,
    channels: usize,
}

/// The end condition of a run.
pub(crate) enum Goal<'a> {
    /// The packets created in the window have arrived, or the drain is over.
    Window,
    /// The window is over, or a sample of it that is over has a mean latency above so many cycles.
    Below(f64),
    /// All messages have arrived, or so many cycles are over.
    Arrival(&'a mut Calendar, u32),
}

impl Goal<'_> {
    /// The cycle that the run goes to at most.
    fn last(&self, run: &Run, config: &Config) -> u64 {
        match self {
            Self::Window => u64::from(run.sending.window.end) + u64::from(config.drain),
            Self::Below(_) => run.sending.window.end.into(),
            Self::Arrival(_, limit) => (*limit).into(),
        }
    }

    /// Gives endpoints what they may send before cycle `until`.
    fn release<S: Switching<P>, const P: usize>(&mut self, routers: &mut [Router<S, P>], until: u32) {
        if let Self::Arrival(calendar, _) = self {
            calendar.release(until, |switch, port, post| routers[switch as usize].switch.sources.post(port, post));
        }
    }

    /// Whether it is reached after a block that ended with cycle `now`.
    fn is_reached<S: Switching<P>, const P: usize>(
        &mut self,
        run: &Run,
        routers: &[Router<S, P>],
        locals: &mut [Local<S::Scratch>],
        now: u32,
    ) -> bool {
        match self {
            Self::Window => {
                let sum = |count: fn(&Tally) -> u64| locals.iter().map(|local| count(&local.tally)).sum::<u64>();
                let end = run.sending.window.end;
                // Sources draw late where packets wait in them.
                now >= end
                    && sum(|tally| tally.created) == sum(|tally| tally.delivered)
                    && routers.iter().all(|router| router.switch.sources.drawn_until() >= end)
            }
            Self::Below(most) => {
                let window = run.sending.window;
                let over = now.min(window.end).saturating_sub(window.start) / window.sample;
                let mean = |sample: usize| {
                    let counts = locals.iter().filter_map(|local| local.tally.samples.get(sample));
                    let (packets, sum) = counts.fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
                    sum as f64 / packets as f64
                };
                // Without packets it is not a number, and above nothing.
                now >= window.end || (0..over as usize).any(|sample| mean(sample) > *most)
            }
            Self::Arrival(calendar, _) => {
                locals.iter_mut().for_each(|local| calendar.collect(&mut local.arrived));
                calendar.is_done()
            }
        }
    }
}

/// How a run ended.
pub(crate) struct End {
    /// The counts of all threads.
    pub tally: Tally,
    /// Per channel the flits sent in the window.
    pub sent: Vec<u32>,
    /// Cycles run.
    pub now: u32,
    /// Whether the goal has been reached.
    pub complete: bool,
    pub deadlock: Option<Deadlock>,
    /// The window that was measured, and whether it began because samples agreed, where that was asked for.
    pub window: Window,
    pub settled: Option<bool>,
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
            let task = task::followed();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .start_handler(move |_| task.iter().cloned().for_each(task::follow));
            // For want of room for their stacks most often.
            Some(memory::must(pool.build().map_err(|_| memory::no_thread())))
        }
    };
    let mut locals: Vec<Local<S::Scratch>> = shares.iter().map(|_| Local::default()).collect();
    let channels = run.fabric.num_channels();
    let mut wires = [(); 2].map(|()| memory::array("wires", Line::default(), channels));
    let mut warmup = Warmup::of(config).filter(|_| !matches!(goal, Goal::Arrival(..)));
    let mut settled = warmup.as_ref().map(|_| false);
    let (mut now, mut watched) = (0u32, 0u32);
    let (mut complete, mut deadlock) = (false, None);
    while u64::from(now) < goal.last(run, config) {
        goal.release(&mut routers, now + run.block as u32);
        let [write, read] = &mut wires;
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
        wires.swap(0, 1);
        run.routes.next_block();
        now += run.block as u32;
        #[cfg(feature = "conservation")]
        crate::conservation::check(run, &routers, &locals, &wires[1], now);
        if let Some((window, agreed)) =
            warmup.as_mut().and_then(|warmup| warmup.look(now, locals.iter().map(|local| &local.tally)))
        {
            run.sending.window = window;
            (warmup, settled) = (None, Some(agreed));
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
    Ok(End { tally, sent, now, complete, deadlock, window: run.sending.window, settled })
}

/// Shares of about as many ports each, in the order of switches.
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

/// The part of the network that one thread runs for one block.
struct Part<'a, S: Switching<P>, const P: usize> {
    routers: &'a mut [Router<S, P>],
    /// The id of its first switch.
    first: usize,
    out: &'a mut [Line],
    local: &'a mut Local<S::Scratch>,
}

impl<S: Switching<P>, const P: usize> Part<'_, S, P> {
    fn run(&mut self, run: &Run, now: u32, read: &[Line]) {
        run_share(run, now, self.routers, self.first, read, self.out, self.local);
    }
}

fn parts<'a, S: Switching<P>, const P: usize>(
    shares: &[Share],
    mut routers: &'a mut [Router<S, P>],
    mut out: &'a mut [Line],
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

/// The channels that come in at `switch`.
fn incoming<'a>(run: &'a Run, switch: usize) -> impl Iterator<Item = usize> + use<'a> {
    let row = run.fabric.channels_of(switch as u32);
    run.fabric.reverse()[row].iter().map(|&channel| channel as usize)
}

fn run_share<S: Switching<P>, const P: usize>(
    run: &Run,
    now: u32,
    routers: &mut [Router<S, P>],
    first: usize,
    read: &[Line],
    out: &mut [Line],
    local: &mut Local<S::Scratch>,
) {
    let [mut here, mut next] = std::mem::take(&mut local.inboxes);
    if let Some(router) = routers.first_mut() {
        router.switch.gather(run, now, read, &mut here);
    }
    let mut channel = 0;
    for at in 0..routers.len() {
        // Memory is asked for while the routers before run, and wires are read for the next.
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
        channel += degree;
        std::mem::swap(&mut here, &mut next);
    }
    local.inboxes = [here, next];
}
