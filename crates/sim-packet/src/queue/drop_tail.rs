//! Tail drop that, once full, stays closed until some room has come free.

use super::{Admission, DropCause, Occupancy, QueueDiscipline};
use crate::packet::Label;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// Drops arrivals that do not fit. After a drop the queue takes nothing until `reopen_bytes` are free, as a buffer
/// handed out in larger units does; zero gives plain tail drop.
#[derive(Clone, Debug)]
pub struct DropTail {
    reopen_bytes: u64,
    closed: bool,
}

impl DropTail {
    /// An open queue.
    pub const fn new(reopen_bytes: u64) -> Self {
        Self { reopen_bytes, closed: false }
    }

    /// Wait for so much room from now on.
    pub const fn set_reopening(&mut self, reopen_bytes: u64) {
        self.reopen_bytes = reopen_bytes;
    }

    /// Whether it takes what fits.
    #[inline(always)]
    pub const fn is_open(&self) -> bool {
        !self.closed
    }

    /// Whether a packet of this size gets in.
    #[inline(always)]
    pub const fn fits(&mut self, wire_bytes: u64, backlog_bytes: u64, limit_bytes: u64) -> bool {
        (!self.closed && backlog_bytes + wire_bytes <= limit_bytes)
            || self.opens(wire_bytes, backlog_bytes, limit_bytes)
    }

    /// The same for a queue that was closed or has no room for the packet.
    #[cold]
    const fn opens(&mut self, wire_bytes: u64, backlog_bytes: u64, limit_bytes: u64) -> bool {
        let wanted = if self.closed && self.reopen_bytes > wire_bytes { self.reopen_bytes } else { wire_bytes };
        self.closed = backlog_bytes + wanted > limit_bytes && backlog_bytes > 0;
        !self.closed
    }
}

impl QueueDiscipline for DropTail {
    #[inline(always)]
    fn admit(
        &mut self,
        _: Label,
        wire_bytes: u64,
        seen: Occupancy,
        _: Time,
        _: &mut Random,
    ) -> Result<Admission, DropCause> {
        let fits = self.fits(wire_bytes, seen.backlog_bytes, seen.limit_bytes);
        if fits { Ok(Admission::Plain) } else { Err(DropCause::Full) }
    }
}

#[cfg(test)]
mod tests {
    use super::DropTail;

    #[test]
    fn plain_tail_drop_takes_what_fits() {
        let mut queue = DropTail::new(0);
        assert!(queue.fits(100, 900, 1000));
        assert!(!queue.fits(100, 901, 1000));
        assert!(queue.fits(50, 901, 1000));
    }

    #[test]
    fn a_closed_queue_waits_for_room() {
        let mut queue = DropTail::new(400);
        assert!(!queue.fits(100, 950, 1000));
        assert!(!queue.fits(100, 700, 1000));
        assert!(queue.fits(100, 600, 1000));
        assert!(queue.fits(100, 850, 1000));
    }

    #[test]
    fn an_empty_queue_takes_a_packet_larger_than_its_limit() {
        assert!(DropTail::new(0).fits(1538, 0, 1000));
    }
}
