//! The event loop: takes the next event, moves packets, and asks hosts and sources what they do about it.

mod change;
mod polling;
pub mod sleep;
mod small_queues;
mod tcp;
mod traffic;

use crate::flow::{Ends, Flow};
use crate::network::Network;
use crate::packet::{FlowNumber, Packet, PacketKind};
use crate::sources::{Source, Timer};
use crate::stats;
use crate::traffic::TrafficSource;
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::Recorder;
use hntes_sim_scenario::time::Time;
use sleep::Alarm;
use small_queues::Near;
use std::ops::ControlFlow;

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
    /// How many of the scenario's changes have been made.
    changes_made: usize,
    /// Flows whose receivers are merging segments in the batch at hand.
    merging: Vec<FlowNumber>,
    /// What else happens at the hosts of senders.
    near: Vec<Option<Near>>,
    /// What may wake processes whose sleep has a slack.
    alarms: Vec<Alarm>,
}

impl Simulation {
    pub(crate) fn new(scenario: Scenario, network: Network, flows: Vec<Flow>) -> Self {
        let near = Near::of_each(&scenario, &flows, network.sources);
        let alarms = Alarm::all(&scenario, &flows);
        let mut run = Self {
            interval: scenario.interval().time(),
            end: scenario.duration().time(),
            scenario,
            network,
            flows,
            recorder: Recorder::default(),
            now: Time::ZERO,
            events: 0,
            changes_made: 0,
            merging: Vec::new(),
            near,
            alarms,
        };
        for number in 0..run.flows.len() {
            if let Some(at) = run.flows[number].source.first() {
                run.schedule(FlowNumber::new(number as u16), Timer::Traffic, at);
            }
        }
        run.network.agenda.schedule_first(run.network.sources.interval_end(), run.interval);
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
        while let Some(at) = self.next_change().filter(|&at| at <= until) {
            if at > self.now {
                self.process_until(at - Time::from_ps(1));
            }
            self.make_next_change(at);
        }
        self.process_until(until);
    }

    fn process_until(&mut self, until: Time) {
        let sources = self.network.sources;
        let mut before = Time::ZERO;
        while let Some((at, number)) = self.network.agenda.next() {
            if at > until {
                break;
            }
            // Senders run ahead of what does not concern them; the agenda does not.
            debug_assert!(at >= before, "time never goes back");
            before = at;
            self.now = at;
            self.events += 1;
            match sources.source(number) {
                Source::Link(link) => self.on_link(link),
                Source::Router(router) => {
                    // What happens when an interval ends belongs to the next one.
                    let interval_end = self.network.agenda.due(sources.interval_end());
                    let limit = interval_end.map_or(until, |due| due - Time::from_ps(1));
                    self.events += self.network.advance(router, at, until.min(limit)) - 1;
                }
                Source::Timer(flow, timer) => self.on_timer(flow, timer, until),
                Source::IntervalEnd => self.on_interval_end(),
            }
        }
        self.now = until;
    }

    #[inline(always)]
    fn on_link(&mut self, index: usize) {
        let now = self.now;
        if self.network.links[index].polling().is_some() {
            return self.on_polled_link(index);
        }
        while self.network.links[index].head <= now {
            if let Some(packet) = self.deliver(index) {
                self.react(packet);
            }
        }
        self.end_runs();
        let next = self.network.links[index].end_of_batch(now);
        self.schedule_link(index, next);
    }

    /// TCP sees all that has been merged.
    #[inline(always)]
    fn end_runs(&mut self) {
        while let Some(flow) = self.merging.pop() {
            self.end_run(flow);
        }
    }

    #[cold]
    fn reschedule_link(&mut self, index: usize) {
        let next = self.network.links[index].next_event();
        self.schedule_link(index, next);
    }

    /// The host at a link's end looks at it then, or not until a packet comes.
    #[inline(always)]
    fn schedule_link(&mut self, index: usize, next: Option<Time>) {
        match next {
            Some(at) => self.network.agenda.schedule(index, at),
            None => self.network.agenda.cancel(index),
        }
    }

