//! How much a sender leaves in the queue of its own host: what it would send in a millisecond, one mebibyte at most (TCP
//! small queues, Linux since 3.6). It goes on when the next acknowledgement comes.

use super::sender::Sender;
use hntes_sim_scenario::time::Time;
use std::collections::VecDeque;

/// `tcp_limit_output_bytes`.
const MOST_BYTES: u64 = 1 << 20;
/// A 1024th of a second of the pacing rate (`sk_pacing_shift` of 10).
const SPANS_PER_S: u64 = 1024;
const LEAST_SEGMENTS: u64 = 2;

/// The sender's segments in the host's queue.
#[derive(Clone, Debug, Default)]
pub(super) struct SmallQueue {
    departures: VecDeque<Time>,
}

impl SmallQueue {
    fn has_room(&mut self, segments: u64, now: Time) -> bool {
        while self.departures.front().is_some_and(|&departure| departure <= now) {
            self.departures.pop_front();
        }
        (self.departures.len() as u64) < segments
    }
}

/// Bytes sent in a 1024th of a second at twice the window a round trip in the first half of slow start, at 1.2 windows
/// later; without end before the first round trip.
fn bytes_in_a_span(window_bytes: u64, is_early: bool, srtt: Option<Time>) -> u64 {
    let tenths = if is_early { 20 } else { 12 };
    srtt.map_or(u64::MAX, |srtt| {
        let in_s = u128::from(window_bytes * tenths) * u128::from(Time::PS_PER_S);
        (in_s / (10 * u128::from(SPANS_PER_S) * u128::from(srtt.ps().max(1)))) as u64
    })
}

/// Segments in the host's queue at most.
fn limit(span_bytes: u64, segment_bytes: u64) -> u64 {
    (span_bytes.min(MOST_BYTES) / segment_bytes).max(LEAST_SEGMENTS)
}

impl Sender {
    /// How many segments may wait in the host's queue; nothing when there is no such rule.
    #[inline]
    pub fn queue_limit(&self) -> Option<u64> {
        if !self.parameters.small_queues {
            return None;
        }
        let segment_bytes = u64::from(self.parameters.segment_data_bytes);
        let window_bytes = u64::from(self.window.cwnd.max(self.board.outstanding())) * segment_bytes;
        let is_early = self.window.cwnd < self.window.ssthresh / 2;
        Some(limit(bytes_in_a_span(window_bytes, is_early, self.rtt.srtt()), segment_bytes))
    }

    /// Whether one more may go there.
    #[inline]
    pub fn has_room_in_queue(&mut self, limit: u64, now: Time) -> bool {
        self.timed.own_queue.has_room(limit, now)
    }

    /// When the segment just sent leaves the host.
    #[inline]
    pub fn departs(&mut self, at: Time) {
        self.timed.own_queue.departures.push_back(at);
    }
}

#[cfg(test)]
mod tests {
    use super::{SmallQueue, bytes_in_a_span, limit};
    use hntes_sim_scenario::time::Time;

    #[test]
    fn a_queue_holds_what_is_sent_in_a_1024th_of_a_second_and_a_mebibyte_at_most() {
        // 1000 segments of 1448 bytes per 10 ms are 145 MB/s: 1.2 times as much is 170 kB in a 1024th of a second.
        let segments = |window: u64, is_early, bytes: u64| {
            limit(bytes_in_a_span(window * bytes, is_early, Some(Time::from_ms(10))), bytes)
        };
        assert_eq!(segments(1000, false, 1448), (1000.0_f64 * 1.2 / 0.01 / 1024.0) as u64);
        assert_eq!(segments(1000, true, 1448), (1000.0_f64 * 2.0 / 0.01 / 1024.0) as u64);
        assert_eq!([segments(1_000_000, false, 8948), segments(1, false, 8948)], [(1 << 20) / 8948, 2]);
        assert_eq!(limit(bytes_in_a_span(1448, false, None), 1448), (1 << 20) / 1448);
    }

    #[test]
    fn what_has_left_makes_room() {
        let mut queue = SmallQueue::default();
        for ms in [1, 2, 3] {
            queue.departures.push_back(Time::from_ms(ms));
        }
        assert!(!queue.has_room(3, Time::ZERO));
        assert!(queue.has_room(3, Time::from_ms(1)));
        assert_eq!(queue.departures.len(), 2);
    }
}
