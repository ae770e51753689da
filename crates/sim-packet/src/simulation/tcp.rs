//! What hosts do about TCP: segments, acknowledgements, handshakes and their timers.

use super::Simulation;
use crate::flow::{Ends, Flow, TcpEnds};
use crate::network::Network;
use crate::packet::{FlowNumber, Packet, PacketKind};
use crate::sources::Timer;
use crate::tcp::receiver::AckWish;
use crate::tcp::sender::{Ack, Outgoing};
use hntes_sim_scenario::HostId;
use hntes_sim_scenario::time::Time;

impl Simulation {
    #[inline(always)]
    pub(super) fn on_segment(&mut self, flow: FlowNumber, packet: Packet) {
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        if ends.receiver.breaks_run(packet.seq()) {
            self.end_run(flow);
        }
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        if !ends.receiver.has_run() && !self.merging.contains(&packet.flow()) {
            self.merging.push(packet.flow());
        }
        if ends.receiver.reports_before(packet.seq(), packet.stamp) {
            ends.receiver.compression.on_reported_before();
            self.send_ack(flow);
        }
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        ends.receive(&packet);
    }

    /// TCP sees the segments merged so far.
    #[inline]
    pub(super) fn end_run(&mut self, flow: FlowNumber) {
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        if !ends.receiver.has_run() {
            return;
        }
        match ends.receiver.end_run(self.now) {
            AckWish::Now => self.send_ack(flow),
            AckWish::Later => {
                if let Some(due) = ends.receiver.ack_due {
                    self.schedule_earlier(flow, Timer::DelayedAck, due);
                }
            }
        }
    }

    pub(super) fn send_ack(&mut self, flow: FlowNumber) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow.index()] else { return };
        let mut packet = ends.acknowledgement(flow);
        if let Some(blocks) = ends.receiver.acknowledge() {
            // A SACK option takes two bytes of padding, two of header, and eight per block.
            let bytes = 4 + 8 * u16::from(blocks.len);
            packet = packet.with_sack(self.network.sacks.put(blocks), bytes);
        }
        if !self.network.send(hosts[1], packet, self.now) {
            if let Some(slot) = packet.sack() {
                self.network.sacks.take(slot);
            }
        }
    }

    #[inline(always)]
    pub(super) fn on_ack(&mut self, flow: FlowNumber, packet: Packet) {
        let blocks = packet.sack().map(|slot| self.network.sacks.take(slot));
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        if ends.connection == packet.connection() {
            if ends.receiver.is_clamped() {
                ends.heed_short_memory(packet.seq());
            }
            let echoes_congestion = packet.echoes_congestion();
            let ack = Ack { next: packet.seq(), echo: packet.stamp, sack: blocks.as_ref(), echoes_congestion };
            ends.sender.on_ack(ack, self.now);
            if ends.note_completion(self.now) {
                self.on_done(flow);
            }
            self.tell_meters(flow);
            self.send_segments(flow);
        }
    }

    /// A connection is asked for, or the answer has come.
    #[cold]
    pub(super) fn on_handshake(&mut self, flow: FlowNumber, packet: Packet) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow.index()] else { return };
        if ends.connection != packet.connection() {
            return;
        }
        if packet.kind() == PacketKind::Established {
            ends.receiver.compression.on_established(self.now);
        } else if packet.kind() == PacketKind::Syn {
            ends.receiver.compression.on_syn(self.now);
            let answer = ends.handshake(packet.flow(), PacketKind::SynAck, packet.stamp);
            self.network.send(hosts[1], answer, self.now);
        } else if ends.sender.on_syn_ack(packet.stamp, self.now) {
            let last = ends.handshake(packet.flow(), PacketKind::Established, self.now);
            self.network.send(hosts[0], last, self.now);
            self.tell_meters(flow);
            self.send_segments(flow);
        }
    }

    pub(super) fn send_syn(&mut self, flow: FlowNumber) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow.index()] else { return };
        let syn = ends.handshake(flow, PacketKind::Syn, self.now);
        self.network.send(hosts[0], syn, self.now);
        ends.sender.on_syn_sent(self.now);
        if let Some(due) = ends.sender.due() {
            self.schedule_earlier(flow, Timer::Sending, due);
        }
    }

    /// Where meters ask, what the sender knows now.
    #[inline]
    fn tell_meters(&mut self, flow: FlowNumber) {
        if self.network.senders.are_watched() {
            let Ends::Tcp(ends) = &self.flows[flow.index()].ends else { return };
            if let Some(state) = ends.sender.state() {
                self.network.senders.tell(flow, state);
            }
        }
    }

    /// Send what the windows allow.
    #[inline]
    pub(super) fn send_segments(&mut self, flow: FlowNumber) {
        if let Some(due) = self.send_allowed(flow) {
            self.schedule_earlier(flow, Timer::Sending, due);
        }
    }

    /// The same; when the sender has something to do unasked.
    #[inline]
    pub(super) fn send_allowed(&mut self, flow: FlowNumber) -> Option<Time> {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow.index()] else { return None };
        if ends.sender.sends_plainly() {
            let link = self.network.way_from(hosts[0], flow);
            let (first, most) = ends.sender.plain_burst();
            if most > 1 {
                let packet = make_segment(ends, flow, first, self.now);
                let count = self.network.send_alike(link, packet, 1, most, self.now);
                ends.sender.on_sent_burst(count, self.now);
            }
            while let Some(segment) = ends.sender.next_plain() {
                let packet = make_segment(ends, flow, segment, self.now);
                if !self.network.send_on(link, packet, self.now) {
                    ends.sender.on_local_congestion(self.now);
                    break;
                }
                ends.sender.on_sent_plain(segment, self.now);
            }
        } else if ends.sender.waits_for_bursts() {
            send_in_bursts(&mut self.network, hosts[0], ends, flow, self.now);
        } else {
            send_with_care(&mut self.network, hosts[0], ends, flow, self.now);
        }
        ends.sender.due()
    }

    /// A sender has something to do unasked, or will have.
    pub(super) fn on_sending_due(&mut self, flow: FlowNumber) {
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        let is_past = |due: Time| due <= self.now;
        if ends.sender.rto_due.is_some_and(is_past) {
            self.on_timeout(flow);
        } else if let Some(due) = ends.sender.due() {
            self.schedule(flow, Timer::Sending, due);
        }
    }

    /// When a sender has something to do unasked.
    pub(super) fn sending_due(&self, flow: FlowNumber) -> Option<Time> {
        let Ends::Tcp(ends) = &self.flows[flow.index()].ends else { return None };
        ends.sender.due()
    }

    /// Whether its host's queue has room for what waits.
    pub(super) fn has_room_due(&self, flow: FlowNumber) -> bool {
        let Ends::Tcp(ends) = &self.flows[flow.index()].ends else { return false };
        ends.sender.room_due().is_some_and(|due| due <= self.now)
    }

    fn on_timeout(&mut self, flow: FlowNumber) {
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        if ends.sender.is_established() {
            ends.sender.on_timeout(self.now);
            self.tell_meters(flow);
            self.send_segments(flow);
        } else if ends.sender.on_handshake_timeout() {
            self.send_syn(flow);
        }
    }

    pub(super) fn on_ack_timer(&mut self, flow: FlowNumber) {
        let Ends::Tcp(ends) = &mut self.flows[flow.index()].ends else { return };
        match ends.receiver.ack_due {
            Some(due) if due <= self.now => {
                self.cancel(flow, Timer::DelayedAck);
                self.send_ack(flow);
            }
            Some(due) => self.schedule(flow, Timer::DelayedAck, due),
            None => self.cancel(flow, Timer::DelayedAck),
        }
    }
}

