//! Schedulers: which of a port's queues sends next.

#[cfg(feature = "papers")]
pub mod guarantees;
mod priority_wfq;
#[cfg(feature = "papers")]
mod round_robin;
mod strict_partition;

#[cfg(feature = "papers")]
pub use guarantees::ClassGuarantees;
pub use priority_wfq::{PriorityWfq, QueueProfile};
#[cfg(feature = "papers")]
pub use round_robin::RoundRobin;
pub use strict_partition::StrictPartition;

use hntes_sim_scenario::time::Time;

/// A scheduler's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Send the head of this queue now.
    Serve(usize),
    /// Packets wait, but none may go before this time.
    WaitUntil(Time),
    /// Nothing waits.
    Idle,
}

/// Chooses among the queues of a port that has become free.
pub trait Scheduler {
    /// Choose; bit n of `backlogged` says that queue n holds a packet.
    fn choose(&mut self, backlogged: u32, now: Time) -> Choice;

    /// The packet just chosen takes this much link time, in bytes.
    fn on_service(&mut self, queue: usize, wire_bytes: u64, now: Time);
}

/// The schedulers there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum SchedulerKind {
    /// Lowest-numbered queue first; meant for ports with one queue.
    First,
    /// Guarantees by rate share, priority, work-conserving.
    PriorityWfq(PriorityWfq),
    /// Each queue confined to its rate share.
    StrictPartition(StrictPartition),
    /// The queues in turn.
    #[cfg(feature = "papers")]
    RoundRobin(RoundRobin),
    /// Rates by what classes are promised.
    #[cfg(feature = "papers")]
    ClassGuarantees(Box<ClassGuarantees>),
}

impl SchedulerKind {
    /// Go on by the shares of another scheduler of its kind; what it has counted stays. Guarantees of classes keep theirs.
    pub fn adopt_shares(&mut self, other: Self) {
        match (self, other) {
            (Self::PriorityWfq(scheduler), Self::PriorityWfq(other)) => scheduler.adopt_shares(&other),
            (Self::StrictPartition(scheduler), Self::StrictPartition(other)) => scheduler.adopt_shares(other),
            #[cfg(feature = "papers")]
            (Self::RoundRobin(scheduler), Self::RoundRobin(other)) => scheduler.adopt_shares(other),
            _ => {}
        }
    }
}

impl Scheduler for SchedulerKind {
    #[inline(always)]
    fn choose(&mut self, backlogged: u32, now: Time) -> Choice {
        match self {
            Self::First if backlogged == 0 => Choice::Idle,
            Self::First => Choice::Serve(backlogged.trailing_zeros() as usize),
            Self::PriorityWfq(scheduler) => scheduler.choose(backlogged, now),
            Self::StrictPartition(scheduler) => scheduler.choose(backlogged, now),
            #[cfg(feature = "papers")]
            Self::RoundRobin(scheduler) => scheduler.choose(backlogged, now),
            #[cfg(feature = "papers")]
            Self::ClassGuarantees(scheduler) => scheduler.choose(backlogged, now),
        }
    }

    #[inline(always)]
    fn on_service(&mut self, queue: usize, wire_bytes: u64, now: Time) {
        match self {
            Self::First => {}
            Self::PriorityWfq(scheduler) => scheduler.on_service(queue, wire_bytes, now),
            Self::StrictPartition(scheduler) => scheduler.on_service(queue, wire_bytes, now),
            #[cfg(feature = "papers")]
            Self::RoundRobin(scheduler) => scheduler.on_service(queue, wire_bytes, now),
            #[cfg(feature = "papers")]
            Self::ClassGuarantees(scheduler) => scheduler.on_service(queue, wire_bytes, now),
        }
    }
}

/// The numbers of the set bits, lowest first.
#[inline]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}
