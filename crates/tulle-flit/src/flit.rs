//! Flits, the pool that stores the flits of one router, and the router's random number generator.

use tulle_base::random::{mix, stream};

use rand::Rng;

use tulle_base::prefetch::{prefetch, touch};

/// One flit of 16 bytes, passed from router to router by value. The routing fields are set in a packet's first flit and
/// copied to its other flits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flit {
    /// The cycle in which the packet was created. If the packet belongs to a message of a workload, the number of the message. If the
    /// selector learns from acknowledgements, a number of the packet instead ([`crate::router::feedback`]), from its first switch on.
    pub created: u32,
    /// Forwarding state. With forwarding tables: the intermediate switch, the layer, and the number of hops before the
    /// current route. With path sets: the position of the next hop in the path set.
    pub route: u32,
    /// The destination's switch.
    pub switch: u16,
    /// The destination endpoint's port on the destination switch.
    pub port: u8,
    /// Number of channels between switches that the packet has crossed.
    pub hops: u8,
    /// The VC of the flit's current channel.
    pub vc: u8,
    /// The cycle in which the flit was sent, counted from the start of the current block of cycles.
    pub slot: u8,
    /// A set of [`HEAD`], [`TAIL`], [`MINIMAL`], [`SECOND_PHASE`], [`DIVERTED`], [`MAY_DIVERT`], [`MEASURED`].
    pub flags: u8,
    /// With policy `plan`, the service level. With policy `crossings`, the number of VC-increment channels that the packet has crossed.
    /// With policy `datelines`, the dimension whose dateline the packet has crossed.
    pub level: u8,
}

const _: () = assert!(size_of::<Flit>() == 16);

/// The first flit of a packet.
pub(crate) const HEAD: u8 = 1;
/// The last flit of a packet.
pub(crate) const TAIL: u8 = 2;
/// The packet takes a minimal route.
pub(crate) const MINIMAL: u8 = 4;
/// The packet has passed its intermediate switch.
pub(crate) const SECOND_PHASE: u8 = 8;
/// The packet has left its minimal route at its second switch.
pub(crate) const DIVERTED: u8 = 16;
/// The packet may still leave its minimal route at its second switch.
pub(crate) const MAY_DIVERT: u8 = 32;

/// The packet is measured by BookSim2's saturation rule.
pub(crate) const MEASURED: u8 = 64;

/// The handle of no flit.
pub(crate) const NONE: u32 = u32::MAX;

/// Storage of the flits inside one router. Each flit has a link to the next flit of its queue.
///
/// Queues hold *handles*. A handle packs the number of the flit in the pool with the fields that allocators read most.
#[derive(Debug, Default)]
pub(crate) struct Pool<const P: usize> {
    flits: Vec<Flit>,
    next: Vec<u32>,
    /// Unused flit numbers. The number that was freed last is reused first.
    free: Vec<u32>,
}

/// The bit layout of a packed flit handle, in a router with port sets of P × 64 bits. The lowest 20 bits (18 if P > 1)
/// are the number of the flit in the pool. The next six bits (eight if P > 1) are the output port.
pub(crate) struct Handle<const P: usize>;

impl<const P: usize> Handle<P> {
    pub const PORT: u32 = if P == 1 { 20 } else { 18 };
    pub const NUMBER: u32 = (1 << Self::PORT) - 1;
    /// Mask of the port.
    pub const PORTS: u32 = ((1 << (GROUP - Self::PORT)) - 1) << Self::PORT;

    /// Returns the output port of a handle.
    #[inline(always)]
    pub fn port(handle: u32) -> usize {
        ((handle & Self::PORTS) >> Self::PORT) as usize
    }
}

/// The position of the first of four bits of a flit handle that hold the request group, and later the VC.
pub(crate) const GROUP: u32 = 26;
/// First of two bits that hold [`HEAD`] and [`TAIL`].
pub(crate) const ENDS: u32 = 30;

