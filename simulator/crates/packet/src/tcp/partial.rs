//! Segments shorter than the others. Where the window offered is no whole number of segments, Linux sends what is left of
//! it behind the last whole one, unless another short one is on its way (`tcp_mss_split_point`, `tcp_nagle_check`). The
//! rest of the buffer then ends with a short segment, too.

use super::offload::Offload;
use super::sender::Sender;
use std::collections::VecDeque;

/// The short segments of a sender, and what the window offered has beyond whole ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    /// Of each that is not acknowledged its number and the bytes it lacks, in order; the last of them may yet be sent.
    lacking: VecDeque<(u32, u32)>,
    /// Bytes that those lack that are sent.
    outstanding: u32,
    /// Bytes that those lacked that are acknowledged.
    acknowledged: u64,
    /// One past the last of them.
    end: u32,
    /// Bytes of the window offered that are no whole segment.
    rest: u32,
}

/// How much of a buffer goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its segments.
    pub segments: u32,
    /// Bytes in the last of them where the window ends within it.
    pub cut_to: Option<u32>,
}

impl Sender {
    /// The receiver offers so many whole segments and bytes beyond them.
    #[inline]
    pub(super) fn take_offer(&mut self, segments: u32, rest: u32) {
        self.parameters.window_limit = segments;
        if self.parameters.partial_segments {
            self.timed.partial.rest = rest;
            self.parameters.window_limit += self.bytes_beyond() / u32::from(self.parameters.segment_data_bytes);
        }
    }

    /// Bytes of the window beyond the whole segments offered: what short ones leave is room, too.
    const fn bytes_beyond(&self) -> u32 {
        self.timed.partial.rest + self.timed.partial.outstanding
    }

    /// Bytes of the window beyond [`TcpParameters::window_limit`](super::TcpParameters::window_limit).
    const fn rest_of_window(&self) -> u32 {
        self.bytes_beyond() % self.parameters.segment_data_bytes as u32
    }

    /// What the short segments outstanding lack becomes more or less.
    const fn change_outstanding(&mut self, to: u32) {
        let segment_bytes = self.parameters.segment_data_bytes as u32;
        let before = self.bytes_beyond() / segment_bytes;
        self.timed.partial.outstanding = to;
        self.parameters.window_limit =
            self.parameters.window_limit.saturating_sub(before) + self.bytes_beyond() / segment_bytes;
    }

    /// The bytes that a segment lacks.
    #[inline(always)]
    pub fn lacks(&self, seq: u32) -> u32 {
        let lacking = &self.timed.partial.lacking;
        if lacking.is_empty() {
            0
        } else {
            lacking.iter().find(|&&(short, _)| short == seq).map_or(0, |&(_, lacks)| lacks)
        }
    }

    /// The bytes that all segments below `next` lack together.
    pub fn lacking_below(&self, next: u32) -> u64 {
        let Partial { lacking, acknowledged, .. } = &self.timed.partial;
        acknowledged + lacking.iter().filter(|&&(seq, _)| seq < next).map(|&(_, lacks)| u64::from(lacks)).sum::<u64>()
    }

    /// All below `next` is acknowledged.
    #[inline(always)]
    pub(super) fn forget_short(&mut self, next: u32) {
        while let Some(&(_, lacks)) = self.timed.partial.lacking.front().filter(|&&(seq, _)| seq < next) {
            self.timed.partial.lacking.pop_front();
            self.timed.partial.acknowledged += u64::from(lacks);
            self.change_outstanding(self.timed.partial.outstanding - lacks);
        }
    }

    /// A new segment goes out.
    #[inline(always)]
    pub(super) fn note_short_sent(&mut self, seq: u32) {
        let lacks = self.lacks(seq);
        if lacks > 0 {
            self.change_outstanding(self.timed.partial.outstanding + lacks);
        }
    }

    /// Whether the window has room for the next segment, which is short, though not for a whole one (`tcp_snd_wnd_test`).
    pub(super) fn fits_as_short(&self) -> bool {
        let next = self.board.next();
        let Offload { in_buffer, in_burst, tail_lacks, .. } = self.timed.offload;
        let lacks = if in_burst == 0 && in_buffer == 1 { tail_lacks } else { self.lacks(next) };
        let bytes = u32::from(self.parameters.segment_data_bytes) - lacks;
        let is_full = self.board.outstanding() == self.parameters.window_limit;
        lacks > 0 && is_full && bytes <= self.rest_of_window()
    }

    /// Whether the segment behind so many new ones is short and handed over with them.
    pub(super) fn is_short_next_but(&self, count: u32) -> bool {
        self.lacks(self.board.next() + count) > 0
    }

