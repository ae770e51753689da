//! How much a sender leaves in the queue of its own host: what it would send in a millisecond, or two buffers of
//! segmentation offload, one mebibyte at most (TCP small queues, Linux since 3.6). It goes on as segments leave.

use super::sender::Sender;
use crate::ring::Ring;
use hntes_sim_scenario::time::Time;

/// `tcp_limit_output_bytes`.
const MOST_BYTES: u64 = 1 << 20;
/// A 1024th of a second of the pacing rate (`sk_pacing_shift` of 10).
const SPANS_PER_S: u64 = 1024;
/// A tenth of that span: a whole number of picoseconds.
const PS_IN_A_TENTH_OF_A_SPAN: u64 = Time::PS_PER_S / (10 * SPANS_PER_S);
/// Segments in a buffer at least (`tcp_min_tso_segs`).
const LEAST_SEGMENTS: u64 = 2;
/// `GSO_MAX_SIZE`: bytes in a buffer at most. On short paths it has more than a span's worth: these, halved for each
/// 512 microseconds of the least round trip (`tcp_tso_rtt_log`, Linux since 5.18).
pub(super) const MOST_BUFFER_BYTES: u64 = 65_536;
const HALVED_PER_US: u64 = 512;

/// The sender's segments in the host's queue.
#[derive(Clone, Debug, Default)]
pub(super) struct SmallQueue {
    departures: Ring<Time>,
    room_due: Option<Time>,
}

impl SmallQueue {
    /// Forget what has left.
    #[inline]
    fn advance(&mut self, now: Time) {
        while self.departures.front().is_some_and(|&departure| departure <= now) {
            self.departures.pop();
        }
    }

    /// How many segments may join so many at most.
    #[inline]
    pub(super) fn room(&mut self, segments: u64, now: Time) -> u64 {
        self.advance(now);
        segments.saturating_sub(self.departures.len() as u64)
    }

    /// So many segments joined it together, of which each takes `service` to leave and the last leaves at `last`.
    #[inline]
    pub(super) fn depart_together(&mut self, count: u32, last: Time, service: Time) {
        let before_last = |left: u32| Time::from_ps(service.ps() * u64::from(left));
        (0..count).rev().for_each(|left| self.departures.push(last - before_last(left)));
    }

    /// When the first one leaves.
    #[inline(always)]
    pub(super) fn next_departure(&self) -> Option<Time> {
        self.departures.front().copied()
    }

    /// The first one has left, and one more has joined it.
    #[inline(always)]
    pub(super) fn replace_first(&mut self, departure: Time) {
        self.departures.rotate(departure);
    }

    /// Another one waits, for its time rather than for room.
    pub(super) const fn wait_until(&mut self, at: Time) {
        self.room_due = Some(at);
    }

    /// Another one waits for the next to leave, or none does.
    #[inline(always)]
    pub(super) fn wait_for_next(&mut self, another_waits: bool) {
        self.room_due = self.next_departure().filter(|_| another_waits);
    }

    /// When one more segment may join so many at most; nothing when it may now.
    fn wait_for_room(&mut self, segments: u64, now: Time) -> Option<Time> {
        self.advance(now);
        let excess = (self.departures.len() as u64).checked_sub(segments)?;
        self.departures.get(excess as usize).copied()
    }
}

/// Bytes sent in a 1024th of a second at twice the window a round trip in the first half of slow start, at 1.2 windows
/// later; without end before the first round trip.
fn bytes_in_a_span(window_bytes: u64, is_early: bool, srtt: Option<Time>) -> u64 {
    let tenths = if is_early { 20 } else { 12 };
    srtt.map_or(u64::MAX, |srtt| {
        let srtt_ps = srtt.ps().max(1);
        // Windows below nine gigabytes, by numbers that the processor divides at once.
        if let Some(in_s) = (window_bytes * tenths).checked_mul(PS_IN_A_TENTH_OF_A_SPAN) {
            return in_s / srtt_ps;
        }
        (u128::from(window_bytes * tenths) * u128::from(PS_IN_A_TENTH_OF_A_SPAN) / u128::from(srtt_ps)) as u64
    })
}

/// Segments that go to the card as one buffer (`tcp_tso_autosize`).
fn segments_in_a_buffer(span_bytes: u64, least_rtt: Option<Time>, segment_bytes: u64) -> u64 {
    let halvings = least_rtt.map_or(u64::MAX, |rtt| rtt.ps() / Time::from_us(HALVED_PER_US).ps());
    let more = u32::try_from(halvings).ok().and_then(|halvings| MOST_BUFFER_BYTES.checked_shr(halvings)).unwrap_or(0);
    (span_bytes.saturating_add(more).min(MOST_BUFFER_BYTES) / segment_bytes).max(LEAST_SEGMENTS)
}

/// Segments in the host's queue at most (`tcp_small_queue_check`).
fn limit(span_bytes: u64, least_rtt: Option<Time>, segment_bytes: u64) -> u64 {
    unbounded_limit(span_bytes, least_rtt, segment_bytes).min((MOST_BYTES / segment_bytes).max(1))
}

/// The same of a sender that paces.
fn unbounded_limit(span_bytes: u64, least_rtt: Option<Time>, segment_bytes: u64) -> u64 {
    let two_buffers = 2 * segments_in_a_buffer(span_bytes, least_rtt, segment_bytes);
    (span_bytes / segment_bytes).max(two_buffers)
}

