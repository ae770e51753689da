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
            self.rack.partial.rest = rest;
            self.parameters.window_limit += self.bytes_beyond() / u32::from(self.parameters.segment_data_bytes);
        }
    }

    /// Bytes of the window beyond the whole segments offered: what short ones leave is room, too.
    const fn bytes_beyond(&self) -> u32 {
        self.rack.partial.rest + self.rack.partial.outstanding
    }

    /// Bytes of the window beyond [`TcpParameters::window_limit`](super::TcpParameters::window_limit).
    const fn rest_of_window(&self) -> u32 {
        self.bytes_beyond() % self.parameters.segment_data_bytes as u32
    }

    /// What the short segments outstanding lack becomes more or less.
    const fn change_outstanding(&mut self, to: u32) {
        let segment_bytes = self.parameters.segment_data_bytes as u32;
        let before = self.bytes_beyond() / segment_bytes;
        self.rack.partial.outstanding = to;
        self.parameters.window_limit =
            self.parameters.window_limit.saturating_sub(before) + self.bytes_beyond() / segment_bytes;
    }

    /// The bytes that a segment lacks.
    #[inline(always)]
    pub fn lacks(&self, seq: u32) -> u32 {
        let lacking = &self.rack.partial.lacking;
        if lacking.is_empty() {
            0
        } else {
            lacking.iter().find(|&&(short, _)| short == seq).map_or(0, |&(_, lacks)| lacks)
        }
    }

    /// The bytes that all segments below `next` lack together.
    pub fn lacking_below(&self, next: u32) -> u64 {
        let Partial { lacking, acknowledged, .. } = &self.rack.partial;
        acknowledged + lacking.iter().filter(|&&(seq, _)| seq < next).map(|&(_, lacks)| u64::from(lacks)).sum::<u64>()
    }

    /// All below `next` is acknowledged.
    #[inline(always)]
    pub(super) fn forget_short(&mut self, next: u32) {
        while let Some(&(_, lacks)) = self.rack.partial.lacking.front().filter(|&&(seq, _)| seq < next) {
            self.rack.partial.lacking.pop_front();
            self.rack.partial.acknowledged += u64::from(lacks);
            self.change_outstanding(self.rack.partial.outstanding - lacks);
        }
    }

    /// A new segment goes out.
    #[inline(always)]
    pub(super) fn note_short_sent(&mut self, seq: u32) {
        let lacks = self.lacks(seq);
        if lacks > 0 {
            self.change_outstanding(self.rack.partial.outstanding + lacks);
        }
    }

    /// Whether the window has room for the next segment, which is short, though not for a whole one (`tcp_snd_wnd_test`).
    pub(super) fn fits_as_short(&self) -> bool {
        let next = self.board.next();
        let Offload { in_buffer, in_burst, tail_lacks, .. } = self.rack.offload;
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
        let tail_lacks = self.rack.offload.tail_lacks;
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
        let is_small_out = self.rack.partial.end > self.board.una() && self.rack.partial.end <= self.board.next();
        if self.has_room_for(buffer, room) {
            let is_kept = self.rack.offload.tail_lacks > 0 && is_small_out && buffer > 1;
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
        let offload = &mut self.rack.offload;
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
            self.rack.partial.lacking.push_back((end - 1, lacks));
            self.rack.partial.end = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::time::Time;

    const WHOLE: u32 = 8948;

    /// A window of 20 segments and 244 bytes; buffers of seven segments.
    fn sender() -> Sender {
        let parameters = TcpParameters {
            segment_data_bytes: WHOLE as u16,
            initial_window: 2000,
            initial_ssthresh: 1000,
            window_limit: 20,
            window_rest: 244,
            rate_halving: false,
            rack: true,
            waits_for_bursts: true,
            partial_segments: true,
            ..TcpParameters::for_tests()
        };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        // So slow that no acknowledgement is waited for.
        sender.on_syn_ack(Time::ZERO, Time::from_ms(100));
        sender.parameters.window_limit = 20;
        sender
    }

    /// What goes out: the bytes of each segment, and whether it is pushed.
    fn sent(sender: &mut Sender, now: Time) -> Vec<u32> {
        let mut sizes = Vec::new();
        while let Some(segment) = sender.next_to_send(now) {
            let size = WHOLE - sender.lacks(segment.seq);
            assert!(size == WHOLE || sender.is_pushed(segment));
            sizes.push(size);
            sender.on_sent(segment, now);
        }
        sizes
    }

    /// The same after an acknowledgement of all below `next`.
    fn sent_after(sender: &mut Sender, next: u32, at_ms: u64) -> Vec<u32> {
        let now = Time::from_ms(at_ms);
        sender.on_ack(Ack { next, echo: Time::from_ms(100), sack: None, echoes_congestion: false }, now);
        sent(sender, now)
    }

    #[test]
    fn what_is_left_of_the_window_is_sent_behind_whole_segments_while_nothing_small_is_out() {
        let mut sender = sender();
        // Of the third buffer a segment is left. The first flight is cut nowhere.
        assert_eq!(sent(&mut sender, Time::from_ms(100)), [WHOLE; 20]);
        assert_eq!(sent_after(&mut sender, 4, 102), [WHOLE, WHOLE, WHOLE, WHOLE, 244]);
        // That buffer has three segments left and 8,704 bytes. The window is full, with the short segment.
        assert_eq!(sent_after(&mut sender, 8, 104), [WHOLE, WHOLE, WHOLE, 8704]);
        assert_eq!(sender.lacking_below(sender.next_new_number()), 244 + 8704);
        // 244 bytes are left again, but two small segments are out.
        assert_eq!(sent_after(&mut sender, 9, 106), [WHOLE]);
        assert_eq!(sent_after(&mut sender, 29, 108).last(), Some(&244));
    }

    #[test]
    fn a_transfer_has_a_segment_more_for_each_buffer_cut() {
        let mut sender = sender();
        sender.limit(60);
        let (mut all, mut bytes) = (0, 0);
        for round in 0..20 {
            let sizes = if round == 0 {
                sent(&mut sender, Time::from_ms(100))
            } else {
                sent_after(&mut sender, all, 100 + 20 * round)
            };
            all += sizes.len() as u32;
            bytes += sizes.iter().sum::<u32>();
        }
        assert!(sender.is_done());
        assert!(all > 60, "{all}");
        assert_eq!(bytes, 60 * WHOLE);
    }
}
