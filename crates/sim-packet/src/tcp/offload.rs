//! Buffers of segmentation offload as Linux 6 fills them: what a card, or the driver in its place, cuts into segments is
//! handed over at once, up to 64 KB of it. Less waits for the next acknowledgement if that is near
//! (`tcp_tso_should_defer`).

use super::congestion::CaState;
use super::sender::{MOST_UNSCALED_BYTES, Outgoing, Sender};
use super::small_queue::MOST_BUFFER_BYTES;
use super::written::Written;
use hntes_sim_scenario::time::Time;

/// `tcp_tso_win_divisor`: a third of the window does not wait.
const SHARE_OF_WINDOW: u32 = 3;
/// An acknowledgement further away than this, or than half a round trip, is not waited for; nor is any by a sender that
/// has sent nothing for so long.
const LONGEST_WAIT: Time = Time::from_ms(1);

/// What of a sender's buffers is yet to go out.
#[derive(Clone, Debug, Default)]
pub(super) struct Offload {
    /// Segments left of the buffer that the application filled last.
    pub in_buffer: u32,
    /// Bytes that the last of them lacks.
    pub tail_lacks: u32,
    /// Segments left of those handed over at once.
    pub in_burst: u32,
    /// How many were handed over at once.
    burst: u32,
    /// The window allows segments that wait for more.
    pub is_held_back: bool,
    sent_at: Option<Time>,
    /// What the application has handed over.
    pub written: Written,
}

impl Offload {
    /// A segment went out; of a new one its buffer has one less.
    fn on_sent(&mut self, is_new: bool, now: Time) {
        if is_new {
            self.in_buffer = self.in_buffer.saturating_sub(1);
            self.in_burst = self.in_burst.saturating_sub(1);
        }
        self.sent_at = Some(now);
    }

    /// The same of so many new segments.
    fn on_sent_burst(&mut self, count: u32, now: Time) {
        if count > 0 {
            self.in_buffer = self.in_buffer.saturating_sub(count);
            self.in_burst = self.in_burst.saturating_sub(count);
            self.sent_at = Some(now);
        }
    }
}

impl Sender {
    /// A segment went out; who hands over segment by segment need not know.
    pub(super) fn note_handed_over(&mut self, is_new: bool, now: Time) {
        if self.parameters.waits_for_bursts {
            self.rack.offload.on_sent(is_new, now);
        }
    }

    /// The same of so many new segments.
    pub(super) fn note_burst_handed_over(&mut self, count: u32, now: Time) {
        if self.parameters.waits_for_bursts {
            self.rack.offload.on_sent_burst(count, now);
        }
    }

    /// How many of the segments handed over at once still wait and need no decision; the last of them decides about those
    /// behind it, and is left out. Who hands over segment by segment decides about none.
    pub(super) const fn decided(&self) -> u32 {
        if self.parameters.waits_for_bursts { self.rack.offload.in_burst.saturating_sub(1) } else { u32::MAX }
    }

    /// Whether the next new segment, which the windows allow, goes out now.
    pub(super) fn is_handed_over(&mut self, now: Time) -> bool {
        if self.rack.offload.in_burst == 0 {
            self.rack.offload.in_burst = self.next_burst(now);
            self.rack.offload.burst = self.rack.offload.in_burst;
        }
        self.rack.offload.in_burst > 0
    }

    /// Whether the next segment is the last of several handed over at once: Linux pushes it (since 5.4), so that the
    /// receiver waits for no more. A short segment counts as pushed (`tcp_measure_rcv_mss`).
    pub fn is_pushed(&self, segment: Outgoing) -> bool {
        let Offload { in_burst, burst, ref written, .. } = self.rack.offload;
        let is_end_of_burst = self.parameters.pushed_buffers && in_burst == 1 && burst > 1;
        let is_end = is_end_of_burst || (self.parameters.pushed_writes && written.is_pushed(segment.seq));
        (is_end && !segment.again) || self.lacks(segment.seq) > 0
    }

    /// How many new segments go out at once; none while they are held back.
    fn next_burst(&mut self, now: Time) -> u32 {
        if self.rack.offload.in_buffer == 0 || self.fills_first_flight() {
            self.rack.offload.in_buffer = self.whole_buffer().min(self.available - self.board.next());
            self.rack.offload.tail_lacks = 0;
        }
        let buffer = self.rack.offload.in_buffer;
        let cwnd = self.window.cwnd;
        let free = cwnd - self.board.in_flight();
        let room = self.parameters.window_limit.saturating_sub(self.board.outstanding());
        let most = self.segments_at_once();
        let allowed = free.min(room);
        let takes_all = free >= buffer && self.has_room_for(buffer, room);
        if !takes_all && allowed < most && self.waits_for_acknowledgement(allowed, now) {
            self.rack.offload.is_held_back = free < room;
            return 0;
        }
        // Two bursts at least fill a window.
        let piece = self.split(buffer, free.min((cwnd / 2).max(1)).min(most), room);
        if self.parameters.partial_segments {
            self.hand_over(piece);
        }
        piece.segments
    }

