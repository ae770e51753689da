//! Hosts that leave little in their own queues (TCP small queues): a segment goes out each time that one has left.

use super::Simulation;
use super::tcp::make_segment;
use crate::flow::{Ends, Flow, TcpEnds};
use crate::packet::{FlowNumber, Packet};
use crate::run::Offers;
use crate::tcp::sender::Outgoing;
use crate::tcp::timed_burst::Steady;
use hntes_sim_scenario::time::Time;

/// Segments that a sender offers its host as room comes, until something else happens.
#[derive(Debug)]
struct AsRoomComes<'a> {
    ends: &'a mut TcpEnds,
    flow: FlowNumber,
    steady: Steady,
    end: Time,
    most: u32,
    sent: u32,
}

impl Offers for AsRoomComes<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<(Packet, Time)> {
        let at = self.ends.sender.room_comes().filter(|&at| at < self.end && self.sent < self.most)?;
        let segment = Outgoing { seq: self.steady.first.seq + self.sent, ..self.steady.first };
        Some((make_segment(self.ends, self.flow, segment, at), at))
    }

    #[inline(always)]
    fn sent(&mut self, at: Time, departure: Time) {
        self.ends.sender.on_sent_into_room(self.steady.first.seq + self.sent, at, departure);
        self.sent += 1;
    }
}

impl Simulation {
    /// Send segments as the host's queue gets room for them, each at its time, while nothing else happens before, up to
    /// `until`; that spares the agenda two changes a segment. Stops where one needs a closer look, as if it had sent none
    /// of the following.
    #[inline]
    pub(super) fn send_as_room_comes(&mut self, flow: FlowNumber, until: Time) {
        let Self { network, flows, now, events, .. } = self;
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut flows[flow.index()] else { return };
        let link = network.way_from(hosts[0], flow);
        while let Some(steady) = ends.sender.steady_burst() {
            let other = network.agenda.next().map_or(Time::NEVER, |(other, _)| other);
            let end = other.min(steady.before).min(until + Time::from_ps(1));
            // The first packet on an idle link is an event of its own.
            let most = if network.links[link].head == Time::NEVER { 1 } else { steady.count };
            let mut segments = AsRoomComes { ends, flow, steady, end, most, sent: 0 };
            let last = network.send_each(link, flow, &mut segments);
            let sent = segments.sent;
            let Some(last) = last else { return };
            ends.sender.on_sent_as_room_came(sent, steady.is_followed || sent < steady.count, last);
            *now = last;
            *events += u64::from(sent);
        }
    }
}
