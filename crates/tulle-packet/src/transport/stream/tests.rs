//! Tests of the joint behaviour of the connections of a flow.

use tulle_spec::Plugin;

use super::super::mptcp::Mptcp;
use super::*;
use crate::Config;
use crate::config::Link;
use crate::link_table::LinkTable;

/// Returns the MPTCP transport of `spec` for one flow of 1000 packets of 1500 bytes.
fn mptcp(spec: &str) -> Mptcp {
    let links = LinkTable::uniform(Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap());
    let flows = Flows { source: &[0], bytes: &[1_436_000], endpoints: 2, links: &links, lines: &[], drain: 0 };
    Mptcp::parse(spec, &flows).unwrap()
}

fn sent(out: &mut Actions) -> Vec<Outgoing> {
    let packet = |action| if let Action::Send(packet) = action { Some(packet) } else { None };
    out.drain(..).filter_map(packet).collect()
}

/// If the endpoint has space for only one packet at a time, the subflows take strict turns.
#[test]
fn subflows_take_turns() {
    for subflows in [3, 4, 5] {
        let mut stream = mptcp(&format!("mptcp:subflows={subflows},window=400,handshake=no,unsent=1500B"));
        let mut out = Actions::new();
        stream.on(Event::Start { flow: 0 }, 0, &mut out);
        assert_eq!(sent(&mut out).iter().map(|packet| packet.subflow).collect::<Vec<_>>(), [0]);
        for turn in 0..400 {
            assert!(stream.left(0, 1500));
            stream.on(Event::Room { flow: 0 }, turn, &mut out);
            let packets: Vec<_> = sent(&mut out).iter().map(|packet| (packet.subflow, packet.number)).collect();
            assert_eq!(packets, [((turn % subflows) as u8, turn as u32 + 1)]);
        }
    }
}