    /// Packets have reached the host they were meant for. It takes them in until there is one to react to, which is
    /// returned.
    #[inline(always)]
    fn deliver(&mut self, index: usize) -> Option<Packet> {
        let now = self.now;
        let Self { network: Network { links, counts, trace, .. }, flows, .. } = self;
        let link = &mut links[index];
        if link.second_due() > now {
            // Looking for a run costs more than it saves where there is none.
            let packet = link.hand_over_one()?;
            counts[packet.flow().index()].note_delivery(&packet);
            trace.fold(&packet, 0, now);
            return Some(packet);
        }
        if let Some(label) = link.pipe.front().map(Packet::label) {
            let flow = label.flow().index();
            if let Ends::Tcp(ends) = &mut flows[flow].ends {
                let count = ends.take_in_alike(link.pipe.front_run(), now, |packet| trace.fold(packet, 0, now));
                counts[flow].note_deliveries(label, count as u64);
                link.hand_over_all(count);
            }
        }
        let (stopped, _) = link.hand_over(
            now,
            |_| true,
            |packet| {
                counts[packet.flow().index()].note_delivery(&packet);
                trace.fold(&packet, 0, now);
                let ends = &mut flows[packet.flow().index()].ends;
                if ends.take_in_passing(&packet, now) { ControlFlow::Continue(()) } else { ControlFlow::Break(packet) }
            },
        );
        stopped
    }

    /// A host does what a packet asks for.
    #[inline(always)]
    fn react(&mut self, packet: Packet) {
        let flow = packet.flow();
        match (packet.kind(), &mut self.flows[flow.index()].ends) {
            (PacketKind::Segment, Ends::Tcp(ends)) if ends.connection == packet.connection() => {
                self.on_segment(flow, packet);
            }
            (PacketKind::Ack, Ends::Tcp(_)) => self.on_ack(flow, packet),
            (PacketKind::Syn | PacketKind::SynAck | PacketKind::Established, Ends::Tcp(_)) => {
                self.on_handshake(flow, packet);
            }
            (PacketKind::Fragment, Ends::Udp(ends)) => ends.on_fragment(&packet, self.now),
            (PacketKind::EchoRequest, Ends::Ping(ends)) => {
                if let Some(delays) = &mut ends.delays {
                    delays.push(self.now - packet.stamp);
                }
                let from = self.flows[flow.index()].hosts[1];
                self.network.send(from, packet.answered_by(PacketKind::EchoReply), self.now);
            }
            (PacketKind::EchoReply, Ends::Ping(ends)) => {
                ends.replies.push((packet.stamp, self.now - packet.stamp));
            }
            _ => {}
        }
    }

    #[cold]
    fn on_timer(&mut self, flow: FlowNumber, timer: Timer, until: Time) {
        match timer {
            Timer::Traffic => self.on_source_timer(flow),
            Timer::Sending => self.on_sending_timer(flow, until),
            Timer::DelayedAck => self.on_ack_timer(flow),
        }
    }

    #[cold]
    fn on_interval_end(&mut self) {
        self.recorder.note(stats::measure(&self.scenario, self.now, &self.flows, &mut self.network));
        self.network.agenda.schedule_first(self.network.sources.interval_end(), self.now + self.interval);
    }

    /// Timers move later all the time: they are left where they are and looked at again when they come up.
    #[inline]
    fn schedule_earlier(&mut self, flow: FlowNumber, timer: Timer, at: Time) {
        self.network.agenda.schedule_earlier(self.network.sources.timer(flow, timer), at);
    }

    fn schedule(&mut self, flow: FlowNumber, timer: Timer, at: Time) {
        self.network.agenda.schedule(self.network.sources.timer(flow, timer), at);
    }

    fn cancel(&mut self, flow: FlowNumber, timer: Timer) {
        self.network.agenda.cancel(self.network.sources.timer(flow, timer));
    }
}
