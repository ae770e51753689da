//! Hosts that leave little in their own queues (TCP small queues): a segment goes out each time that one has left.

use super::Simulation;
use super::tcp::make_segment;
use crate::flow::{Ends, Flow};
use crate::packet::FlowNumber;
use hntes_sim_scenario::time::Time;

impl Simulation {
    /// Send segments as the host's queue gets room for them, each at its time, while nothing else happens before, up to
    /// `until`; that spares the agenda two changes a segment. Stops where one needs a closer look, as if it had sent none
    /// of the following.
    #[inline]
    pub(super) fn send_as_room_comes(&mut self, flow: FlowNumber, until: Time) {
        let Self { network, flows, now, events, .. } = self;
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut flows[flow.index()] else { return };
        let (mut segment, mut left, before) = ends.sender.steady_burst();
        let link = network.way_from(hosts[0], flow);
        while left > 0 {
            let Some(at) = ends.sender.room_due().filter(|&at| at < before && at <= until) else { return };
            if network.agenda.next().is_some_and(|(other, _)| other <= at) {
                return;
            }
            let packet = make_segment(ends, flow, segment, at);
            if network.send_alike(link, packet, 1, 1, at) == 0 {
                return;
            }
            segment.seq += 1;
            left -= 1;
            ends.sender.on_sent_into_room(network.links[link].busy_until, left > 0, at);
            *now = at;
            *events += 1;
        }
    }
}
