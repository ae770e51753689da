//! What a receiver offers once what it holds beyond a hole has exhausted its memory, as Linux 2.6.3x has it: four segments
//! (`tcp_prune_queue`), and two more for each run that comes in order while memory is not short (`tcp_grow_window`), each of
//! which is acknowledged at once. What had been offered stays offered (`tcp_select_window`): a sender that has used all of it
//! falls silent until the new offer reaches beyond.

use super::Receiver;
use crate::tcp::sender::Sender;
use std::collections::VecDeque;

/// Segments offered where memory is short.
const PRUNED_OFFER: u32 = 4;
/// Segments by which the offer grows.
const GROWTH: u32 = 2;

/// How a receiver's offer closes.
#[derive(Clone, Copy, Debug)]
pub struct ClosingOffer {
    /// Segments offered as long as memory has not been short.
    pub whole: u32,
    /// Segments up to which the offer grows again.
    pub regrown: u32,
}

/// The offer since memory was short for the first time.
#[derive(Clone, Debug)]
pub(super) struct ClosedOffer {
    /// Segments that may follow the next one expected.
    offer: u32,
    /// The most of them to be again.
    regrown: u32,
    /// One past the last segment ever offered.
    edge: u32,
    /// The next segment expected when the last run ended.
    run_from: u32,
    /// What acknowledgements under way say, where they say another window than the one before: their number and the window.
    said: VecDeque<(u32, u32)>,
    last_said: u32,
}

impl ClosedOffer {
    /// As long as memory has not been short, with `next` expected.
    const fn whole(next: u32, whole: u32, regrown: u32) -> Self {
        Self { offer: whole, regrown, edge: next + whole, run_from: next, said: VecDeque::new(), last_said: whole }
    }

    fn window(&self, next: u32) -> u32 {
        self.edge.max(next + self.offer) - next
    }
}

impl Receiver {
    /// More is held beyond a hole than memory has room for.
    #[inline]
    pub(super) fn exhaust_memory(&mut self) {
        self.clamped = true;
        let Some(ClosingOffer { whole, regrown }) = self.parameters.offer_closes else { return };
        let next = self.next;
        let closed = self.closed.get_or_insert_with(|| Box::new(ClosedOffer::whole(next, whole, regrown)));
        closed.offer = closed.offer.min(PRUNED_OFFER);
    }

    /// A run has ended: if it came in order, more is offered.
    #[cold]
    pub(super) fn regrow_offer(&mut self) {
        let is_short = self.held_count > self.parameters.clamp_held;
        let Some(closed) = &mut self.closed else { return };
        let came_in_order = self.next > closed.run_from;
        closed.run_from = self.next;
        if came_in_order && !is_short && closed.offer < closed.regrown {
            closed.offer = (closed.offer + GROWTH).min(closed.regrown);
            self.quick_left |= 1;
        }
    }

    /// An acknowledgement goes out.
    #[cold]
    pub(super) fn note_offer(&mut self) {
        let Some(closed) = &mut self.closed else { return };
        let window = closed.window(self.next);
        closed.edge = self.next + window;
        if window != closed.last_said {
            closed.last_said = window;
            closed.said.push_back((self.next, window));
        }
    }

    /// The window that an acknowledgement of this number said when it arrives, if it is another one than those before said.
    #[cold]
    pub fn window_said(&mut self, acked: u32) -> Option<u32> {
        let closed = self.closed.as_mut()?;
        let mut window = None;
        while let Some(&(_, said)) = closed.said.front().filter(|&&(number, _)| number <= acked) {
            window = Some(said);
            closed.said.pop_front();
        }
        window
    }

    /// Whether the offer closes where memory is short, instead of falling to a limit at once.
    #[inline(always)]
    pub const fn closes(&self) -> bool {
        self.closed.is_some()
    }
}

