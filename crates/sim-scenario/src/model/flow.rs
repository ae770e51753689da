//! Flows: where they lead, when they are on and what they send.

use crate::ids::{FlowId, HostId, LinkId, ProfileId};
use crate::units::{BitRate, Seconds};
use serde::Deserialize;

/// A protocol.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP.
    Icmp,
}

/// A congestion control.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Congestion {
    /// Reno.
    Reno,
    /// H-TCP.
    Htcp,
    /// CUBIC.
    Cubic,
    /// BBR, version 1.
    Bbr,
    /// BBR, version 3.
    Bbr3,
}

/// Which way a packet of a flow travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the flow's `from` to its `to`.
    Forward,
    /// Back.
    Reverse,
}

impl Direction {
    /// Both, in the order of their numbers.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Reverse];
}

/// A flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Flow {
    /// Its number.
    pub id: FlowId,
    /// Its name.
    pub name: String,
    /// The host it leads from.
    pub from: HostId,
    /// The host it leads to.
    pub to: HostId,
    /// When it is on, in order of time.
    pub intervals: Vec<Interval>,
    /// What it sends.
    pub traffic: Traffic,
    /// Results have the one-way delays of its datagrams or echo requests.
    pub has_one_way_delays: bool,
    pub(crate) paths: [Vec<LinkId>; 2],
}

impl Flow {
    /// The host its packets come from in one direction, and the host they go to.
    pub const fn ends(&self, direction: Direction) -> (HostId, HostId) {
        match direction {
            Direction::Forward => (self.from, self.to),
            Direction::Reverse => (self.to, self.from),
        }
    }

    /// The links its packets take in one direction, at least one.
    pub fn path(&self, direction: Direction) -> &[LinkId] {
        &self.paths[direction as usize]
    }
}

/// A time during which a flow is on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// From here on.
    pub start: Seconds,
    /// Up to, but not including, here.
    pub end: Seconds,
}

/// What a flow sends.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// TCP: one connection in each interval.
    Tcp {
        /// Its congestion control.
        congestion: Congestion,
        /// What the socket buffers allow in flight.
        window_bytes: u64,
        /// The profile it has in place of the TCP of all flows.
        profile: Option<ProfileId>,
        /// What each connection has to send.
        data: Data,
    },
    /// UDP.
    Udp {
        /// Payload bits per second while on.
        rate: BitRate,
        /// Payload of a datagram.
        datagram_bytes: u32,
        /// How datagrams are spaced.
        spacing: Spacing,
        /// Time on and time off, in turn, from the start of each interval.
        on_off: Option<OnOff>,
        /// How much longer than asked for the process that sends may sleep before each datagram.
        wakeup_slack: Seconds,
    },
    /// Ping.
    Ping {
        /// Time between requests, or its mean.
        interval: Seconds,
        /// Bytes of request and reply, from the IP header on.
        ip_bytes: u16,
        /// Requests go out as a Poisson process.
        poisson: bool,
        /// How much longer than asked for the process that sends may sleep before each request.
        wakeup_slack: Seconds,
    },
}

impl Traffic {
    /// The protocol that a classifier sees.
    pub const fn protocol(&self) -> Protocol {
        match self {
            Self::Tcp { .. } => Protocol::Tcp,
            Self::Udp { .. } => Protocol::Udp,
            Self::Ping { .. } => Protocol::Icmp,
        }
    }

    /// Whether it is a ping: probes, which load no link.
    pub const fn is_ping(&self) -> bool {
        matches!(self, Self::Ping { .. })
    }

    /// Whether it is TCP.
    pub const fn is_tcp(&self) -> bool {
        matches!(self, Self::Tcp { .. })
    }
}

/// What a connection has to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data {
    /// More than it can.
    Endless,
    /// So much from the start on.
    Transfer {
        /// Payload.
        bytes: u64,
    },
    /// A program writes so much at once, first when the connection is asked for, then at a fixed pace.
    Writes {
        /// Payload of one write.
        bytes: u64,
        /// Time from write to write.
        every: Seconds,
    },
    /// So much by chance; once it is acknowledged a pause by chance, and so on.
    Bursts {
        /// Mean payload of one burst.
        mean_bytes: f64,
        /// Mean time from a burst's last acknowledgement to the next burst.
        mean_pause: Seconds,
        /// How both are distributed.
        distribution: Distribution,
        /// So many of each connection; without end if not given.
        count: Option<u32>,
    },
    /// Pages of objects, one after the other, each by a connection of its own (HTTP/1.0, RFC 1945); after the last
    /// object of a page somebody reads it.
    Web {
        /// Objects of every page.
        objects_per_page: u32,
        /// Mean payload of an object.
        mean_object_bytes: f64,
        /// How payloads are distributed.
        distribution: Distribution,
        /// Mean time from a page's last acknowledgement to the next page, exponentially distributed.
        mean_think: Seconds,
        /// So many in each interval; without end if not given.
        pages: Option<u32>,
    },
}

/// A distribution of numbers above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Exponential.
    Exponential,
    /// Pareto.
    Pareto {
        /// Above 1; the tail is the longer, the smaller it is.
        shape: f64,
    },
}

/// How datagrams are spaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// Evenly, each gap longer or shorter by up to this share.
    Even {
        /// 0 for exactly even.
        jitter: f64,
    },
    /// As a Poisson process.
    Poisson,
}

/// A cycle that repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OnOff {
    /// Time on, first.
    pub on: Seconds,
    /// Time off, then.
    pub off: Seconds,
}
