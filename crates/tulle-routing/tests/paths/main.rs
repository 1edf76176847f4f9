//! Path sets: against brute force on small fabrics, and against the papers' tables.

mod by_pair;
mod jellyfish;
mod oracle;
mod virtual_updown;
