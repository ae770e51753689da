//! `HyStart`: slow start ends before the queue is full (Ha and Rhee 2011), with the choices of Linux' CUBIC: a train
//! of acknowledgements that lasts as long as half the path, or a round whose least delay lies above the least ever.

use super::{Round, Window};
use hntes_sim_scenario::time::Time;

/// Acknowledgements no further apart than this are one train.
const TRAIN_GAP: Time = Time::from_ms(2);
/// A smaller window ends no slow start.
const LOW_WINDOW: u32 = 16;
/// Delays of a round that are looked at before it is judged.
const SAMPLES: u32 = 8;
/// By how much the delay has to rise: an eighth of the least one, within these bounds.
const RISE: (Time, Time) = (Time::from_ms(4), Time::from_ms(16));
/// The longest time that merging may add to a train.
const MOST_MERGING: Time = Time::from_ms(1);
/// Bytes of the largest buffer handed to a card at once.
const LARGEST_BUFFER_BYTES: u64 = 65_536;

/// The state of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct HyStart {
    is_over: bool,
    round_end: u32,
    round_start: Time,
    last_ack: Time,
    least_of_round: Option<Time>,
    samples: u32,
}

impl HyStart {
    /// Take in an acknowledgement during slow start, with its delay and the least ever; the threshold becomes the window
    /// where slow start is to end.
    pub(super) fn on_acked(
        &mut self,
        now: Time,
        round: &Round,
        (delay, least): (Time, Time),
        segment_bytes: u64,
        window: &mut Window,
    ) {
        if self.is_over {
            return;
        }
        if round.una > self.round_end {
            *self = Self { round_end: round.next, round_start: now, last_ack: now, ..Self::default() };
        }
        if window.cwnd < LOW_WINDOW {
            return;
        }
        let merging = merging_delay(round.srtt, window.cwnd, segment_bytes);
        if self.is_long_train(now, least + merging) || self.has_risen(delay, least) {
            self.is_over = true;
            window.ssthresh = window.cwnd;
        }
    }

    fn is_long_train(&mut self, now: Time, path: Time) -> bool {
        if now.since(self.last_ack) > TRAIN_GAP {
            return false;
        }
        self.last_ack = now;
        now.since(self.round_start).ps() > path.ps() / 2
    }

    fn has_risen(&mut self, delay: Time, least: Time) -> bool {
        let of_round = self.least_of_round.map_or(delay, |known| known.min(delay));
        self.least_of_round = Some(of_round);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        of_round > least + Time::from_ps(least.ps() / 8).clamp(RISE.0, RISE.1)
    }
}

/// Time of four buffers at twice the rate of a window a round trip.
fn merging_delay(srtt: Time, cwnd: u32, segment_bytes: u64) -> Time {
    let bytes_per_rtt = 2 * u64::from(cwnd) * segment_bytes;
    Time::from_ps((u128::from(srtt.ps()) * u128::from(4 * LARGEST_BUFFER_BYTES) / u128::from(bytes_per_rtt)) as u64)
        .min(MOST_MERGING)
}

#[cfg(test)]
mod tests {
    use super::HyStart;
    use crate::tcp::congestion::{Round, Window};
    use hntes_sim_scenario::time::Time;

    /// The microsecond at which slow start ends, with acknowledgements every `gap_us` of this delay.
    fn ends_at(gap_us: u64, delay_us: impl Fn(u64) -> u64) -> Option<u64> {
        let mut control = HyStart::default();
        let mut window = Window { cwnd: 1000, count: 0, ssthresh: u32::MAX };
        for number in 0..1000 {
            let round = Round { srtt: Time::from_ms(100), una: number as u32 + 1, next: 10_000 };
            let delays = (Time::from_us(delay_us(number)), Time::from_ms(100));
            control.on_acked(Time::from_us(number * gap_us), &round, delays, 10_000_000, &mut window);
            if window.ssthresh == window.cwnd {
                return Some(number * gap_us);
            }
        }
        None
    }

    #[test]
    fn a_train_of_half_the_path_ends_slow_start() {
        let end = ends_at(1000, |_| 100_000).expect("a train");
        assert!((50_001..52_000).contains(&end), "{end}");
        assert_eq!(ends_at(2001, |_| 100_000), None, "acknowledgements too far apart are no train");
    }

    #[test]
    fn a_round_above_the_least_delay_by_an_eighth_ends_slow_start() {
        assert_eq!(ends_at(2001, |_| 112_400), None);
        assert_eq!(ends_at(2001, |_| 112_600), Some(8 * 2001));
        assert_eq!(ends_at(2001, |number| if number == 5 { 100_000 } else { 112_600 }), None, "the least counts");
    }
}
