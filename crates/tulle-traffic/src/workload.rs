//! A workload: messages as columns.

/// Messages between endpoints; row `i` of every column is message (flow) `i`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workload {
    /// The canonical spec.
    pub spec: String,
    /// The endpoint that sends; differs from the destination.
    pub source: Vec<u32>,
    /// The endpoint that receives.
    pub destination: Vec<u32>,
    /// Payload in bytes, at least 1.
    pub bytes: Vec<u64>,
    /// Earliest start in picoseconds.
    pub start: Vec<u64>,
}

impl Workload {
    /// The number of messages.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// The sum of payloads in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Adds a message.
    pub fn push(&mut self, source: u32, destination: u32, bytes: u64, start: u64) {
        self.source.push(source);
        self.destination.push(destination);
        self.bytes.push(bytes);
        self.start.push(start);
    }
}
