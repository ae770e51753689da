//! Queues of packets, and the disciplines that say which arrivals get in.

mod average;
mod curve;
mod delays;
mod drop_tail;
mod gred;
#[cfg(feature = "papers")]
pub mod marking;
#[cfg(feature = "papers")]
mod pi;
mod wred;

pub use average::Average;
pub use curve::Curve;
pub use delays::Delays;
pub use drop_tail::DropTail;
pub use gred::Gred;
#[cfg(feature = "papers")]
pub use marking::Projecting;
#[cfg(feature = "papers")]
pub use pi::ProportionalIntegral;
pub use wred::{Ramp, Wred};

use crate::packet::{Label, Packet};
use crate::ring::Ring;
use hntes_sim_scenario::Framing;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// What a discipline may look at.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// Bytes waiting, as they take link time.
    pub backlog_bytes: u64,
    /// The most that may wait.
    pub limit_bytes: u64,
}

/// How a packet is let in, or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// As it is.
    Plain,
    /// With a mark that tells its receiver of congestion (RFC 3168).
    Marked,
}

/// Decides on each arrival at a queue.
pub trait QueueDiscipline {
    /// Let the packet in, or say why not. `wire_bytes` is the link time it takes, in bytes.
    ///
    /// # Errors
    /// The cause, when the packet is to be dropped.
    fn admit(
        &mut self,
        label: Label,
        wire_bytes: u64,
        occupancy: Occupancy,
        now: Time,
        random: &mut Random,
    ) -> Result<Admission, DropCause>;

    /// A packet has left; the occupancy no longer includes it. Whether it goes with a mark decided on while it waited.
    fn on_departure(&mut self, _label: Label, _occupancy: Occupancy, _now: Time) -> Admission {
        Admission::Plain
    }
}

/// The disciplines there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum DisciplineKind {
    /// Drops what does not fit.
    DropTail(DropTail),
    /// Drops packets of some colours the more likely, the fuller the queue.
    Wred(Wred),
    /// Drops or marks by averages and a curve for each colour.
    Gred(Box<Gred>),
    /// Drops or marks with a probability that a controller moves.
    #[cfg(feature = "papers")]
    ProportionalIntegral(Box<ProportionalIntegral>),
    /// Marks by what the flows will send.
    #[cfg(feature = "papers")]
    Projecting(Box<Projecting>),
}

impl DisciplineKind {
    /// Whether departures tell it something.
    const fn minds_departures(&self) -> bool {
        !matches!(self, Self::DropTail(_) | Self::Wred(_))
    }
}

impl QueueDiscipline for DisciplineKind {
    #[inline(always)]
    fn admit(
        &mut self,
        label: Label,
        wire_bytes: u64,
        seen: Occupancy,
        now: Time,
        random: &mut Random,
    ) -> Result<Admission, DropCause> {
        match self {
            Self::DropTail(discipline) => discipline.admit(label, wire_bytes, seen, now, random),
            Self::Wred(discipline) => discipline.admit(label, wire_bytes, seen, now, random),
            Self::Gred(discipline) => discipline.admit(label, wire_bytes, seen, now, random),
            #[cfg(feature = "papers")]
            Self::ProportionalIntegral(discipline) => discipline.admit(label, wire_bytes, seen, now, random),
            #[cfg(feature = "papers")]
            Self::Projecting(discipline) => discipline.admit(label, wire_bytes, seen, now, random),
        }
    }

    #[inline(always)]
    fn on_departure(&mut self, label: Label, seen: Occupancy, now: Time) -> Admission {
        match self {
            Self::DropTail(_) | Self::Wred(_) => Admission::Plain,
            Self::Gred(discipline) => discipline.on_departure(label, seen, now),
            #[cfg(feature = "papers")]
            Self::ProportionalIntegral(discipline) => discipline.on_departure(label, seen, now),
            #[cfg(feature = "papers")]
            Self::Projecting(discipline) => discipline.on_departure(label, seen, now),
        }
    }
}

