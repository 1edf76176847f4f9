//! A flit on the wire, where flits of one router are kept, and the generator of random choices.

use tulle_base::random::{mix, stream};

use rand::Rng;

use tulle_base::prefetch::{prefetch, touch};

/// One flit: 16 bytes, handed from router to router by value. What routes the packet is set in its first flit and copied to
/// the others.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flit {
    /// The cycle in which its packet was created; the number of its message, where messages are posted.
    pub created: u32,
    /// The state of forwarding: with tables the intermediate switch and the layer, else the place of the next hop in
    /// the path set.
    pub route: u32,
    /// The destination's switch.
    pub switch: u16,
    /// The destination's port on it.
    pub port: u8,
    /// Channels between switches crossed so far.
    pub hops: u8,
    /// The virtual channel it is on.
    pub vc: u8,
    /// In which cycle of its block it was sent.
    pub slot: u8,
    /// [`HEAD`], [`TAIL`], [`MINIMAL`], [`SECOND`], [`DIVERTED`], [`OPEN`].
    pub flags: u8,
    /// The service level, where a plan gives one; the cables crossed so far that count, where crossings do.
    pub level: u8,
}

/// The first flit of a packet.
pub(crate) const HEAD: u8 = 1;
/// The last flit of a packet.
pub(crate) const TAIL: u8 = 2;
/// Of a packet that goes by a shortest path.
pub(crate) const MINIMAL: u8 = 4;
/// Of a packet that has passed its intermediate switch.
pub(crate) const SECOND: u8 = 8;
/// Of a packet that has left its minimal route at its second switch.
pub(crate) const DIVERTED: u8 = 16;
/// Of a packet that may still leave it there.
pub(crate) const OPEN: u8 = 32;

/// Not a flit.
pub(crate) const NONE: u32 = u32::MAX;

/// The flits inside one router, each with a link to the next of its queue.
///
/// A queue entry is a *word*: the flit's number here, and beside it what allocators ask about it most.
#[derive(Debug, Default)]
pub(crate) struct Pool<const P: usize> {
    flits: Vec<Flit>,
    next: Vec<u32>,
    /// Those that are not in use; the last one that left is the next to be taken.
    free: Vec<u32>,
}

/// Where things are in a word of a router whose ports take P words of bits: the flit's number in the lowest bits, then the
/// output port, in six bits or, of more than 64 ports, in eight.
pub(crate) struct Word<const P: usize>;

impl<const P: usize> Word<P> {
    pub const PORT: u32 = if P == 1 { 20 } else { 18 };
    pub const NUMBER: u32 = (1 << Self::PORT) - 1;
    /// The bits of the port.
    pub const PORTS: u32 = ((1 << (GROUP - Self::PORT)) - 1) << Self::PORT;

    /// The output port of `word`.
    #[inline(always)]
    pub fn port(word: u32) -> usize {
        ((word & Self::PORTS) >> Self::PORT) as usize
    }
}

/// Where in a word the request group, later the virtual channel, is: four bits.
pub(crate) const GROUP: u32 = 26;
/// Where in a word [`HEAD`] and [`TAIL`] are.
pub(crate) const ENDS: u32 = 30;

impl<const P: usize> Pool<P> {
    /// Keeps a flit; its number.
    #[inline(always)]
    pub fn take(&mut self, flit: Flit) -> u32 {
        if let Some(number) = self.free.pop() {
            self.flits[number as usize] = flit;
            return number;
        }
        self.flits.push(flit);
        self.next.push(NONE);
        let number = self.flits.len() as u32 - 1;
        assert!(number < Word::<P>::NUMBER, "a router holds fewer than 2^20 flits, with more than 64 ports 2^18");
        number
    }

    /// Gives a flit away.
    #[inline]
    pub fn release(&mut self, number: u32) -> Flit {
        self.free.push(number);
        self.flits[number as usize]
    }

    /// The flit of `word`.
    #[inline]
    pub fn get(&self, word: u32) -> &Flit {
        &self.flits[(word & Word::<P>::NUMBER) as usize]
    }

    /// Changes the flit of `word`.
    #[inline]
    pub fn put(&mut self, word: u32, flit: Flit) {
        self.flits[(word & Word::<P>::NUMBER) as usize] = flit;
    }

    /// The word after `word` in its queue.
    #[inline]
    pub fn next(&self, word: u32) -> u32 {
        self.next[(word & Word::<P>::NUMBER) as usize]
    }

    /// Puts `after` behind `word`.
    #[inline]
    pub fn link(&mut self, word: u32, after: u32) {
        self.next[(word & Word::<P>::NUMBER) as usize] = after;
    }

    /// Reads what the next one to be taken takes.
    pub fn touch(&self) {
        touch(&self.free[self.free.len().saturating_sub(1)..]);
        touch(&self.flits[..self.flits.len().min(1)]);
        touch(&self.next[..self.next.len().min(1)]);
    }

    /// Asks for the memory of the next `count` to be taken.
    pub fn prefetch_free(&self, count: usize) {
        self.free.iter().rev().take(count).for_each(|&number| prefetch(&self.flits, number as usize));
    }

    /// Asks for the flit of `word`.
    #[inline(always)]
    pub fn prefetch_flit(&self, word: u32) {
        prefetch(&self.flits, (word & Word::<P>::NUMBER) as usize);
    }

    /// Asks for what is behind `word` in its queue.
    #[inline(always)]
    pub fn prefetch_next(&self, word: u32) {
        prefetch(&self.next, (word & Word::<P>::NUMBER) as usize);
    }

    /// How many flits there are.
    #[cfg(feature = "conservation")]
    pub fn len(&self) -> u32 {
        (self.flits.len() - self.free.len()) as u32
    }
}

/// Random choices of one router: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
/// 2014), started from a named stream.
#[derive(Debug, Clone)]
pub(crate) struct Generator(u64);

impl Generator {
    /// The generator of `switch` under `seed`.
    pub fn new(seed: u64, switch: u32) -> Self {
        Self(stream(seed, "flit/router", switch.into()).next_u64())
    }

    /// 64 random bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        let word = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word
    }

    /// A number below `n`, which is at least 1.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        scale(self.draw() >> 32, n)
    }

    /// The same; nothing is drawn where there is no choice.
    #[inline]
    pub fn choose(&mut self, n: u32) -> u32 {
        if n == 1 { 0 } else { self.below(n) }
    }
}

/// 32 random bits scaled to 0..n.
#[inline]
pub(crate) fn scale(bits: u64, n: u32) -> u32 {
    ((bits * u64::from(n)) >> 32) as u32
}
