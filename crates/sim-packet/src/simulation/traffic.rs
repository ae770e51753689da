//! What traffic sources want done.

use super::Simulation;
use crate::flow::{Ends, Flow};
use crate::packet::{FlowNumber, Packet, PacketKind};
use crate::sources::Timer;
use crate::traffic::{Demand, TrafficSource};
use hntes_sim_scenario::results::DropCause;
use hntes_sim_scenario::time::Time;

impl Simulation {
    /// A source is asked about what was due at a moment.
    pub(super) fn on_source(&mut self, flow: FlowNumber, due: Time) {
        let Flow { source, random, .. } = &mut self.flows[flow.index()];
        let (demand, next) = source.ask(due, random);
        match next {
            Some(at) => self.schedule_source(flow, at),
            None => self.cancel(flow, Timer::Traffic),
        }
        let Flow { hosts, ends, .. } = &mut self.flows[flow.index()];
        match (demand, ends) {
            (Demand::Datagram, Ends::Udp(_)) => self.send_datagram(flow),
            (Demand::Echo, Ends::Ping(ends)) => {
                let request = Packet::new(PacketKind::EchoRequest, flow, ends.ip_bytes);
                let packet = request.stamped(self.now).numbered(ends.sent);
                ends.sent += 1;
                self.network.send(hosts[0], packet, self.now);
            }
            (Demand::Open(segments), Ends::Tcp(ends)) => {
                ends.open(segments, self.now);
                self.send_syn(flow);
            }
            (Demand::Write(segments), Ends::Tcp(ends)) => {
                ends.write(segments, self.now);
                self.send_segments(flow);
            }
            (Demand::Close, Ends::Tcp(ends)) => ends.close(),
            _ => {}
        }
    }

    /// All that the source handed over is acknowledged.
    #[cold]
    pub(super) fn on_done(&mut self, flow: FlowNumber) {
        let Flow { source, random, .. } = &mut self.flows[flow.index()];
        if let Some(at) = source.on_done(self.now, random) {
            self.schedule(flow, Timer::Traffic, at);
        }
    }

    pub(super) fn send_datagram(&mut self, flow: FlowNumber) {
        let Flow { hosts, ends: Ends::Udp(ends), .. } = &mut self.flows[flow.index()] else { return };
        ends.sent += 1;
        let link = self.network.way_from(hosts[0], flow);
        let first = Packet::new(PacketKind::Fragment, flow, ends.fragments[0]).stamped(self.now).numbered(ends.sent);
        let sent = self.network.send_alike(link, first, 0, ends.alike, self.now);
        for &ip_bytes in &ends.fragments[sent as usize..] {
            let packet = Packet::new(PacketKind::Fragment, flow, ip_bytes).stamped(self.now).numbered(ends.sent);
            if !self.network.send_on(link, packet, self.now) {
                self.network.counts[flow.index()].sent += 1;
                self.network.drop_packet(packet, DropCause::Full, self.now);
            }
        }
    }
}
