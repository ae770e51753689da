//! Token-bucket policers: where two spans that each begin and end with a loss, of 4 to 16 round trips and with a fifth of
//! the segments lost, had like rates, that rate is a policer's, and the sender keeps to it for 48 round trips.

use super::bandwidth::{Bandwidth, Gain};
use super::{Delivery, Totals};

const LEAST_ROUNDS: u32 = 4;
const MOST_ROUNDS: u32 = 4 * LEAST_ROUNDS;
const ROUNDS_IN_USE: u32 = 48;
/// Of 256 segments delivered, at least so many lost.
const LEAST_LOST_OF_256: u64 = 50;
/// Rates this close to each other, in bytes per second, are alike in any case.
const LIKE_BYTES_PER_S: u64 = 500;
const US_PER_MS: u64 = 1000;

/// The state of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LongTerm {
    is_sampling: bool,
    is_in_use: bool,
    rounds: u32,
    bandwidth: Option<Bandwidth>,
    /// Where the present span began.
    since: Totals,
}

/// What a look at the losses led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The rate of a policer is known.
    Found,
    /// That rate has been kept long enough.
    Expired,
}

impl LongTerm {
    /// The policer's rate, while the sender keeps to it.
    pub(super) fn in_use(&self) -> Option<Bandwidth> {
        self.bandwidth.filter(|_| self.is_in_use)
    }

    /// Forget all.
    pub(super) fn reset(&mut self, totals: Totals) {
        *self = Self { since: totals, ..Self::default() };
    }

    fn begin_span(&mut self, totals: Totals) {
        self.since = totals;
        self.rounds = 0;
    }

    /// An acknowledgement; `probes` while the sender probes for bandwidth.
    pub(super) fn on_ack(
        &mut self,
        delivery: &Delivery,
        starts_round: bool,
        probes: bool,
        segment_bytes: u64,
    ) -> Option<Change> {
        if self.is_in_use {
            if !(probes && starts_round) {
                return None;
            }
            self.rounds += 1;
            if self.rounds < ROUNDS_IN_USE {
                return None;
            }
            self.reset(delivery.totals);
            return Some(Change::Expired);
        }
        if !self.is_sampling {
            // The first loss: the policer's tokens have been used up.
            if delivery.newly_lost == 0 {
                return None;
            }
            self.begin_span(delivery.totals);
            self.is_sampling = true;
        }
        if delivery.is_app_limited {
            self.reset(delivery.totals);
            return None;
        }
        self.rounds += u32::from(starts_round);
        if self.rounds > MOST_ROUNDS {
            self.reset(delivery.totals);
        } else if self.rounds >= LEAST_ROUNDS && delivery.newly_lost > 0 {
            return self.end_span(delivery.totals, segment_bytes);
        }
        None
    }

    fn end_span(&mut self, totals: Totals, segment_bytes: u64) -> Option<Change> {
        let (lost, delivered) = (totals.lost - self.since.lost, totals.delivered - self.since.delivered);
        if delivered == 0 || 256 * lost < LEAST_LOST_OF_256 * delivered {
            return None;
        }
        let ms = totals.delivered_at_us / US_PER_MS - self.since.delivered_at_us / US_PER_MS;
        if ms == 0 {
            return None;
        }
        let found = Bandwidth::of(delivered, ms * US_PER_MS);
        if let Some(before) = self.bandwidth.filter(|before| are_alike(found, *before, segment_bytes)) {
            self.bandwidth = Some(found.middle(before));
            self.is_in_use = true;
            self.rounds = 0;
            return Some(Change::Found);
        }
        self.bandwidth = Some(found);
        self.begin_span(totals);
        None
    }
}

fn are_alike(found: Bandwidth, before: Bandwidth, segment_bytes: u64) -> bool {
    let apart = found.distance(before);
    apart.is_within_an_eighth_of(before) || apart.paced_bytes_per_s(segment_bytes, Gain::ONE) <= LIKE_BYTES_PER_S
}

#[cfg(test)]
mod tests {
    use super::{Change, Delivery, LongTerm, Totals};

    /// What comes of spans of five round trips of 10 ms that deliver so many segments a round trip, of which `lost` are
    /// lost, after a first loss.
    fn changes(spans: &[(u64, u64)]) -> (Vec<Option<Change>>, LongTerm) {
        let mut long_term = LongTerm::default();
        let mut totals = Totals::default();
        let mut note = |newly_lost: u64, delivered: u64| {
            totals.lost += newly_lost;
            totals.delivered += delivered;
            totals.delivered_at_us += 10_000;
            let delivery = Delivery { newly_lost: newly_lost as u32, totals, ..Delivery::default() };
            long_term.on_ack(&delivery, true, true, 1448)
        };
        note(1, 100);
        let mut found = Vec::new();
        for &(delivered, lost) in spans {
            (0..3).for_each(|_| assert_eq!(note(0, delivered), None));
            found.push(note(5 * lost, delivered));
        }
        (found, long_term)
    }

    #[test]
    fn two_spans_of_like_rates_with_a_fifth_lost_make_a_policer() {
        let (found, long_term) = changes(&[(100, 25), (105, 25)]);
        assert_eq!(found, [None, Some(Change::Found)]);
        let rate = long_term.in_use().map(|bandwidth| bandwidth.segments_in(1_000_000));
        assert!(rate.is_some_and(|rate| (9_900..10_600).contains(&rate)), "{rate:?}");
    }

    #[test]
    fn few_losses_or_unlike_rates_make_none() {
        assert_eq!(changes(&[(100, 10), (100, 10)]).0, [None, None]);
        assert_eq!(changes(&[(100, 25), (200, 50)]).0, [None, None]);
    }

    #[test]
    fn a_policers_rate_is_kept_for_48_round_trips() {
        let (_, mut long_term) = changes(&[(100, 25), (100, 25)]);
        let mut expire = || long_term.on_ack(&Delivery::default(), true, true, 1448);
        assert_eq!([(); 47].map(|()| expire()), [None; 47]);
        assert_eq!(expire(), Some(Change::Expired));
        assert_eq!(long_term.in_use(), None);
    }
}
