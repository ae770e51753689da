//! Sources of events, and their numbers in the agenda: links that end at hosts, routers, timers of flows, and the clock
//! that ends the intervals of the series.

use crate::event::{Agenda, SourceId};
use crate::packet::FlowNumber;
use hntes_sim_scenario::{LinkId, MAX_EVENT_SOURCES, RouterId, TIMERS_PER_FLOW, event_sources};

/// A timer of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The flow's traffic source is to be asked what it wants.
    Traffic,
    /// The sender has waited for an acknowledgement, or for the answer to its handshake, as long as it is willing to; or
    /// its host's queue has room again.
    Sending,
    /// The receiver has held an acknowledgement back as long as it may.
    DelayedAck,
}

impl Timer {
    /// All timers, in the order of their numbers.
    pub const ALL: [Self; TIMERS_PER_FLOW] = [Self::Traffic, Self::Sending, Self::DelayedAck];
}

// What the parser lets through fits the agenda.
const _: () = assert!(MAX_EVENT_SOURCES <= Agenda::MAX_SOURCES);

/// A source of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The link at this place: packets have reached the host at its end.
    Link(usize),
    /// The router at this place.
    Router(usize),
    /// A timer of a flow.
    Timer(FlowNumber, Timer),
    /// An interval of the series ends.
    IntervalEnd,
}

/// The numbers of a run's sources.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    first_router: SourceId,
    first_timer: SourceId,
    interval_end: SourceId,
}

impl Sources {
    /// The numbers for a run of this size.
    pub const fn new(links: usize, routers: usize, flows: usize) -> Self {
        Self {
            first_router: links,
            first_timer: links + routers,
            interval_end: event_sources(links, routers, flows) - 1,
        }
    }

    /// How many there are.
    pub const fn count(self) -> usize {
        self.interval_end + 1
    }

    /// The source of this number.
    #[inline(always)]
    pub fn source(self, number: SourceId) -> Source {
        if number < self.first_router {
            Source::Link(number)
        } else if number < self.first_timer {
            Source::Router(number - self.first_router)
        } else if number < self.interval_end {
            let timer = number - self.first_timer;
            Source::Timer(FlowNumber::new((timer / TIMERS_PER_FLOW) as u16), Timer::ALL[timer % TIMERS_PER_FLOW])
        } else {
            Source::IntervalEnd
        }
    }

    /// The number of a link.
    pub const fn link(self, link: LinkId) -> SourceId {
        link.index()
    }

    /// The number of a router.
    pub const fn router(self, router: RouterId) -> SourceId {
        self.router_at(router.index())
    }

    /// The number of the router at this place.
    #[inline(always)]
    pub const fn router_at(self, place: usize) -> SourceId {
        self.first_router + place
    }

    /// The number of a flow's timer.
    #[inline(always)]
    pub const fn timer(self, flow: FlowNumber, timer: Timer) -> SourceId {
        self.first_timer + TIMERS_PER_FLOW * flow.index() + timer as usize
    }

    /// The number of the clock that ends intervals.
    #[inline(always)]
    pub const fn interval_end(self) -> SourceId {
        self.interval_end
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Sources, Timer};
    use crate::packet::FlowNumber;

    #[test]
    fn every_source_has_a_number_of_its_own() {
        let sources = Sources::new(4, 2, 3);
        let found: Vec<Source> = (0..sources.count()).map(|number| sources.source(number)).collect();
        let mut expected: Vec<Source> = (0..4).map(Source::Link).chain((0..2).map(Source::Router)).collect();
        for flow in (0..3).map(FlowNumber::new) {
            for timer in Timer::ALL {
                assert_eq!(sources.timer(flow, timer), expected.len());
                expected.push(Source::Timer(flow, timer));
            }
        }
        assert_eq!((sources.router_at(1), sources.interval_end()), (5, expected.len()));
        expected.push(Source::IntervalEnd);
        assert_eq!(found, expected);
    }
}