    /// Segments in the buffer that begins here. What the application wrote before the first acknowledgement is in buffers
    /// of half the window that the handshake offers (`tcp_bound_to_half_wnd`); it fills up what the first flight leaves of
    /// one, and the last of them to a whole one.
    fn whole_buffer(&self) -> u32 {
        let early = self.segments_in(u64::from(MOST_UNSCALED_BYTES / 2));
        let is_early = self.fills_first_flight() || self.rack.offload.written.is_early(self.board.next());
        if is_early { early } else { self.segments_in(MOST_BUFFER_BYTES) }
    }

    fn segments_in(&self, bytes: u64) -> u32 {
        (bytes / u64::from(self.parameters.segment_data_bytes)).max(1) as u32
    }

    /// No acknowledgement has come yet, and the application goes on writing.
    const fn fills_first_flight(&self) -> bool {
        self.parameters.early_write > 0 && self.scaled_limit.is_some()
    }

    /// The first acknowledgement comes: the application has handed over so much beyond the first flight.
    pub(super) fn end_first_flight(&mut self) {
        if self.parameters.early_write > 0 {
            let early = self.segments_in(u64::from(MOST_UNSCALED_BYTES / 2));
            self.rack.offload.written = Written::early(self.board.next(), self.parameters.early_write, early);
            self.rack.offload.in_buffer = 0;
        }
    }

    /// The sender has sent what it could: the application may hand over more.
    pub(super) fn write_ahead(&mut self) {
        if self.parameters.pushed_writes {
            let whole = self.segments_in(MOST_BUFFER_BYTES);
            self.rack.offload.written.go_on(self.board.next(), whole);
        }
    }