    /// Whether the window has room for all of a buffer of so many segments.
    pub(super) const fn has_room_for(&self, buffer: u32, room: u32) -> bool {
        let tail_lacks = self.timed.offload.tail_lacks;
        let is_within =
            room + 1 == buffer && self.rest_of_window() + tail_lacks >= self.parameters.segment_data_bytes as u32;
        room >= buffer || (tail_lacks > 0 && is_within)
    }

    /// How much of a buffer of so many segments goes out, of which the congestion window allows `most` and the one offered
    /// `room` (`tcp_mss_split_point`).
    pub(super) fn split(&self, buffer: u32, most: u32, room: u32) -> Piece {
        if most <= room || !self.parameters.partial_segments {
            return Piece { segments: buffer.min(most).min(room), cut_to: None };
        }
        let is_small_out = self.timed.partial.end > self.board.una() && self.timed.partial.end <= self.board.next();
        if self.has_room_for(buffer, room) {
            let is_kept = self.timed.offload.tail_lacks > 0 && is_small_out && buffer > 1;
            return Piece { segments: buffer - u32::from(is_kept), cut_to: None };
        }
        match self.rest_of_window() {
            rest if rest > 0 && room > 0 && !is_small_out => Piece { segments: room + 1, cut_to: Some(rest) },
            _ => Piece { segments: room, cut_to: None },
        }
    }

    /// Such a piece of the buffer is handed over now.
    pub(super) fn hand_over(&mut self, piece: Piece) {
        let segment_bytes = u32::from(self.parameters.segment_data_bytes);
        let next = self.board.next();
        let end = next + piece.segments;
        let offload = &mut self.timed.offload;
        let lacks = match piece.cut_to {
            Some(bytes) => {
                // What is left of the buffer is a segment more, unless two short ones are no more than a whole one.
                let kept = offload.tail_lacks + bytes;
                offload.tail_lacks = kept % segment_bytes;
                if kept < segment_bytes {
                    offload.in_buffer += 1;
                    offload.written.shift(next);
                    self.available = self.available.saturating_add(1);
                }
                segment_bytes - bytes
            }
            None if piece.segments == offload.in_buffer => std::mem::take(&mut offload.tail_lacks),
            None => 0,
        };
        if lacks > 0 {
            self.timed.partial.lacking.push_back((end - 1, lacks));
            self.timed.partial.end = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::time::Time;

    /// A window of 20 segments of 1,000 bytes and 300 bytes; buffers of 65 segments, sent at 2 ms and acknowledged later.
    fn sender() -> Sender {
        let parameters = TcpParameters {
            segment_data_bytes: 1000,
            initial_window: 200,
            initial_ssthresh: 100,
            window_limit: 20,
            window_rest: 300,
            rate_halving: false,
            rack: true,
            waits_for_bursts: true,
            partial_segments: true,
            ..TcpParameters::for_tests()
        };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(2));
        sender
    }

    /// What goes out: the bytes of each segment.
    fn sent(sender: &mut Sender, now: Time) -> Vec<u32> {
        let mut sizes = Vec::new();
        while let Some(segment) = sender.next_to_send(now) {
            sizes.push(1000 - sender.lacks(segment.seq));
            sender.on_sent(segment, now);
        }
        sizes
    }

    /// The same after an acknowledgement of all below `next`.
    fn sent_after(sender: &mut Sender, next: u32, at_ms: u64) -> Vec<u32> {
        let now = Time::from_ms(at_ms);
        sender.on_ack(Ack { next, echo: Time::from_ms(2), sack: None, echoes_congestion: false }, now);
        sent(sender, now)
    }

    fn bytes_outstanding(sender: &Sender) -> u64 {
        let (una, next) = (sender.una(), sender.next_new_number());
        u64::from(next - una) * 1000 - (sender.lacking_below(next) - sender.lacking_below(una))
    }

    #[test]
    fn what_is_left_of_the_window_is_sent_as_a_short_segment_and_the_buffer_ends_with_another() {
        let mut sender = sender();
        // The first flight is cut nowhere: the application, which writes on, has it corked.
        assert_eq!(sent(&mut sender, Time::from_ms(2)), [1000; 20]);
        let mut all = 20;
        let mut shorts = Vec::new();
        for round in 1..=8 {
            let sizes = sent_after(&mut sender, all, 2 + 20 * round);
            assert!(bytes_outstanding(&sender) <= 20_300);
            all += sizes.len() as u32;
            shorts.push(sizes.iter().map(|&bytes| bytes.min(1000)).filter(|&bytes| bytes < 1000).collect::<Vec<_>>());
        }
        // Cut at 300 bytes each round trip while nothing small is out; a buffer of 65 lasts three.
        assert_eq!(shorts[0], [300]);
        let kept: u64 = shorts.iter().flatten().map(|&bytes| u64::from(1000 - bytes)).sum();
        assert_eq!(sender.lacking_below(all), kept);
        assert!(shorts.iter().flatten().any(|&bytes| bytes != 300), "{shorts:?}");
    }
}
