//! A receiver of Linux offers more and more room, two segments for each one that comes (`tcp_grow_window`), beyond a hole
//! too (`tcp_data_queue_ofo`, since 3.12). While it does, it acknowledges every segment at once, so that a sender in slow
//! start doubles its window each round trip.

use super::sender::Sender;

/// What a receiver offers in the handshake.
const FIRST_OFFER_BYTES: u64 = 65_535;
/// A window scaled by the largest factor (RFC 7323, 2.3).
const LARGEST_OFFER_BYTES: u64 = 65_535 << 14;

/// What the largest socket buffer, of 2^31 - 1 bytes, has room for.
const LARGEST_ROOM_BYTES: u64 = (1 << 30) - 1;
/// Largest factor of a window, as a power of two (RFC 7323, 2.3), and what of a buffer goes without one.
const LARGEST_SCALE: u32 = 14;
const UNSCALED_BITS: u32 = 15;

/// How much of its buffer a receiver offers.
#[derive(Clone, Copy, Debug)]
pub struct OfferedWindow {
    /// All that it can offer.
    pub buffer_bytes: u64,
    /// Bytes of data in a full segment.
    pub segment_bytes: u64,
}

impl OfferedWindow {
    /// Bytes of the window offered once so many segments have come, in whole steps of the scale (`tcp_select_window`);
    /// nothing once that is the whole buffer.
    fn bytes_after(self, segments: u32) -> Option<u64> {
        let grown = FIRST_OFFER_BYTES + 2 * self.segment_bytes * u64::from(segments);
        (grown < self.buffer_bytes).then(|| grown.next_multiple_of(self.step()))
    }

    /// Bytes of the window offered once that is the whole buffer.
    pub const fn whole_bytes(self) -> u64 {
        self.buffer_bytes.next_multiple_of(self.step())
    }

    const fn step(self) -> u64 {
        let scale = self.buffer_bytes.ilog2().saturating_sub(UNSCALED_BITS);
        1 << if scale < LARGEST_SCALE { scale } else { LARGEST_SCALE }
    }

    /// When what is held takes from it.
    pub fn shrinking(self) -> ShrinkingOffer {
        let whole = self.buffer_bytes.min(LARGEST_OFFER_BYTES);
        let room = if whole < LARGEST_OFFER_BYTES { whole } else { LARGEST_ROOM_BYTES };
        let step = self.step();
        let spare = room + step - whole.next_multiple_of(step);
        let after = whole.saturating_sub(FIRST_OFFER_BYTES).div_ceil(2 * self.segment_bytes);
        ShrinkingOffer { after: after as u32, held: (2 * spare).div_ceil(self.segment_bytes) as u32 }
    }
}

/// When a receiver offers less than before, as it holds segments beyond a hole: each takes half of its bytes from the room
/// for what is to come (`tcp_adv_win_scale` of 1).
#[derive(Clone, Copy, Debug)]
pub struct ShrinkingOffer {
    /// Segments after which it had offered all.
    after: u32,
    /// Segments held that take a step of the scale.
    held: u32,
}

impl ShrinkingOffer {
    /// Whether it does, when `next` is expected and so many are held.
    pub const fn shrinks(self, next: u32, held: u32) -> bool {
        held > 0 && next >= self.after && held >= self.held
    }
}

