//! Processes that sleep until a datagram is due, in a network that one kernel emulates. Linux lets such a sleep last longer
//! by a slack (50 microseconds unless told otherwise), so that it ends together with another timer: those of token buckets
//! and of delay emulators, which the kernel has for its queues. It ends with the first of them that has no other behind
//! it within the slack (`__hrtimer_run_queues` goes by their latest times), or with the slack.

use super::Simulation;
use crate::flow::Flow;
use crate::network::Network;
use crate::packet::FlowNumber;
use crate::sources::Timer;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{Place, Scenario};

/// Just before or after what happens at a moment.
const MOMENT: Time = Time::from_ps(1);

/// A timer of the kernel that emulates the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// The port at this place gets the tokens for its next packet, which leaves before any process wakes.
    Port(usize),
    /// The delay emulator before the link at this place lets its next packet go, which is looked at after processes.
    Link(usize),
}

/// A process that sleeps.
#[derive(Clone, Debug)]
pub struct Sleep {
    slack: Time,
    /// When the datagram is due for which it sleeps.
    due: Option<Time>,
    /// What may end its sleep now.
    alarm: Option<Alarm>,
}

impl Sleep {
    /// Of a process whose sleep may last so much longer.
    pub const fn new(slack: Time) -> Self {
        Self { slack, due: None, alarm: None }
    }

    /// Whether it wakes now, and for a datagram that was due when; else when to ask again.
    fn ask(&mut self, alarms: &[Alarm], network: &Network, now: Time) -> Result<Time, Time> {
        let due = *self.due.get_or_insert(now);
        let latest = due + self.slack;
        let at_hand = self.alarm.take();
        let others = alarms.iter().filter(|&&alarm| Some(alarm) != at_hand).map(|alarm| alarm.at(network));
        if now >= latest || (at_hand.is_some() && others.min().is_none_or(|at| at > latest)) {
            self.due = None;
            return Ok(due);
        }
        if let Some(alarm @ Alarm::Link(_)) = at_hand {
            return Err(alarm.at(network).max(now) + MOMENT);
        }
        let next = alarms.iter().map(|&alarm| (alarm.at(network), alarm)).min_by_key(|&(at, _)| at);
        let Some((at, alarm)) = next.filter(|&(at, _)| at <= latest) else { return Err(latest) };
        self.alarm = Some(alarm);
        Err(match alarm {
            Alarm::Port(_) => at.max(now) + MOMENT,
            Alarm::Link(_) => now.max(at.since(MOMENT)),
        })
    }
}

impl Alarm {
    /// Those of a network in which anything sleeps.
    pub(super) fn all(scenario: &Scenario, flows: &[Flow]) -> Vec<Self> {
        if flows.iter().all(|flow| flow.sleep.is_none()) {
            return Vec::new();
        }
        let buckets = scenario.ports().iter().filter(|port| port.token_bucket_bytes.is_some());
        let has_emulator = |link: &&hntes_sim_scenario::Link| match scenario.place(link.from) {
            Place::Host(host) => scenario.host(host).delay_emulator.is_some(),
            Place::Router(_) => false,
        };
        let emulated = scenario.links().iter().filter(has_emulator);
        buckets
            .map(|port| Self::Port(port.id.index()))
            .chain(emulated.map(|link| Self::Link(link.id.index())))
            .collect()
    }

    /// When it goes off next.
    fn at(self, network: &Network) -> Time {
        match self {
            Self::Port(number) => network.ports[number].progress.due,
            Self::Link(number) => network.links[number].head,
        }
    }
}

impl Simulation {
    /// A flow's source may have something to do.
    pub(super) fn on_source_timer(&mut self, flow: FlowNumber) {
        let Self { network, flows, alarms, now, .. } = self;
        let Some(sleep) = &mut flows[flow.index()].sleep else { return self.on_source(flow, self.now) };
        match sleep.ask(alarms, network, *now) {
            Ok(due) => self.on_source(flow, due),
            Err(later) => self.schedule(flow, Timer::Traffic, later),
        }
    }

    /// A source has named the time at which it is to be asked next: who is late goes on at once.
    pub(super) fn schedule_source(&mut self, flow: FlowNumber, at: Time) {
        if let Some(sleep) = &mut self.flows[flow.index()].sleep {
            sleep.due = Some(at);
        }
        self.schedule(flow, Timer::Traffic, at.max(self.now));
    }
}
