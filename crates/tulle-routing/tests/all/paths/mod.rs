//! Tests path sets: compares them with a brute-force search on small fabrics, and with the tables of papers.

mod by_pair;
mod jellyfish;
mod oracle;
mod virtual_updown;