impl Sender {
    /// An acknowledgement of all below `next` comes: how much may be in flight now that so many more have come beyond a hole.
    #[inline]
    pub(super) fn follow_offer(&mut self, next: u32, beyond_hole: u32) {
        self.forget_short(next);
        if let Some(limit) = self.scaled_limit.take() {
            self.whole_limit = limit;
            self.take_offer(limit, self.parameters.window_rest);
            self.end_first_flight();
        }
        if let Some(offered) = self.parameters.offered_window {
            if let Some(bytes) = offered.bytes_after(next + beyond_hole) {
                let (limit, rest) = (bytes / offered.segment_bytes, bytes % offered.segment_bytes);
                self.take_offer((limit as u32).min(self.whole_limit), rest as u32);
            } else {
                self.take_offer(self.whole_limit, self.parameters.window_rest);
                self.parameters.offered_window = None;
            }
        }
    }
}

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
    use super::{OfferedWindow, segments_while_window_grows};
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::receiver::{AckWish, Receiver, ReceiverParameters};
    use crate::tcp::sack::SackBlocks;
    use crate::tcp::sender::{Ack, Sender};
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
    fn the_window_offered_grows_by_two_segments_for_each_one_in_steps_of_its_scale() {
        // As the kernel's acknowledgements showed: 98,304 and 114,688 bytes in steps of 16,384, then one step a segment;
        // 83,456, 101,376, 119,232 and 137,152 in steps of 64.
        for (buffer_bytes, offered_bytes) in
            [(1_073_725_440, [98_304, 114_688, 131_072, 147_456]), (4_000_000, [83_456, 101_376, 119_232, 137_152])]
        {
            let offered = OfferedWindow { buffer_bytes, segment_bytes: 8948 };
            assert_eq!([1, 2, 3, 4].map(|came| offered.bytes_after(came)), offered_bytes.map(Some));
        }
        let small = OfferedWindow { buffer_bytes: 100_000, segment_bytes: 8948 };
        assert_eq!([1, 2].map(|came| small.bytes_after(came)), [Some(83_432), None]);
    }

    #[test]
    fn what_is_held_takes_from_a_whole_buffer_by_steps() {
        let at = |buffer_bytes| {
            let offer = OfferedWindow { buffer_bytes, segment_bytes: 8948 }.shrinking();
            (offer.after, offer.held)
        };
        // 2^30 - 1 bytes, of which 65,534 steps of 16,384 are left when 32,767 are taken: by twice as many, 7.3 segments.
        assert_eq!(at(1_073_725_440), (59_995, 8));
        // 90,000,000 bytes are offered as 43,946 steps of 2,048; the last has 640 bytes of room, which one segment takes.
        assert_eq!(at(90_000_000), (5_026, 1));
        let offer = OfferedWindow { buffer_bytes: 1_073_725_440, segment_bytes: 8948 }.shrinking();
        assert_eq!(
            [(59_994, 8), (59_995, 7), (59_995, 8)].map(|(next, held)| offer.shrinks(next, held)),
            [false, false, true]
        );
    }

    #[test]
    fn no_more_is_in_flight_than_the_receiver_offers() {
        let offered_window = Some(OfferedWindow { buffer_bytes: 1_073_725_440, segment_bytes: 8948 });
        let parameters = TcpParameters { segment_data_bytes: 8948, initial_window: 500, ..TcpParameters::for_tests() };
        let mut sender = Sender::new(TcpParameters { offered_window, ..parameters }, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
        let mut sent = Vec::new();
        for acked in [0, 1, 2, 3, 600] {
            if acked > 0 {
                sender.on_ack(
                    Ack { next: acked, echo: Time::ZERO, sack: None, echoes_congestion: false },
                    Time::from_ms(20),
                );
            }
            while let Some(segment) = sender.next_to_send(Time::from_ms(20)) {
                sender.on_sent(segment, Time::from_ms(20));
            }
            sent.push(sender.next_new_number() - acked);
            if acked == 3 {
                (sender.board.next()..600).for_each(|_| _ = sender.board.send_new());
            }
        }
        // 65,535 bytes in the handshake; at last the window and nothing else.
        assert_eq!(sent[..4], [7, 10, 12, 14]);
        assert!(sent[4] >= 500, "{sent:?}");
    }

    #[test]
    fn what_comes_beyond_a_hole_makes_the_window_offered_grow_too() {
        // After the first of seven segments 65,535 + 2 x 8,948 bytes are offered, in steps of 16,384: 98,304, which is 10
        // segments. When 2, 3 and 4 have come beyond the lost one, 4 have come in all: 147,456 bytes, 16 segments from it.
        // Without them the window would stay at 10 until the hole is filled, which takes a round trip.
        let offered_window = Some(OfferedWindow { buffer_bytes: 1_073_725_440, segment_bytes: 8948 });
        let parameters = TcpParameters {
            segment_data_bytes: 8948,
            initial_window: 500,
            window_limit: 10_000,
            rack: true,
            offered_window,
            ..TcpParameters::for_tests()
        };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
        let mut edges = Vec::new();
        for end in [0, 0, 3, 4, 5] {
            let now = Time::from_ms(10 + 10 * u64::from(!edges.is_empty()));
            if !edges.is_empty() {
                let blocks = SackBlocks { ranges: [(2, end), (0, 0), (0, 0), (0, 0)], len: 1, duplicate_first: false };
                let sack = (end > 0).then_some(&blocks);
                sender.on_ack(Ack { next: 1, echo: Time::from_ms(10), sack, echoes_congestion: false }, now);
                sender.window.cwnd = 500;
            }
            while let Some(segment) = sender.next_to_send(now) {
                sender.on_sent(segment, now);
            }
            edges.push(sender.next_new_number());
        }
        assert_eq!(edges, [7, 11, 13, 15, 17]);
    }

    #[test]
    fn linux_with_a_buffer_of_2_gb_acknowledges_59997_large_segments_at_once() {
        // As its acknowledgements showed (docs/reference/simulator-linux-6.md).
        assert_eq!(segments_while_window_grows(u64::MAX, 8948, 16), 59_997);
    }
}
