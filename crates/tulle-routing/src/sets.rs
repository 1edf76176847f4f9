//! Disjoint sets of switches that grow together (union–find with path halving).

/// Disjoint sets of switches (union–find).
#[derive(Debug)]
pub(crate) struct Sets {
    up: Vec<u32>,
}

impl Sets {
    /// Every switch alone.
    pub fn new(switches: usize) -> Self {
        Self { up: (0..switches as u32).collect() }
    }

    /// Every switch alone again.
    pub fn reset(&mut self) {
        self.up.iter_mut().zip(0..).for_each(|(up, own)| *up = own);
    }

    /// Returns the representative of the set of `switch`.
    pub fn top(&mut self, mut switch: u32) -> u32 {
        while self.up[switch as usize] != switch {
            self.up[switch as usize] = self.up[self.up[switch as usize] as usize];
            switch = self.up[switch as usize];
        }
        switch
    }

    /// Copies the sets of `other`, which must cover as many switches.
    pub fn copy(&mut self, other: &Self) {
        self.up.copy_from_slice(&other.up);
    }

    /// Whether `a` and `b` are in one set.
    pub fn same(&mut self, a: u32, b: u32) -> bool {
        self.top(a) == self.top(b)
    }

    /// Joins the sets of `a` and `b`. Returns false if both are in one set already.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.top(a), self.top(b));
        self.up[a as usize] = b;
        a != b
    }

    /// Makes `switch` its own representative; all other members of its set must be reset too before the next query.
    pub fn part(&mut self, switch: u32) {
        self.up[switch as usize] = switch;
    }

    /// Joins the set represented by `switch` to the set represented by `above`, which stays the representative.
    pub fn under(&mut self, switch: u32, above: u32) {
        self.up[switch as usize] = self.top(above);
    }
}