/// One queue of a port.
#[derive(Clone, Debug)]
pub struct ClassQueue {
    /// The packets, first to last.
    pub packets: Ring<Packet>,
    /// What waits and what may wait.
    pub occupancy: Occupancy,
    /// Who gets in.
    pub discipline: DisciplineKind,
    /// The most that waited since the last interval began.
    pub peak_bytes: u64,
    /// Packets let in so far.
    pub enqueued_pkts: u64,
    /// Packets that left so far.
    pub dequeued_pkts: u64,
    /// Packets marked so far.
    pub marked_pkts: u64,
    /// Packets dropped so far, by cause.
    pub dropped_pkts: ByCause<u64>,
    /// What waited when its limit was set; it may be above that limit until it has gone.
    pub inherited_bytes: u64,
    /// Those of them that were green.
    pub dropped_green_pkts: ByCause<u64>,
    /// How long packets waited, where that is asked for.
    delays: Option<Box<Delays>>,
    /// Somebody wants to know of departures. Asked for each packet, so that where nobody does they cost one branch.
    pub is_watched: bool,
}

impl ClassQueue {
    /// An empty queue; `delays` counts how long packets wait.
    pub fn new(limit_bytes: u64, discipline: DisciplineKind, delays: Option<Delays>) -> Self {
        Self {
            is_watched: delays.is_some() || discipline.minds_departures(),
            delays: delays.map(Box::new),
            packets: Ring::new(),
            occupancy: Occupancy { backlog_bytes: 0, limit_bytes },
            discipline,
            peak_bytes: 0,
            inherited_bytes: 0,
            enqueued_pkts: 0,
            dequeued_pkts: 0,
            marked_pkts: 0,
            dropped_pkts: ByCause::default(),
            dropped_green_pkts: ByCause::default(),
        }
    }

    /// A packet was dropped before it got in.
    #[inline]
    pub fn note_drop(&mut self, label: Label, cause: DropCause) {
        self.dropped_pkts[cause] += 1;
        self.dropped_green_pkts[cause] += u64::from(label.is_green());
    }

    /// Add a packet if the discipline lets it in.
    ///
    /// # Errors
    /// The cause, when it is dropped; it is counted already.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        mut packet: Packet,
        wire_bytes: u64,
        now: Time,
        random: &mut Random,
    ) -> Result<(), DropCause> {
        match self.discipline.admit(packet.label(), wire_bytes, self.occupancy, now, random) {
            Ok(Admission::Plain) => {}
            Ok(Admission::Marked) => {
                packet.mark();
                self.marked_pkts += 1;
            }
            Err(cause) => {
                self.note_drop(packet.label(), cause);
                return Err(cause);
            }
        }
        self.push(packet, wire_bytes);
        Ok(())
    }

    /// Add a packet, come what may.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet, wire_bytes: u64) {
        self.packets.push(packet);
        self.occupancy.backlog_bytes += wire_bytes;
        self.peak_bytes = self.peak_bytes.max(self.occupancy.backlog_bytes);
        self.enqueued_pkts += 1;
    }

    /// Let so much wait from now on. What waits already stays.
    pub const fn set_limit(&mut self, limit_bytes: u64) {
        self.occupancy.limit_bytes = limit_bytes;
        self.inherited_bytes = self.occupancy.backlog_bytes;
    }

    /// Drop the last packet; it counts as if it had never been let in.
    pub fn push_out(&mut self, framing: Framing, cause: DropCause) -> Option<Packet> {
        let packet = self.packets.pop_back()?;
        self.occupancy.backlog_bytes -= framing.wire_bytes(u64::from(packet.ip_bytes()));
        self.enqueued_pkts -= 1;
        self.note_drop(packet.label(), cause);
        Some(packet)
    }

    /// Take the first packet. Whoever takes it calls [`ClassQueue::on_departure`] where departures are watched.
    #[inline(always)]
    pub fn dequeue(&mut self, framing: Framing) -> Option<Packet> {
        let packet = self.packets.pop()?;
        self.occupancy.backlog_bytes -= framing.wire_bytes(u64::from(packet.ip_bytes()));
        self.dequeued_pkts += 1;
        Some(packet)
    }

    /// A packet taken from it, which arrived at `due`, leaves now. Whether a mark was decided on while it waited, which the
    /// caller gives it.
    #[must_use]
    pub fn on_departure(&mut self, label: Label, due: Time, now: Time) -> bool {
        if let Some(delays) = &mut self.delays {
            delays.note(now.since(due));
        }
        let is_marked = self.discipline.on_departure(label, self.occupancy, now) == Admission::Marked;
        self.marked_pkts += u64::from(is_marked);
        is_marked
    }

    /// How long packets waited, where that was asked for.
    pub fn delays(&self) -> Option<&Delays> {
        self.delays.as_deref()
    }
}
