//! Meters: they look at a stream of packets and give each a colour. What a colour leads to is the conditioner's affair.

mod token_bucket;

pub use token_bucket::TokenBucket;

use crate::packet::{Colour, Packet};
use hntes_sim_scenario::time::Time;

/// Measures a stream against a traffic profile (RFC 2475).
pub trait Meter {
    /// The colour of a packet that arrives now. Packets come in order of time.
    fn colour(&mut self, packet: &Packet, now: Time) -> Colour;
}

/// The meters there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum MeterKind {
    /// One rate, one bucket.
    TokenBucket(TokenBucket),
}

impl Meter for MeterKind {
    #[inline]
    fn colour(&mut self, packet: &Packet, now: Time) -> Colour {
        match self {
            Self::TokenBucket(meter) => meter.colour(packet, now),
        }
    }
}

/// What happens to a packet out of profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is dropped.
    Drop,
    /// It goes to another queue.
    Requeue(u8),
    /// It keeps its queue and its colour, for that queue's dropper to act on.
    Mark,
}

/// What a conditioner says of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes to the queue it was classified for.
    Pass,
    /// It goes to another queue.
    Requeue(u8),
    /// It is to be dropped.
    Drop,
}

/// A meter together with what is done to packets out of profile.
#[derive(Clone, Debug)]
pub struct Conditioner {
    /// Decides the colour.
    pub meter: MeterKind,
    /// Done to every packet that is not green.
    pub out_of_profile: Action,
    /// Packets in profile.
    pub in_profile_pkts: u64,
    /// Packets out of profile.
    pub out_of_profile_pkts: u64,
}

impl Conditioner {
    /// A conditioner that has seen nothing yet.
    pub fn new(meter: MeterKind, out_of_profile: Action) -> Self {
        Self { meter, out_of_profile, in_profile_pkts: 0, out_of_profile_pkts: 0 }
    }

    /// Colour a packet and say where it goes.
    #[inline]
    pub fn condition(&mut self, packet: &mut Packet, now: Time) -> Verdict {
        let colour = self.meter.colour(packet, now);
        packet.paint(colour);
        if colour == Colour::Green {
            self.in_profile_pkts += 1;
            return Verdict::Pass;
        }
        self.out_of_profile_pkts += 1;
        match self.out_of_profile {
            Action::Drop => Verdict::Drop,
            Action::Requeue(queue) => Verdict::Requeue(queue),
            Action::Mark => Verdict::Pass,
        }
    }
}
