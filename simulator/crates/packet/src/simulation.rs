//! The event loop: takes the next event, moves packets, and asks hosts and sources what they do about it.

use crate::flow::{Ends, Flow};
use crate::network::Network;
use crate::packet::{Packet, PacketKind};
use crate::stats;
use crate::tcp::receiver::AckWish;
use crate::tcp::sender::Ack;
use crate::traffic::{Demand, TrafficSource};
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::{DropCause, Recorder};
use hntes_sim_scenario::time::Time;

/// Event sources of one flow: its traffic source, its retransmission timer, its delayed-acknowledgement timer.
const TIMERS_A_FLOW: usize = 3;

/// One run, from start to end.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(crate) scenario: Scenario,
    pub(crate) network: Network,
    pub(crate) flows: Vec<Flow>,
    pub(crate) recorder: Recorder,
    pub(crate) interval: Time,
    end: Time,
    now: Time,
    events: u64,
    /// Flows whose receivers are merging segments in the batch at hand.
    merging: Vec<u16>,
}

impl Simulation {
    pub(crate) fn new(scenario: Scenario, network: Network, flows: Vec<Flow>) -> Self {
        let mut run = Self {
            interval: scenario.interval().time(),
            end: scenario.duration().time(),
            scenario,
            network,
            flows,
            recorder: Recorder::default(),
            now: Time::ZERO,
            events: 0,
            merging: Vec::new(),
        };
        for flow in 0..run.flows.len() {
            if let Some(at) = run.flows[flow].source.first() {
                run.schedule(flow, 0, at);
            }
        }
        let tick = run.tick_source();
        run.network.agenda.schedule_first(tick, run.interval);
        run
    }

    /// The present moment.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// When the run is over.
    pub const fn end(&self) -> Time {
        self.end
    }

    /// Events so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Run until this moment, or to the end of the run if that is earlier.
    pub fn run_until(&mut self, until: Time) {
        let until = until.min(self.end);
        let first_router = self.network.links.len();
        let first_timer = first_router + self.network.routers.len();
        let tick = self.tick_source();
        while let Some((at, source)) = self.network.agenda.next() {
            if at > until {
                break;
            }
            debug_assert!(at >= self.now, "time never goes back");
            self.now = at;
            self.events += 1;
            if source < first_router {
                self.on_link(source);
            } else if source < first_timer {
                // What happens when an interval ends belongs to the next one.
                let interval_end = self.network.agenda.due(tick).map_or(until, |due| due - Time::from_ps(1));
                self.events += self.network.advance(source - first_router, at, until.min(interval_end)) - 1;
            } else {
                self.on_timer(source - first_timer);
            }
        }
        self.now = until;
    }

    #[inline(always)]
    fn on_link(&mut self, index: usize) {
        let now = self.now;
        while self.network.links[index].head() <= now {
            let Some(packet) = self.network.links[index].arrive() else { break };
            self.deliver(packet);
        }
        while let Some(flow) = self.merging.pop() {
            self.end_run(usize::from(flow));
        }
        self.network.links[index].end_of_batch(now);
        self.reschedule_link(index);
    }

    #[inline(always)]
    fn reschedule_link(&mut self, index: usize) {
        match self.network.links[index].next_event() {
            Some(at) => self.network.agenda.schedule(index, at),
            None => self.network.agenda.cancel(index),
        }
    }

