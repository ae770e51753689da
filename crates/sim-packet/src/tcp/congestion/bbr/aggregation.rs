//! Segments acknowledged together beyond what the bandwidth explains: receivers, cards and wireless links aggregate
//! acknowledgements, and a window without that allowance would stop the sender between two of them.

use super::bandwidth::Bandwidth;

/// Round trips in each of the two halves of the window over which the greatest excess counts.
const ROUNDS_IN_HALF: u32 = 5;
/// The excess is worth no more than what is sent in that time.
const LONGEST_US: u64 = 100_000;
/// Segments after which an epoch ends in any case.
const LONGEST_EPOCH: u64 = 1 << 20;

/// The state of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp::congestion) struct Aggregation {
    /// An epoch begins when acknowledgements have fallen back to what the bandwidth explains.
    epoch_began_us: u64,
    acked_in_epoch: u64,
    /// The greatest excess of the present half of the window and of the one before.
    excess: [u32; 2],
    rounds: u32,
}

impl Aggregation {
    pub(in crate::tcp::congestion) const fn begin(&mut self, now_us: u64) {
        self.epoch_began_us = now_us;
        self.acked_in_epoch = 0;
    }

    /// So many segments arrived, at a bandwidth; the window allows `cwnd`.
    pub(super) fn on_delivered(
        &mut self,
        newly: u32,
        (bandwidth, delivered_at_us): (Bandwidth, u64),
        starts_round: bool,
        cwnd: u32,
    ) {
        self.on_delivered_within(ROUNDS_IN_HALF, newly, (bandwidth, delivered_at_us), starts_round, cwnd);
    }

    /// The same where each half of the window has so many round trips.
    pub(in crate::tcp::congestion) fn on_delivered_within(
        &mut self,
        rounds_in_half: u32,
        newly: u32,
        (bandwidth, delivered_at_us): (Bandwidth, u64),
        starts_round: bool,
        cwnd: u32,
    ) {
        if starts_round {
            self.rounds += 1;
            if self.rounds >= rounds_in_half {
                self.rounds = 0;
                self.excess = [0, self.excess[0]];
            }
        }
        let mut expected = bandwidth.segments_in(delivered_at_us - self.epoch_began_us);
        if self.acked_in_epoch <= expected || self.acked_in_epoch + u64::from(newly) >= LONGEST_EPOCH {
            self.begin(delivered_at_us);
            expected = 0;
        }
        self.acked_in_epoch = (self.acked_in_epoch + u64::from(newly)).min(LONGEST_EPOCH - 1);
        let excess = (self.acked_in_epoch - expected).min(u64::from(cwnd)) as u32;
        self.excess[0] = self.excess[0].max(excess);
    }

    /// Segments that the window has beyond its target.
    pub(in crate::tcp::congestion) fn allowance(&self, bandwidth: Bandwidth) -> u32 {
        let most = bandwidth.segments_in(LONGEST_US);
        u64::from(self.excess[0].max(self.excess[1])).min(most) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Aggregation, Bandwidth};

    #[test]
    fn what_comes_faster_than_the_bandwidth_is_kept_for_five_to_ten_round_trips() {
        let mut aggregation = Aggregation::default();
        let bandwidth = Bandwidth::of(1, 8);
        let mut note = |newly, at_us, starts_round| {
            aggregation.on_delivered(newly, (bandwidth, at_us), starts_round, 1000);
            aggregation.allowance(bandwidth)
        };
        // 40 at once and 20 more 80 us later, when 10 were expected: 50 more than that.
        assert_eq!([note(40, 1_000, true), note(20, 1_080, false)], [40, 50]);
        // Acknowledgements of the bandwidth's pace: the epoch ends once they have caught up.
        let after: Vec<u32> = (2..12).map(|round| note(1, round * 1_000, true)).collect();
        assert_eq!(after, [50, 50, 50, 50, 50, 50, 50, 50, 1, 1]);
    }

    #[test]
    fn the_allowance_is_at_most_the_window_and_what_is_sent_in_100_ms() {
        let mut aggregation = Aggregation::default();
        aggregation.on_delivered(500, (Bandwidth::of(1, 10), 1_000), true, 300);
        assert_eq!([1, 10_000].map(|us| aggregation.allowance(Bandwidth::of(1, us))), [300, 9]);
    }
}
