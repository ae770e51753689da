//! Hosts that leave little in their own queues (TCP small queues): a segment goes out each time that one has left.

use super::Simulation;
use super::tcp::make_segment;
use crate::event::SourceId;
use crate::flow::{Ends, Flow, TcpEnds};
use crate::packet::{FlowNumber, Packet};
use crate::run::Offers;
use crate::sources::{Sources, Timer};
use crate::tcp::rack::burst::Steady;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{self as scenario, HostId, Place, Scenario};

/// More sources of events than this at a host are not asked one by one.
const MOST_SOURCES: usize = 8;

/// The sources of events at a sender's host but its own sending.
#[derive(Clone, Debug)]
pub(super) struct Near {
    /// Links that end there.
    links: Vec<SourceId>,
    timers: Vec<SourceId>,
}

impl Near {
    /// Those at the host of each flow's sender, where it leaves little in that host's queue and they are few.
    pub(super) fn of_each(scenario: &Scenario, flows: &[Flow], sources: Sources) -> Vec<Option<Self>> {
        let of = |(number, flow): (usize, &Flow)| {
            let Ends::Tcp(ends) = &flow.ends else { return None };
            let own = sources.timer(FlowNumber::new(number as u16), Timer::Sending);
            ends.parameters.small_queues.then(|| Self::at(flow.hosts[0], own, scenario, flows, sources))
        };
        let few = |near: &Self| near.links.len() + near.timers.len() <= MOST_SOURCES;
        flows.iter().enumerate().map(|each| of(each).filter(few)).collect()
    }

    fn at(host: HostId, own: SourceId, scenario: &Scenario, flows: &[Flow], sources: Sources) -> Self {
        let ends_there = |link: &&scenario::Link| matches!(scenario.place(link.to), Place::Host(at) if at == host);
        let numbers = (0..flows.len()).map(|number| FlowNumber::new(number as u16));
        let timers = numbers
            .zip(flows)
            .filter(|(_, flow)| flow.hosts.contains(&host))
            .flat_map(|(number, _)| Timer::ALL.into_iter().map(move |timer| sources.timer(number, timer)));
        Self {
            links: scenario.links().iter().filter(ends_there).map(|link| sources.link(link.id)).collect(),
            timers: timers.filter(|&timer| timer != own).take(MOST_SOURCES + 1).collect(),
        }
    }
}

/// Segments that a sender offers its host as room comes, until something else happens.
#[derive(Debug)]
struct AsRoomComes<'a> {
    ends: &'a mut TcpEnds,
    /// What goes out but for its number and time stamp, as it is of segments sent once and one after another.
    alike: Packet,
    steady: Steady,
    end: Time,
    most: u32,
    sent: u32,
}

impl Offers for AsRoomComes<'_> {
    #[inline(always)]
    fn alike(&self) -> Packet {
        self.alike
    }

    #[inline(always)]
    fn next(&mut self) -> Option<(Packet, Time)> {
        let at = self.ends.sender.room_comes().filter(|&at| at < self.end && self.sent < self.most)?;
        let stamp = self.ends.time_stamp(at);
        Some((self.alike.stamped(stamp).numbered(self.steady.first.seq + self.sent), at))
    }

    #[inline(always)]
    fn sent(&mut self, at: Time, departure: Time) {
        self.ends.sender.on_sent_into_room(self.steady.first.seq + self.sent, at, departure);
        self.sent += 1;
    }
}

impl Simulation {
    /// A sender has something to do unasked. As long as nothing else happens at its host, nor `until` is over, it goes on
    /// with each segment that its host's queue gets room for, without asking the agenda who is next.
    pub(super) fn on_sending_timer(&mut self, flow: FlowNumber, until: Time) {
        self.cancel(flow, Timer::Sending);
        while self.has_room_due(flow) {
            let end = self.undisturbed(flow).min(until + Time::from_ps(1));
            if !self.send_as_room_comes(flow, end) {
                self.send_allowed(flow);
            }
            let Some(due) = self.sending_due(flow) else { return };
            if due >= end {
                return self.schedule(flow, Timer::Sending, due);
            }
            self.now = due;
            self.events += 1;
        }
        self.on_sending_due(flow);
    }

    /// Until when nothing happens at a sender's host but its own sending: what happens elsewhere reaches it over links,
    /// whose ends are looked at when the agenda says so, once a packet is under way to them.
    fn undisturbed(&self, flow: FlowNumber) -> Time {
        let agenda = &self.network.agenda;
        let next = || agenda.next().map_or(Time::NEVER, |(at, _)| at);
        // Meters are told of a timeout when it happens.
        let Some(near) = self.near[flow.index()].as_ref().filter(|_| !self.network.senders.are_watched()) else {
            return next();
        };
        let mut end = agenda.due(self.network.sources.interval_end()).unwrap_or(Time::NEVER);
        for &link in &near.links {
            let Some(due) = agenda.due(link) else { return next() };
            end = end.min(due);
        }
        near.timers.iter().filter_map(|&timer| agenda.due(timer)).fold(end, Time::min)
    }

    /// Send segments as the host's queue gets room for them, from now on, each at its time, before `end`; that spares the
    /// agenda two changes a segment. Whether it sent any. Stops where one needs a closer look, as if it had sent none of
    /// the following.
    #[inline]
    fn send_as_room_comes(&mut self, flow: FlowNumber, end: Time) -> bool {
        let Self { network, flows, now, events, .. } = self;
        let Flow { hosts, ends: Ends::Tcp(ends), .. } = &mut flows[flow.index()] else { return false };
        let link = network.way_from(hosts[0], flow);
        if ends.sender.room_due() != Some(*now) {
            return false;
        }
        let mut all = 0;
        while let Some(steady) = ends.sender.steady_burst() {
            let end = end.min(steady.before);
            // The first packet on an idle link is an event of its own.
            let most = if network.links[link].head == Time::NEVER { 1 } else { steady.count };
            let alike = make_segment(ends, flow, steady.first, *now);
            let mut segments = AsRoomComes { ends, alike, steady, end, most, sent: 0 };
            let last = network.send_each(link, flow, &mut segments);
            let sent = segments.sent;
            let Some(last) = last else { break };
            ends.sender.on_sent_as_room_came(sent, steady.is_followed || sent < steady.count, last);
            *now = last;
            all += u64::from(sent);
        }
        // The first of them belongs to the event at hand.
        *events += all.saturating_sub(1);
        all > 0
    }
}
