//! How much a sender leaves in the queue of its own host: what it would send in a millisecond, or two buffers of
//! segmentation offload, one mebibyte at most (TCP small queues, Linux since 3.6; `tcp_tso_autosize` since 5.18).

use crate::bound::Bound;

/// `tcp_limit_output_bytes`.
const MOST_BYTES: f64 = 1_048_576.0;
/// A 1024th of a second of the pacing rate (`sk_pacing_shift` of 10).
const SPANS_PER_S: f64 = 1024.0;
/// Segments in a buffer at least (`tcp_min_tso_segs`), and bytes at most (`GSO_MAX_SIZE`).
const LEAST_SEGMENTS: f64 = 2.0;
const MOST_BUFFER_BYTES: f64 = 65_536.0;
/// On short paths a buffer has more than a span's worth: the most, halved for each so many seconds of the round trip.
const HALVED_PER_S: f64 = 512e-6;

/// The rule for a host's connections over one path.
#[derive(Clone, Copy, Debug)]
pub struct SmallQueue {
    segment_bytes: f64,
    /// What a buffer has beyond a span's worth.
    more_bytes: f64,
}

impl SmallQueue {
    /// For segments of so many bytes of data on a path with this round trip.
    pub fn new(segment_bytes: f64, least_rtt_s: f64) -> Self {
        Self { segment_bytes, more_bytes: MOST_BUFFER_BYTES * (-(least_rtt_s / HALVED_PER_S).floor()).exp2() }
    }

    /// Segments in the host's queue at most (`tcp_small_queue_check`), of a sender that paces so many a second.
    pub fn limit(&self, pkts_per_s: f64) -> f64 {
        let span = pkts_per_s / SPANS_PER_S;
        let most_in_a_buffer = MOST_BUFFER_BYTES / self.segment_bytes;
        let buffer = (span + self.more_bytes / self.segment_bytes).at_most(most_in_a_buffer).at_least(LEAST_SEGMENTS);
        span.at_least(2.0 * buffer).at_most(MOST_BYTES / self.segment_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::SmallQueue;

    #[test]
    fn a_queue_holds_what_is_sent_in_a_1024th_of_a_second_and_a_mebibyte_at_most() {
        // As in the packet engine's tests: windows of segments of 1448 bytes in 10 ms, paced at 1.2 times their rate.
        let limit = |window: f64| SmallQueue::new(1448.0, 0.01).limit(window * 1.2 / 0.01);
        assert!((limit(3000.0) - 3000.0 * 1.2 / 0.01 / 1024.0).abs() < 1e-6);
        assert!((limit(10_000.0) - 724.15).abs() < 0.01);
        assert!((limit(500.0) - 90.5).abs() < 0.1, "two buffers of 64 KB");
    }

    #[test]
    fn a_slow_sender_has_two_buffers_there_of_two_segments_each_at_least() {
        assert!((SmallQueue::new(8948.0, 0.14).limit(10.0 / 0.14) - 4.0).abs() < 1e-9);
    }
}
