//! Sources of traffic: what a flow wants to send, and when.

mod connections;
mod ping;
mod udp;

pub use connections::{Connections, Supply};
pub use ping::Ping;
pub use udp::Udp;

use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// What a source wants done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing.
    Nothing,
    /// Send a datagram.
    Datagram,
    /// Send an echo request.
    Echo,
    /// Open a connection that has so many segments to send; none: data without end.
    Open(Option<u32>),
    /// So many more segments.
    Write(u32),
    /// Let the connection run out of data.
    Close,
}

/// A source: asked at the times it names itself.
pub trait TrafficSource {
    /// When it first wants to be asked.
    fn first(&self) -> Option<Time>;

    /// What to do now, and when to ask again.
    fn ask(&mut self, now: Time, random: &mut Random) -> (Demand, Option<Time>);

    /// All that was handed over is acknowledged; when to ask again, if that is to change.
    fn on_done(&mut self, _now: Time, _random: &mut Random) -> Option<Time> {
        None
    }
}

/// The sources there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// TCP.
    Connections(Connections),
    /// Datagrams.
    Udp(Udp),
    /// Echo requests.
    Ping(Ping),
}

impl TrafficSource for SourceKind {
    fn first(&self) -> Option<Time> {
        match self {
            Self::Connections(source) => source.first(),
            Self::Udp(source) => source.first(),
            Self::Ping(source) => source.first(),
        }
    }

    #[inline]
    fn ask(&mut self, now: Time, random: &mut Random) -> (Demand, Option<Time>) {
        match self {
            Self::Connections(source) => source.ask(now, random),
            Self::Udp(source) => source.ask(now, random),
            Self::Ping(source) => source.ask(now, random),
        }
    }

    fn on_done(&mut self, now: Time, random: &mut Random) -> Option<Time> {
        match self {
            Self::Connections(source) => source.on_done(now, random),
            Self::Udp(_) | Self::Ping(_) => None,
        }
    }
}

/// Times at which a flow is on: intervals [start, end) in order.
#[derive(Clone, Debug)]
pub struct Intervals {
    intervals: Vec<(Time, Time)>,
    current: usize,
}

impl Intervals {
    /// Intervals in order of time, not overlapping.
    pub const fn new(intervals: Vec<(Time, Time)>) -> Self {
        Self { intervals, current: 0 }
    }

    /// The start of the first one.
    pub fn first(&self) -> Option<Time> {
        self.intervals.first().map(|interval| interval.0)
    }

    /// The interval that holds `time`, or else the next one; earlier ones are forgotten.
    #[inline]
    pub fn at_or_after(&mut self, time: Time) -> Option<(Time, Time)> {
        while self.intervals.get(self.current).is_some_and(|interval| interval.1 <= time) {
            self.current += 1;
        }
        self.intervals.get(self.current).copied()
    }
}