impl<const P: usize> Pool<P> {
    /// Stores a flit and returns its number.
    #[inline(always)]
    pub fn take(&mut self, flit: Flit) -> u32 {
        if let Some(number) = self.free.pop() {
            self.flits[number as usize] = flit;
            return number;
        }
        self.flits.push(flit);
        self.next.push(NONE);
        let number = self.flits.len() as u32 - 1;
        assert!(number < Handle::<P>::NUMBER, "the run ends before the numbers of flits run out");
        number
    }

    /// Returns whether `more` additional flits could need more flit numbers than there are.
    #[inline]
    pub fn is_nearly_full(&self, more: usize) -> bool {
        self.flits.len() - self.free.len() + more >= Handle::<P>::NUMBER as usize
    }

    /// Removes a flit and returns it.
    #[inline]
    pub fn release(&mut self, number: u32) -> Flit {
        self.free.push(number);
        self.flits[number as usize]
    }

    /// Returns the flit of a handle.
    #[inline]
    pub fn get(&self, handle: u32) -> &Flit {
        &self.flits[(handle & Handle::<P>::NUMBER) as usize]
    }

    /// Replaces the flit of a handle.
    #[inline]
    pub fn put(&mut self, handle: u32, flit: Flit) {
        self.flits[(handle & Handle::<P>::NUMBER) as usize] = flit;
    }

    /// Returns the next handle in the queue.
    #[inline]
    pub fn next(&self, handle: u32) -> u32 {
        self.next[(handle & Handle::<P>::NUMBER) as usize]
    }

    /// Links `after` as the next handle behind `handle` in its queue.
    #[inline]
    pub fn link(&mut self, handle: u32, after: u32) {
        self.next[(handle & Handle::<P>::NUMBER) as usize] = after;
    }

    /// Reads the array entries that the next call of `take` will use. This pulls them into the CPU cache.
    pub fn touch(&self) {
        touch(&self.free[self.free.len().saturating_sub(1)..]);
        touch(&self.flits[..self.flits.len().min(1)]);
        touch(&self.next[..self.next.len().min(1)]);
    }

    /// Prefetches the next `count` free entries.
    pub fn prefetch_free(&self, count: usize) {
        self.free.iter().rev().take(count).for_each(|&number| prefetch(&self.flits, number as usize));
    }

    /// Prefetches the flit of a handle.
    #[inline(always)]
    pub fn prefetch_flit(&self, handle: u32) {
        prefetch(&self.flits, (handle & Handle::<P>::NUMBER) as usize);
    }

    /// Prefetches the queue link of a handle.
    #[inline(always)]
    pub fn prefetch_next(&self, handle: u32) {
        prefetch(&self.next, (handle & Handle::<P>::NUMBER) as usize);
    }

    /// Returns the number of flits stored.
    #[cfg(feature = "conservation")]
    pub fn len(&self) -> u32 {
        (self.flits.len() - self.free.len()) as u32
    }
}

/// The random number generator of one router: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014), seeded from a named stream.
#[derive(Debug, Clone)]
pub(crate) struct Generator(u64);

impl Generator {
    /// Creates the generator of `switch` under `seed`.
    pub fn new(seed: u64, switch: u32) -> Self {
        Self(stream(seed, "flit/router", switch.into()).next_u64())
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        let word = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word
    }

    /// Returns a random number below `n`, which is at least 1.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        scale(self.draw() >> 32, n)
    }

    /// Returns a random number below `n`. Unlike [`Generator::below`], does not advance the generator if `n` is 1.
    #[inline]
    pub fn choose(&mut self, n: u32) -> u32 {
        if n == 1 { 0 } else { self.below(n) }
    }
}

/// Scales 32 random bits to 0..n.
#[inline]
pub(crate) fn scale(bits: u64, n: u32) -> u32 {
    ((bits * u64::from(n)) >> 32) as u32
}
