//! While a receiver offers more and more room, Linux acknowledges every segment at once (`tcp_grow_window`), so that a
//! sender in slow start doubles its window each round trip.

/// What a receiver offers in the handshake.
const FIRST_OFFER_BYTES: u64 = 65_535;
/// A window scaled by the largest factor (RFC 7323, 2.3).
const LARGEST_OFFER_BYTES: u64 = 65_535 << 14;

/// Segments acknowledged at once by a receiver with such a buffer: until it offers all of it, two segments more for each one
/// that comes; then as many as it had owed from the start, half the first offer and `quick_acks` at most. Each growth makes
/// that number odd and each acknowledgement takes one away.
pub const fn segments_while_window_grows(buffer_bytes: u64, segment_bytes: u64, quick_acks: u32) -> u32 {
    let most = if buffer_bytes < LARGEST_OFFER_BYTES { buffer_bytes } else { LARGEST_OFFER_BYTES };
    let growing = most.saturating_sub(FIRST_OFFER_BYTES).div_ceil(2 * segment_bytes);
    let half_of_first = FIRST_OFFER_BYTES / (2 * segment_bytes);
    let owed = match half_of_first as u32 {
        0 => 2,
        few if few < quick_acks => few,
        _ => quick_acks,
    };
    growing as u32 + (owed & !1)
}

#[cfg(test)]
mod tests {
    use super::segments_while_window_grows;
    use crate::tcp::receiver::{AckWish, Receiver, ReceiverParameters};
    use hntes_sim_scenario::time::Time;

    #[test]
    fn each_segment_is_acknowledged_until_the_whole_buffer_is_offered_then_every_second() {
        // 65,535 bytes and 2,000 a segment make 465,535 after 200; the receiver owes 32 or 10 at first.
        for (quick_acks, owed) in [(99, 32), (10, 10)] {
            let quick_acks = segments_while_window_grows(465_000, 1000, quick_acks);
            let delayed_ack = Time::from_ms(40);
            let parameters = ReceiverParameters { quick_acks, delayed_ack, merge_segments: 1, ..Default::default() };
            let mut receiver = Receiver::new(parameters);
            for seq in 0..1000 {
                receiver.on_segment(seq, Time::ZERO);
                let wish = receiver.end_run(Time::ZERO);
                assert_eq!(wish == AckWish::Now, seq < 200 + owed || seq % 2 == 1, "segment {seq}");
                if wish == AckWish::Now {
                    receiver.acknowledge();
                }
            }
        }
    }

    #[test]
    fn linux_with_a_buffer_of_2_gb_acknowledges_59997_large_segments_at_once() {
        // As its acknowledgements showed (docs/reference/simulator-linux-6.md).
        assert_eq!(segments_while_window_grows(u64::MAX, 8948, 16), 59_997);
    }
}