    /// A packet has reached the host it was meant for.
    #[inline(always)]
    fn deliver(&mut self, packet: Packet) {
        let flow = usize::from(packet.flow());
        self.network.counts[flow].delivered += 1;
        self.network.trace.fold(&packet, 0, self.now);
        match (packet.kind(), &mut self.flows[flow].ends) {
            (PacketKind::Segment, Ends::Tcp(ends)) if ends.connection == packet.connection() => {
                self.on_segment(flow, packet);
            }
            (PacketKind::Ack, Ends::Tcp(_)) => self.on_ack(flow, packet),
            (PacketKind::Syn | PacketKind::SynAck, Ends::Tcp(_)) => self.on_handshake(flow, packet),
            (PacketKind::Fragment, Ends::Udp(ends)) => ends.on_fragment(packet.seq()),
            (PacketKind::EchoRequest, Ends::Ping(_)) => {
                let from = self.flows[flow].hosts[1];
                self.network.send(from, packet.answered_by(PacketKind::EchoReply), self.now);
            }
            (PacketKind::EchoReply, Ends::Ping(ends)) => {
                ends.replies.push((packet.stamp, self.now - packet.stamp));
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn on_segment(&mut self, flow: usize, packet: Packet) {
        let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
        if ends.receiver.breaks_run(packet.seq()) {
            self.end_run(flow);
        }
        let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
        if !ends.receiver.has_run() && !self.merging.contains(&packet.flow()) {
            self.merging.push(packet.flow());
        }
        ends.receiver.on_segment(packet.seq(), packet.stamp);
    }

    /// TCP sees the segments merged so far.
    #[inline]
    fn end_run(&mut self, flow: usize) {
        let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
        if !ends.receiver.has_run() {
            return;
        }
        match ends.receiver.end_run(self.now) {
            AckWish::Now => self.send_ack(flow),
            AckWish::Later => {
                if let Some(due) = ends.receiver.ack_due {
                    self.schedule_earlier(flow, 2, due);
                }
            }
        }
    }

    fn send_ack(&mut self, flow: usize) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow] else { return };
        let mut packet = ends.acknowledgement(flow as u16);
        if let Some(blocks) = ends.receiver.acknowledge() {
            // A SACK option takes two bytes of padding, two of header, and eight a block.
            let bytes = 4 + 8 * u16::from(blocks.len);
            packet = packet.with_sack(self.network.sacks.put(blocks), bytes);
        }
        if !self.network.send(hosts[1], packet, self.now) {
            if let Some(slot) = packet.sack() {
                self.network.sacks.take(slot);
            }
        }
    }

    #[inline]
    fn on_ack(&mut self, flow: usize, packet: Packet) {
        let blocks = packet.sack().map(|slot| self.network.sacks.take(slot));
        let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
        if ends.connection == packet.connection() {
            if ends.receiver.is_clamped() {
                ends.sender.clamp_window();
            }
            ends.sender.on_ack(Ack { next: packet.seq(), echo: packet.stamp, sack: blocks.as_ref() }, self.now);
            self.send_segments(flow);
        }
    }

    /// A connection is asked for, or the answer has come.
    #[cold]
    fn on_handshake(&mut self, flow: usize, packet: Packet) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow] else { return };
        if ends.connection != packet.connection() {
            return;
        }
        if packet.kind() == PacketKind::Syn {
            let answer = ends.handshake(packet.flow(), PacketKind::SynAck, packet.stamp);
            self.network.send(hosts[1], answer, self.now);
        } else if ends.sender.on_syn_ack(packet.stamp, self.now) {
            let last = ends.handshake(packet.flow(), PacketKind::Established, self.now);
            self.network.send(hosts[0], last, self.now);
            self.send_segments(flow);
        }
    }

    fn send_syn(&mut self, flow: usize) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow] else { return };
        let syn = ends.handshake(flow as u16, PacketKind::Syn, self.now);
        self.network.send(hosts[0], syn, self.now);
        ends.sender.on_syn_sent(self.now);
        if let Some(due) = ends.sender.rto_due {
            self.schedule_earlier(flow, 1, due);
        }
    }

    /// Send what the windows allow.
    #[inline]
    fn send_segments(&mut self, flow: usize) {
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut self.flows[flow] else { return };
        while let Some(segment) = ends.sender.next_to_send() {
            let packet = ends.segment(flow as u16, segment.seq, self.now);
            if !self.network.send(hosts[0], packet, self.now) {
                ends.sender.on_local_congestion(self.now);
                break;
            }
            ends.sender.on_sent(segment, self.now);
        }
        if let Some(due) = ends.sender.rto_due {
            self.schedule_earlier(flow, 1, due);
        }
    }

    #[cold]
    fn on_timer(&mut self, number: usize) {
        let (flow, which) = (number / TIMERS_A_FLOW, number % TIMERS_A_FLOW);
        if flow == self.flows.len() {
            self.recorder.note(stats::measure(&self.scenario, self.now, &self.flows, &mut self.network));
            let tick = self.tick_source();
            self.network.agenda.schedule_first(tick, self.now + self.interval);
            return;
        }
        match which {
            0 => self.on_source(flow),
            1 => self.on_retransmission_timer(flow),
            _ => self.on_ack_timer(flow),
        }
    }

    fn on_source(&mut self, flow: usize) {
        let Flow { source, random, .. } = &mut self.flows[flow];
        let (demand, next) = source.ask(self.now, random);
        match next {
            Some(at) => self.schedule(flow, 0, at),
            None => self.cancel(flow, 0),
        }
        let Flow { hosts, ends, .. } = &mut self.flows[flow];
        match (demand, ends) {
            (Demand::Datagram, Ends::Udp(_)) => self.send_datagram(flow),
            (Demand::Echo, Ends::Ping(ends)) => {
                let request = Packet::new(PacketKind::EchoRequest, flow as u16, ends.ip_bytes);
                let packet = request.stamped(self.now).numbered(ends.sent);
                ends.sent += 1;
                self.network.send(hosts[0], packet, self.now);
            }
            (Demand::Open, Ends::Tcp(ends)) => {
                ends.open(self.now);
                self.send_syn(flow);
            }
            (Demand::Close, Ends::Tcp(ends)) => ends.sender.close(),
            _ => {}
        }
    }

    fn send_datagram(&mut self, flow: usize) {
        let Flow { hosts, ends: Ends::Udp(ends), .. } = &mut self.flows[flow] else { return };
        ends.sent += 1;
        for &ip_bytes in &ends.fragments {
            let packet = Packet::new(PacketKind::Fragment, flow as u16, ip_bytes).numbered(ends.sent);
            if !self.network.send(hosts[0], packet, self.now) {
                self.network.counts[flow].sent += 1;
                self.network.drop_packet(&packet, DropCause::Full, self.now);
            }
        }
    }

    fn on_retransmission_timer(&mut self, flow: usize) {
        let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
        match ends.sender.rto_due {
            Some(due) if due <= self.now => {
                self.cancel(flow, 1);
                let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
                if ends.sender.is_established() {
                    ends.sender.on_timeout(self.now);
                    self.send_segments(flow);
                } else if ends.sender.on_handshake_timeout() {
                    self.send_syn(flow);
                }
            }
            Some(due) => self.schedule(flow, 1, due),
            None => self.cancel(flow, 1),
        }
    }

    fn on_ack_timer(&mut self, flow: usize) {
        let Ends::Tcp(ends) = &mut self.flows[flow].ends else { return };
        match ends.receiver.ack_due {
            Some(due) if due <= self.now => {
                self.cancel(flow, 2);
                self.send_ack(flow);
            }
            Some(due) => self.schedule(flow, 2, due),
            None => self.cancel(flow, 2),
        }
    }

    /// Timers move later all the time: they are left where they are and looked at again when they come up.
    #[inline]
    fn schedule_earlier(&mut self, flow: usize, which: usize, at: Time) {
        let source = self.timer(flow, which);
        self.network.agenda.schedule_earlier(source, at);
    }

    fn schedule(&mut self, flow: usize, which: usize, at: Time) {
        let source = self.timer(flow, which);
        self.network.agenda.schedule(source, at);
    }

    fn cancel(&mut self, flow: usize, which: usize) {
        let source = self.timer(flow, which);
        self.network.agenda.cancel(source);
    }

    fn timer(&self, flow: usize, which: usize) -> usize {
        self.network.links.len() + self.network.routers.len() + TIMERS_A_FLOW * flow + which
    }

    fn tick_source(&self) -> usize {
        self.timer(self.flows.len(), 0)
    }
}