#[inline(always)]
pub(super) fn make_segment(ends: &mut TcpEnds, flow: FlowNumber, segment: Outgoing, now: Time) -> Packet {
    let packet = ends.segment(flow, segment.seq, now).pushed(ends.sender.is_pushed(segment));
    if ends.sender.is_ecn_capable(segment) {
        packet.ecn_capable().window_reduced(ends.sender.owes_window_reduced())
    } else {
        packet
    }
}

/// Send what the windows allow of a sender that waits for bursts worth handing to its card.
#[inline(never)]
fn send_in_bursts(network: &mut Network, host: HostId, ends: &mut TcpEnds, flow: FlowNumber, now: Time) {
    let link = network.way_from(host, flow);
    loop {
        let (first, allowed) = ends.sender.plain_burst();
        let most = ends.sender.large_burst(allowed, now);
        if most == 0 {
            return;
        }
        let packet = make_segment(ends, flow, first, now);
        let count = network.send_alike(link, packet, 1, most, now);
        ends.sender.on_sent_burst(count, now);
        for _ in count..most {
            let (segment, _) = ends.sender.plain_burst();
            let packet = make_segment(ends, flow, segment, now);
            if !network.send_on(link, packet, now) {
                ends.sender.on_local_congestion(now);
                return;
            }
            ends.sender.on_sent_burst(1, now);
        }
    }
}

/// Send what the windows allow of a sender that looks at more: at times of sending, at what waits in the host's queue, at
/// how much of the window is used.
#[inline(never)]
fn send_with_care(network: &mut Network, host: HostId, ends: &mut TcpEnds, flow: FlowNumber, now: Time) {
    let limit = ends.sender.queue_limit();
    ends.sender.forget_wait_for_room();
    let link = network.way_from(host, flow);
    let next_before = ends.sender.next_new_number();
    loop {
        let (first, most) = ends.sender.rack_burst(limit, now);
        if most > 1 {
            let packet = make_segment(ends, flow, first, now);
            let count = network.send_alike(link, packet, 1, most, now);
            let service = network.links[link].service_of(&packet);
            ends.sender.on_sent_rack_burst(count, network.links[link].busy_until, service, now);
        }
        let Some(segment) = ends.sender.next_to_send(now) else { break };
        if limit.is_some_and(|limit| !ends.sender.has_room_in_queue(limit, now)) {
            break;
        }
        let packet = make_segment(ends, flow, segment, now);
        if !network.send(host, packet, now) {
            ends.sender.on_local_congestion(now);
            break;
        }
        if limit.is_some() {
            ends.sender.departs(network.last_departure(host, &packet));
        }
        ends.sender.on_sent(segment, now);
    }
    ends.sender.note_sent_all(ends.sender.next_new_number() > next_before, now);
}
