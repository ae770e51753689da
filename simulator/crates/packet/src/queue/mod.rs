//! Queues of packets, and the disciplines that say which arrivals get in.

mod drop_tail;
mod wred;

pub use drop_tail::DropTail;
pub use wred::Wred;

use crate::packet::Packet;
use crate::ring::Ring;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::rng::Random;

/// What a discipline may look at.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// Bytes waiting, as they take link time.
    pub backlog_bytes: u64,
    /// The most that may wait.
    pub limit_bytes: u64,
}

/// Decides on each arrival at a queue.
pub trait QueueDiscipline {
    /// Let the packet in, or say why not. `wire_bytes` is the link time it takes, in bytes.
    ///
    /// # Errors
    /// The cause, when the packet is to be dropped.
    fn admit(
        &mut self,
        packet: &Packet,
        wire_bytes: u64,
        occupancy: Occupancy,
        random: &mut Random,
    ) -> Result<(), DropCause>;

    /// A packet has left; averages may want to know.
    fn on_departure(&mut self, _occupancy: Occupancy) {}
}

/// The disciplines there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum DisciplineKind {
    /// Drops what does not fit.
    DropTail(DropTail),
    /// Drops packets out of profile the more likely, the fuller the queue.
    Wred(Wred),
}

impl QueueDiscipline for DisciplineKind {
    #[inline]
    fn admit(&mut self, packet: &Packet, wire: u64, seen: Occupancy, random: &mut Random) -> Result<(), DropCause> {
        match self {
            Self::DropTail(discipline) => discipline.admit(packet, wire, seen, random),
            Self::Wred(discipline) => discipline.admit(packet, wire, seen, random),
        }
    }

    #[inline(always)]
    fn on_departure(&mut self, seen: Occupancy) {
        match self {
            Self::DropTail(discipline) => discipline.on_departure(seen),
            Self::Wred(discipline) => discipline.on_departure(seen),
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
    /// Packets dropped so far, by cause.
    pub dropped_pkts: ByCause<u64>,
}

impl ClassQueue {
    /// An empty queue.
    pub fn new(limit_bytes: u64, discipline: DisciplineKind) -> Self {
        Self {
            packets: Ring::new(),
            occupancy: Occupancy { backlog_bytes: 0, limit_bytes },
            discipline,
            peak_bytes: 0,
            enqueued_pkts: 0,
            dequeued_pkts: 0,
            dropped_pkts: ByCause::default(),
        }
    }

    /// Add a packet if the discipline lets it in.
    ///
    /// # Errors
    /// The cause, when it is dropped; it is counted already.
    #[inline(always)]
    pub fn enqueue(&mut self, packet: Packet, wire_bytes: u64, random: &mut Random) -> Result<(), DropCause> {
        if let Err(cause) = self.discipline.admit(&packet, wire_bytes, self.occupancy, random) {
            self.dropped_pkts[cause] += 1;
            return Err(cause);
        }
        self.packets.push(packet);
        self.occupancy.backlog_bytes += wire_bytes;
        self.peak_bytes = self.peak_bytes.max(self.occupancy.backlog_bytes);
        self.enqueued_pkts += 1;
        Ok(())
    }

    /// Take the first packet.
    #[inline(always)]
    pub fn dequeue(&mut self, framing_bytes: u64) -> Option<Packet> {
        let packet = self.packets.pop()?;
        self.occupancy.backlog_bytes -= u64::from(packet.ip_bytes()) + framing_bytes;
        self.dequeued_pkts += 1;
        self.discipline.on_departure(self.occupancy);
        Some(packet)
    }
}