    /// Whether so many segments that the windows allow are too few for now, and an acknowledgement will soon allow more.
    fn waits_for_acknowledgement(&self, allowed: u32, now: Time) -> bool {
        let is_recent = self.rack.offload.sent_at.is_some_and(|at| now.since(at) <= LONGEST_WAIT);
        if self.state >= CaState::Recovery || !is_recent || self.board.outstanding() == 0 {
            return false;
        }
        if allowed >= self.window.cwnd.min(self.parameters.window_limit) / SHARE_OF_WINDOW {
            return false;
        }
        let srtt = self.rtt.srtt().unwrap_or(Time::ZERO);
        let expected = self.rack.detection.sent_at(self.board.una()) + srtt;
        expected <= now + Time::from_ps(srtt.ps() / 2).min(LONGEST_WAIT)
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::time::Time;
    use std::ops::RangeInclusive;

    const PARAMETERS: TcpParameters = TcpParameters {
        segment_data_bytes: 8948,
        initial_window: 100,
        initial_ssthresh: 50,
        window_limit: 1000,
        rate_halving: false,
        disorder_burst: 0,
        limited_burst_bytes: 0,
        rack: true,
        growth_counts_segments: true,
        slow_start_doubles: true,
        waits_for_bursts: true,
        ..TcpParameters::for_tests()
    };

    /// A sender of 8,948-byte segments with a window of 100 of them in the network, a round trip of 10 ms.
    fn sender() -> Sender {
        let mut sender = Sender::new(PARAMETERS, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
        sender.parameters.window_limit = 1000;
        assert_eq!(sent(&mut sender, Time::from_ms(10)), 100);
        sender
    }

    fn sent(sender: &mut Sender, now: Time) -> u32 {
        let mut count = 0;
        while let Some(segment) = sender.next_to_send(now) {
            sender.on_sent(segment, now);
            count += 1;
        }
        sender.note_window_use();
        count
    }

    /// What goes out after acknowledgements of two segments each, one every so many microseconds from 20 ms on.
    fn sent_after(sender: &mut Sender, gap_us: u64, acknowledgements: RangeInclusive<u32>) -> Vec<u32> {
        let at = |number: u32| Time::from_ms(20) + Time::from_us(gap_us * u64::from(number));
        acknowledgements
            .map(|number| {
                let ack = Ack { next: 2 * number, echo: Time::from_ms(10), sack: None, echoes_congestion: false };
                sender.on_ack(ack, at(number));
                sent(sender, at(number))
            })
            .collect()
    }

    #[test]
    fn acknowledgements_close_together_let_out_a_buffer_of_seven_segments() {
        // 100 segments are 14 buffers and 2 segments of the next: its 5 go first.
        let mut sender = sender();
        sender.rack.offload.sent_at = Some(Time::from_ms(20));
        assert_eq!(sent_after(&mut sender, 10, 1..=11), [0, 0, 5, 0, 0, 7, 0, 0, 0, 7, 0]);
    }

    #[test]
    fn a_sender_that_waits_for_bursts_is_held_back_by_its_window() {
        let mut sender = sender();
        sender.rack.offload.sent_at = Some(Time::from_ms(20));
        let before = sender.cwnd();
        sent_after(&mut sender, 1, 1..=49);
        assert_eq!(sender.cwnd(), before);
        sent_after(&mut sender, 1, 50..=50);
        assert_eq!(sender.cwnd(), before + 1, "one for a window delivered, though it was never full");
    }

    #[test]
    fn the_last_of_several_segments_handed_over_at_once_is_pushed() {
        for pushed_buffers in [true, false] {
            let parameters = TcpParameters { initial_window: 100, pushed_buffers, ..PARAMETERS };
            let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
            sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
            sender.parameters.window_limit = 1000;
            let mut pushed = Vec::new();
            while let Some(segment) = sender.next_to_send(Time::from_ms(10)) {
                if sender.is_pushed(segment) {
                    pushed.push(segment.seq);
                }
                sender.on_sent(segment, Time::from_ms(10));
            }
            // Buffers of 7; 98 and 99 are what the window lets out of the next.
            let last: Vec<u32> = (1..=14).map(|buffer| 7 * buffer - 1).chain([99]).collect();
            assert_eq!(pushed, if pushed_buffers { last } else { Vec::new() });
        }
    }

    #[test]
    fn the_end_of_what_was_written_before_the_application_waits_is_pushed_though_it_leaves_alone() {
        // 7 in the first flight, buffers of 3 to 19, and one of 7 from 19 to 26, filled up when half of 13 has left: then
        // the application writes to 33, and waits.
        let parameters = TcpParameters {
            early_write: 13,
            pushed_writes: true,
            pushed_buffers: true,
            initial_window: 10,
            ..PARAMETERS
        };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
        let mut pushed = Vec::new();
        for acked in 0..26 {
            let now = Time::from_ms(10 + u64::from(acked));
            if acked > 0 {
                let ack = Ack { next: acked, echo: Time::from_ms(10), sack: None, echoes_congestion: false };
                sender.on_ack(ack, now);
            }
            // One segment at a time.
            sender.window.cwnd = if acked < 2 { 7 } else { sender.board.in_flight() + 1 };
            let before = sender.next_new_number();
            while let Some(segment) = sender.next_to_send(now) {
                if sender.is_pushed(segment) {
                    pushed.push(segment.seq);
                }
                sender.on_sent(segment, now);
            }
            sender.note_sent_all(sender.next_new_number() > before, now);
        }
        assert_eq!(pushed.iter().filter(|&&seq| seq >= 7).collect::<Vec<_>>(), [&25]);
    }

    #[test]
    fn what_was_written_before_the_first_acknowledgement_is_in_buffers_of_half_the_first_window() {
        // 65,535 bytes hold 7 segments of 8,948, half of them 3. From the first acknowledgement on, buffers of 3 begin
        // after those 7; the application had written 13 more, and the last buffer that it began becomes one of 7.
        for (early_write, expected) in [(0, vec![7, 7, 7, 7]), (13, vec![3, 3, 3, 3, 7, 7])] {
            let parameters = TcpParameters { early_write, initial_window: 10, ..PARAMETERS };
            let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
            sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
            assert_eq!(sent(&mut sender, Time::from_ms(10)), 7);
            let ack = Ack { next: 7, echo: Time::from_ms(10), sack: None, echoes_congestion: false };
            sender.on_ack(ack, Time::from_ms(20));
            sender.window.cwnd = 1000;
            let mut buffers = Vec::new();
            while buffers.len() < expected.len() {
                let segment = sender.next_to_send(Time::from_ms(20)).expect("the window allows more");
                if sender.rack.offload.in_buffer == sender.whole_buffer() {
                    buffers.push(sender.rack.offload.in_buffer);
                }
                sender.on_sent(segment, Time::from_ms(20));
            }
            assert_eq!(buffers, expected, "{early_write} written");
        }
    }

    #[test]
    fn who_has_sent_nothing_for_a_millisecond_does_not_wait() {
        // The third ends a buffer, and what is left of the next has just begun to wait.
        assert_eq!(sent_after(&mut sender(), 1001, 1..=4), [2, 2, 1, 3]);
    }
}