impl Sender {
    /// The receiver's memory has been exhausted, and it offers so many segments beyond those acknowledged.
    pub fn follow_closing_offer(&mut self, segments: u32) {
        self.take_offer(segments.min(self.whole_limit), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::ClosingOffer;
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::receiver::{AckWish, Receiver, ReceiverParameters};
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::time::Time;

    const WHOLE: u32 = 100;

    fn receiver(merge_segments: u32, regrown: u32) -> Receiver {
        let offer_closes = Some(ClosingOffer { whole: WHOLE, regrown });
        let delayed_ack = Time::from_ms(40);
        Receiver::new(ReceiverParameters {
            delayed_ack,
            merge_segments,
            clamp_held: 10,
            offer_closes,
            ..Default::default()
        })
    }

    /// A run of segments comes; what is acknowledged at once, and the window that a sender knows then.
    fn run(r: &mut Receiver, segments: std::ops::Range<u32>, known: &mut u32) -> Option<(u32, u32)> {
        for seq in segments {
            if r.breaks_run(seq) {
                r.end_run(Time::ZERO);
                r.acknowledge();
            }
            r.on_segment(seq, Time::ZERO);
        }
        let wish = r.end_run(Time::ZERO);
        (wish == AckWish::Now).then(|| {
            r.acknowledge();
            *known = r.window_said(r.next()).unwrap_or(*known);
            (r.next(), *known)
        })
    }

    #[test]
    fn where_memory_is_short_four_segments_are_offered_and_nothing_is_taken_back() {
        let mut r = receiver(50, 60);
        let mut known = WHOLE;
        let mut come = |segments| run(&mut r, segments, &mut known);
        assert_eq!(come(0..5), Some((5, WHOLE)));
        // 5 is missing, and 11 beyond it exhaust the memory: up to 105 may be sent as before.
        assert_eq!(come(6..17), Some((5, WHOLE)));
        // The hole is filled, and 6 are offered, but 88 have been.
        assert_eq!(come(5..6), Some((17, 88)));
        assert_eq!(come(17..67), Some((67, 38)));
        assert_eq!(come(67..95), Some((95, 10)));
        // Two more for each run in order: 10, 12 and 14, where 5, 3 and 1 are left of the old offer.
        assert_eq!(come(95..100), Some((100, 12)));
        assert_eq!(come(100..102), Some((102, 14)));
        // A single segment is acknowledged immediately as well; a duplicate does not count as a run in order.
        assert_eq!(come(102..103), Some((103, 16)));
        assert_eq!(come(90..95), Some((103, 16)));
        assert_eq!(come(103..104), Some((104, 18)));
    }

    #[test]
    fn it_grows_up_to_its_end_and_not_while_memory_is_short() {
        let mut r = receiver(1, 15);
        let mut known = WHOLE;
        let mut come = |segments| run(&mut r, segments, &mut known);
        // 0 and 2 are missing; memory is short before 0 comes and after it, until 2 does.
        for seq in (1..2).chain(3..14) {
            assert_eq!(come(seq..seq + 1), Some((0, WHOLE)));
        }
        assert_eq!(come(0..1), Some((2, 98)));
        assert_eq!(come(2..3), Some((14, 86)));
        let windows: Vec<u32> = (14..101).filter_map(|seq| come(seq..seq + 1)).map(|(_, window)| window).collect();
        assert_eq!((windows[0], windows.last()), (85, Some(&15)));
        // Once more with 101 and 103: the 15 that are offered stay, and the two more for 103 are the first.
        for seq in (102..103).chain(104..115) {
            assert_eq!(come(seq..seq + 1), Some((101, 15)));
        }
        assert_eq!(come(101..102), Some((103, 13)));
        assert_eq!(come(103..104), Some((115, 6)));
    }

    #[test]
    fn without_the_rule_nothing_else_is_said() {
        let mut r = receiver(1, 9);
        r.parameters.offer_closes = None;
        let mut known = WHOLE;
        for seq in (1..20).chain(0..1) {
            run(&mut r, seq..seq + 1, &mut known);
        }
        assert_eq!((r.next(), r.is_clamped(), r.closes(), known), (20, true, false, WHOLE));
    }

    #[test]
    fn a_sender_that_has_used_the_old_offer_is_silent_until_the_new_one_reaches_beyond() {
        let parameters = TcpParameters { initial_window: 50, ..TcpParameters::for_tests() };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        let now = Time::from_ms(20);
        sender.on_syn_ack(Time::ZERO, now);
        let mut send = |acked: Option<(u32, u32)>| {
            if let Some((next, window)) = acked {
                sender.follow_closing_offer(window);
                sender.on_ack(Ack { next, echo: Time::ZERO, sack: None, echoes_congestion: false }, now);
            }
            while let Some(segment) = sender.next_to_send(now) {
                sender.on_sent(segment, now);
            }
            sender.next_new_number()
        };
        // 45 without a scaled window, then the congestion window of 51.
        assert_eq!([send(None), send(Some((45, WHOLE)))], [45, 96]);
        // Up to 96 may be sent as before, then up to 100.
        assert_eq!([send(Some((60, 36))), send(Some((90, 6))), send(Some((92, 8)))], [96, 96, 100]);
    }
}
