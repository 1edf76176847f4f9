//! Disjoint sets of switches that can be joined (union–find with path halving).

/// Disjoint sets of switches that can be joined.
#[derive(Debug)]
pub(crate) struct Sets {
    up: Vec<u32>,
}

impl Sets {
    /// Returns sets of one switch each.
    pub fn new(switches: usize) -> Self {
        Self { up: (0..switches as u32).collect() }
    }

    /// Resets all sets: each contains one switch.
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

    /// Copies all sets from `other`, which must have the same number of switches.
    pub fn copy(&mut self, other: &Self) {
        self.up.copy_from_slice(&other.up);
    }

    /// Returns whether `a` and `b` are in the same set.
    pub fn same(&mut self, a: u32, b: u32) -> bool {
        self.top(a) == self.top(b)
    }

    /// Joins the sets of `a` and `b`. Returns false if `a` and `b` were already in the same set.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.top(a), self.top(b));
        self.up[a as usize] = b;
        a != b
    }

    /// Makes `switch` its own representative. Before the next query, the caller must call this function for all other members of the set,
    /// too.
    pub fn part(&mut self, switch: u32) {
        self.up[switch as usize] = switch;
    }

    /// Joins the set with the representative `switch` to the set of `above`. The representative of the set of `above` then represents the
    /// joined set.
    pub fn under(&mut self, switch: u32, above: u32) {
        self.up[switch as usize] = self.top(above);
    }
}
