//! TCP with NewReno windows and selective acknowledgements (RFC 5681, RFC 6582, RFC 6675, RFC 6298).

use tulle_spec::plugin;

use super::Flows;
use super::congestion::{Ack, Connection, Controller, Start, Window};
use super::stream::{Common, Options, Stream};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Tcp(arguments, flows: Flows<'a>) {
        common: Common;
        /// whether a flow asks its selector for another layer when its window is reduced
        change: bool = flag(), default "no";
        machine: Stream<NewReno> => Stream::new(Options::new(&common, change, (), flows), flows);
    }
    name: "tcp",
    summary: "NewReno with selective acknowledgements",
    paper: "RFC 5681, RFC 6582, RFC 6675, RFC 6298; FatPaths §VII-A6, appendix D-C (timeouts, interrupts)",
    limitations: "Windows count packets, not bytes. Every packet is acknowledged. An acknowledgement carries one SACK \
        block of at most 255 packets, not up to four blocks (RFC 2018 §3). Congestion marks are ignored. There is no \
        closing handshake.",
    examples: ["tcp", "tcp:window=10,handshake=no,interrupt=0", "tcp:rto_min=1ms,software=2us,change=yes"],
    rejects: [
        ("tcp:window=0", "window=0 is out of range; legal: 1 to 65535"),
        ("tcp:rto_min=2ms,rto_max=1ms", "rto_max=1ms is out of range; legal: 2ms to 3600s"),
        ("tcp:interrupt=1s", "interrupt=1s is out of range; legal: 0 to 10ms"),
        ("tcp:gain=0.1", "unknown parameter 'gain=0.1'"),
    ],
}

runs!(Tcp: Stream<NewReno>, "droptail", "recycle");

/// NewReno (RFC 5681, RFC 6582): losses halve the window, marks are ignored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewReno {
    window: Window,
}

impl Controller for NewReno {
    type Parameters = ();

    fn new(start: &Start, (): &()) -> Self {
        Self { window: Window::new(start.window) }
    }

    fn on_ack(&mut self, ack: &Ack, connection: &Connection, (): &()) {
        if ack.may_grow(connection) {
            self.window.grow(ack);
        }
    }

    fn on_loss(&mut self, connection: &Connection, (): &()) {
        self.window.on_loss(connection);
    }

    fn on_timeout(&mut self, connection: &Connection, (): &()) {
        self.window.on_timeout(connection);
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.size()
    }
}