impl Sender {
    /// How many segments may wait in the host's queue; nothing when there is no such rule.
    #[inline]
    pub fn queue_limit(&self) -> Option<u64> {
        if !self.parameters.small_queues {
            return None;
        }
        let segment_bytes = u64::from(self.parameters.segment_data_bytes);
        let limit = if self.is_paced() { unbounded_limit } else { limit };
        Some(limit(self.span_bytes(), self.rack.detection.least_rtt(), segment_bytes))
    }

    /// How many segments are handed to the card at once, at most.
    pub(super) fn segments_at_once(&self) -> u32 {
        let segment_bytes = u64::from(self.parameters.segment_data_bytes);
        segments_in_a_buffer(self.span_bytes(), self.rack.detection.least_rtt(), segment_bytes) as u32
    }

    fn span_bytes(&self) -> u64 {
        if let Some(bytes_per_s) = self.pacing_rate() {
            return bytes_per_s / SPANS_PER_S;
        }
        let segment_bytes = u64::from(self.parameters.segment_data_bytes);
        let window_bytes = u64::from(self.window.cwnd.max(self.board.outstanding())) * segment_bytes;
        let is_early = self.window.cwnd < self.window.ssthresh / 2;
        bytes_in_a_span(window_bytes, is_early, self.rtt.srtt())
    }

    /// Whether one more may go there; if not, [`Sender::room_due`] says when.
    #[inline]
    pub fn has_room_in_queue(&mut self, limit: u64, now: Time) -> bool {
        let queue = &mut self.rack.own_queue;
        queue.room_due = queue.wait_for_room(limit, now);
        queue.room_due.is_none()
    }

    /// When the host's queue takes a segment that waits for it; nothing when none does.
    #[inline]
    pub const fn room_due(&self) -> Option<Time> {
        self.rack.own_queue.room_due
    }

    /// All that may be sent is sent anew from here on.
    #[inline]
    pub const fn forget_wait_for_room(&mut self) {
        self.rack.own_queue.room_due = None;
    }

    /// When the segment just sent leaves the host.
    #[inline]
    pub fn departs(&mut self, at: Time) {
        self.rack.own_queue.departures.push(at);
    }
}

#[cfg(test)]
mod tests {
    use super::{SmallQueue, bytes_in_a_span, limit, segments_in_a_buffer};
    use hntes_sim_scenario::time::Time;

    #[test]
    fn a_queue_holds_what_is_sent_in_a_1024th_of_a_second_and_a_mebibyte_at_most() {
        // 10,000 segments of 1448 bytes per 10 ms are 1.45 GB/s: 1.2 times as much is 1.7 MB in a 1024th of a second.
        let segments = |window: u64, is_early, bytes: u64, rtt_ms| {
            let rtt = Some(Time::from_ms(rtt_ms));
            limit(bytes_in_a_span(window * bytes, is_early, rtt), rtt, bytes)
        };
        assert_eq!(segments(3000, false, 1448, 10), (3000.0_f64 * 1.2 / 0.01 / 1024.0) as u64);
        assert_eq!(segments(3000, true, 1448, 10), (3000.0_f64 * 2.0 / 0.01 / 1024.0) as u64);
        assert_eq!([segments(1_000_000, false, 8948, 10), segments(10_000, false, 1448, 10)], [117, 724]);
        assert_eq!(limit(bytes_in_a_span(1448, false, None), None, 1448), (1 << 20) / 1448);
    }

    #[test]
    fn a_slow_sender_has_two_buffers_there_of_two_segments_each_at_least() {
        // 10 segments per 140 ms are 0.6 MB/s, a 1024th of which is less than a segment.
        let rtt = Some(Time::from_ms(140));
        assert_eq!(limit(bytes_in_a_span(10 * 8948, true, rtt), rtt, 8948), 4);
        // 1000 segments per 10 ms: 136 segments' worth, in buffers of 45.
        let rtt = Some(Time::from_ms(10));
        let span_bytes = bytes_in_a_span(1000 * 1448, false, rtt);
        assert_eq!([span_bytes / 1448, limit(span_bytes, rtt, 1448)], [117, 117]);
        let span_bytes = bytes_in_a_span(500 * 1448, false, rtt);
        assert_eq!([span_bytes / 1448, limit(span_bytes, rtt, 1448)], [58, 90]);
    }

    #[test]
    fn buffers_are_larger_on_short_paths() {
        let in_a_buffer = |rtt_us| segments_in_a_buffer(0, Some(Time::from_us(rtt_us)), 1448);
        assert_eq!([511, 512, 1024, 2000, 9000].map(in_a_buffer), [45, 22, 11, 5, 2]);
    }

    #[test]
    fn a_segment_waits_until_enough_have_left() {
        let mut queue = SmallQueue::default();
        for ms in [1, 2, 3] {
            queue.departures.push(Time::from_ms(ms));
        }
        let mut wait = |segments, now_ms| queue.wait_for_room(segments, Time::from_ms(now_ms));
        assert_eq!([wait(4, 0), wait(3, 0), wait(1, 0)], [None, Some(Time::from_ms(1)), Some(Time::from_ms(3))]);
        assert_eq!([wait(2, 1), wait(3, 1)], [Some(Time::from_ms(2)), None]);
    }
}
