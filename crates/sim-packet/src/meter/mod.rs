//! Meters: they look at a stream of packets and give each a colour. What a colour leads to is the conditioner's affair.

#[cfg(feature = "papers")]
mod access_rate;
mod conditioner;
#[cfg(feature = "papers")]
mod rate_estimate;
#[cfg(feature = "papers")]
mod rtt_aware;
#[cfg(feature = "papers")]
mod rtt_rto_aware;
mod single_rate;
#[cfg(feature = "papers")]
mod sliding_window;
mod token_bucket;
mod two_rate;

#[cfg(feature = "papers")]
pub use access_rate::AccessRate;
pub use conditioner::{Action, Conditioner};
#[cfg(feature = "papers")]
pub use rate_estimate::RateEstimate;
#[cfg(feature = "papers")]
pub use rtt_aware::RttAware;
#[cfg(feature = "papers")]
pub use rtt_rto_aware::{Exponents, RttRtoAware};
pub use single_rate::SingleRate;
#[cfg(feature = "papers")]
pub use sliding_window::SlidingWindow;
pub use token_bucket::TokenBucket;
pub use two_rate::TwoRate;

use crate::packet::{Colour, Label};
use crate::senders::{AggregateNumber, Senders};
use hntes_sim_scenario as scenario;
use hntes_sim_scenario::time::Time;
#[cfg(feature = "papers")]
use hntes_sim_scenario::units::BitRate;

/// Measures a stream against a traffic profile (RFC 2475).
pub trait Meter {
    /// The colour of a packet that arrives now. Packets come in order of time.
    fn colour(&mut self, label: Label, now: Time) -> Colour;
}

/// The meters there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum MeterKind {
    /// One rate, one bucket.
    TokenBucket(TokenBucket),
    /// One rate, two buckets.
    SingleRate(SingleRate),
    /// Two rates, two buckets.
    TwoRate(TwoRate),
    /// An estimate of the rate; colours by chance.
    #[cfg(feature = "papers")]
    SlidingWindow(SlidingWindow),
    /// One rate, a bucket that lends.
    #[cfg(feature = "papers")]
    AccessRate(AccessRate),
    /// The same estimate, weighted by round-trip times.
    #[cfg(feature = "papers")]
    RttAware(RttAware),
    /// By round-trip times and timeouts.
    #[cfg(feature = "papers")]
    RttRtoAware(RttRtoAware),
}

impl MeterKind {
    /// The colour of a packet that arrives now; some meters ask what its sender knows.
    #[inline]
    #[cfg_attr(not(feature = "papers"), expect(unused_variables, reason = "only meters of papers ask"))]
    pub fn colour(&mut self, label: Label, senders: &Senders, now: Time) -> Colour {
        match self {
            Self::TokenBucket(meter) => meter.colour(label, now),
            Self::SingleRate(meter) => meter.colour(label, now),
            Self::TwoRate(meter) => meter.colour(label, now),
            #[cfg(feature = "papers")]
            Self::SlidingWindow(meter) => meter.colour(label, now),
            #[cfg(feature = "papers")]
            Self::AccessRate(meter) => meter.colour(label, now),
            #[cfg(feature = "papers")]
            Self::RttAware(meter) => meter.colour(label, senders, now),
            #[cfg(feature = "papers")]
            Self::RttRtoAware(meter) => meter.colour(label, senders, now),
        }
    }

    /// Go on with the rates of another meter of its kind; what it has counted stays.
    pub fn set_rates(&mut self, other: &scenario::Meter, now: Time) {
        use scenario::Meter as Other;
        match (self, *other) {
            (Self::TokenBucket(meter), Other::TokenBucket(of)) => meter.set_rate(of.rate.rate(), of.burst_bytes, now),
            (Self::SingleRate(meter), Other::SingleRate { committed: of, excess_burst_bytes, .. }) => {
                meter.set_rate(of.rate.rate(), of.burst_bytes, excess_burst_bytes, now);
            }
            (Self::TwoRate(meter), Other::TwoRate { committed, peak, .. }) => {
                for (bucket, of) in meter.buckets_mut().into_iter().zip([committed, peak]) {
                    bucket.set_rate(of.rate.rate(), of.burst_bytes, now);
                }
            }
            #[cfg(feature = "papers")]
            (Self::SlidingWindow(meter), Other::SlidingWindow { committed, peak, .. }) => {
                meter.set_rates(committed.bps(), peak.map(BitRate::bps));
            }
            #[cfg(feature = "papers")]
            (Self::AccessRate(meter), Other::AccessRate { normal: of, extended_burst_bytes }) => {
                meter.set_rate(of.rate.rate(), of.burst_bytes, extended_burst_bytes, now);
            }
            #[cfg(feature = "papers")]
            (Self::RttAware(meter), Other::RttAware { committed, peak, .. }) => {
                meter.set_rates(committed.bps(), peak.bps());
            }
            #[cfg(feature = "papers")]
            (Self::RttRtoAware(meter), Other::RttRtoAware { target, .. }) => meter.set_rate(target.bps()),
            (meter, other) => unreachable!("{meter:?} stays what it is: {other:?}"),
        }
    }

    /// The aggregate whose senders it asks about, if it does.
    pub const fn asks_about(&self) -> Option<AggregateNumber> {
        match self {
            #[cfg(feature = "papers")]
            Self::RttAware(meter) => Some(meter.aggregate()),
            #[cfg(feature = "papers")]
            Self::RttRtoAware(meter) => Some(meter.aggregate()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod arrivals {
    //! Streams of packets for the meters' tests.

    use super::Meter;
    use crate::packet::{Colour, FlowNumber, Label, Packet, PacketKind};
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    /// The label of a packet of that size and colour.
    pub fn packet(ip_bytes: u16, colour: Colour) -> Label {
        let mut packet = Packet::new(PacketKind::Segment, FlowNumber::new(0), ip_bytes);
        packet.paint(colour);
        packet.label()
    }

    /// Bytes by colour of a stream at a constant rate for so long; packets of 1000 bytes.
    pub fn bytes_by_colour(meter: &mut impl Meter, bps: u64, seconds: u64) -> [u64; 3] {
        bytes_coloured(|label, now| meter.colour(label, now), bps, seconds)
    }

    /// Shares of the colours of such a stream over 200 s.
    #[cfg(feature = "papers")]
    pub fn shares(colour: impl FnMut(Label, Time) -> Colour, bps: u64) -> [f64; 3] {
        let bytes = bytes_coloured(colour, bps, 200);
        bytes.map(|count| count as f64 / bytes.iter().sum::<u64>() as f64)
    }

    fn bytes_coloured(mut colour: impl FnMut(Label, Time) -> Colour, bps: u64, seconds: u64) -> [u64; 3] {
        let gap = Rate::from_bps(bps).packet_time(1000);
        let (mut now, mut bytes) = (Time::ZERO, [0; 3]);
        while now < Time::from_ms(1000 * seconds) {
            bytes[colour(packet(1000, Colour::Green), now) as usize] += 1000;
            now += gap;
        }
        bytes
    }
}
