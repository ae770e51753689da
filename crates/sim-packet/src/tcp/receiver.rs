//! The receiving end: puts segments in order, and decides when to acknowledge and what to report.

mod closing;
mod in_order;
mod old;
use super::{compression::Compression, sack::SackBlocks, window_growth::ShrinkingOffer};
pub use closing::ClosingOffer;
use hntes_sim_scenario::time::Time;

/// How a receiver acknowledges.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceiverParameters {
    /// Acknowledgements carry no SACK blocks.
    pub without_sack: bool,
    /// Segments acknowledged at once at the start of a connection, before acknowledgements are delayed.
    pub quick_acks: u32,
    /// The same after a segment that had come before.
    pub quick_acks_after_duplicate: u32,
    /// Reports of out-of-order segments are held back and sent together.
    pub compresses_reports: bool,
    /// What the timer for them takes longer.
    pub report_slack: Time,
    /// A segment whose time stamp is older than the last one in order is answered and dropped.
    pub paws: bool,
    /// When what is held beyond a hole takes from the window offered; none if it never does.
    pub offer_shrinks: Option<ShrinkingOffer>,
    /// The longest an acknowledgement is delayed.
    pub delayed_ack: Time,
    /// In-order segments merged before TCP sees them (LRO, GRO); 1 for none.
    pub merge_segments: u32,
    /// Segments held beyond a hole that exhaust its memory; from then on it offers a smaller window.
    pub clamp_held: u32,
    /// How its offer closes then; none if it falls to a limit at once.
    pub offer_closes: Option<ClosingOffer>,
}

/// What a receiver wants after a run of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckWish {
    /// No acknowledgement yet; the timer runs.
    Later,
    /// An acknowledgement now.
    Now,
}

/// The state of the receiving end.
#[derive(Clone, Debug)]
pub struct Receiver {
    parameters: ReceiverParameters,
    next: u32,
    held: Vec<u64>,
    held_count: u32,
    blocks: [(u32, u32); 4],
    block_count: usize,
    duplicate: Option<(u32, u32)>,
    echo: Time,
    unacknowledged: u32,
    quick_left: u32,
    /// The run being merged: its end and length.
    run_end: u32,
    run_len: u32,
    run_wants_ack: bool,
    /// Whether the run's first segment came late.
    run_late: bool,
    /// One past the highest segment that has come.
    highest: u32,
    clamped: bool,
    closed: Option<Box<closing::ClosedOffer>>,
    /// Marked segments have come, and no word that the sender heard of it (RFC 3168, 6.1.3).
    echoes_congestion: bool,
    /// Reports held back.
    pub compression: Compression,
    /// When the delayed acknowledgement is due.
    pub ack_due: Option<Time>,
    /// Segments that came for the first time after a later one (RFC 4737, reordered packets): out of sequence as tcptrace
    /// counts, which holds for segments sent again in place of lost ones too.
    pub out_of_sequence: u64,
    /// Runs of segments, merged as a capture on the host sees them, that begin with such a segment.
    pub late_runs: u64,
    /// Segments that had come before.
    pub duplicates: u64,
}

impl Receiver {
    /// A receiver that has nothing.
    pub fn new(parameters: ReceiverParameters) -> Self {
        Self {
            parameters,
            next: 0,
            held: vec![0; 16],
            held_count: 0,
            blocks: [(0, 0); 4],
            block_count: 0,
            duplicate: None,
            echo: Time::ZERO,
            unacknowledged: 0,
            quick_left: parameters.quick_acks,
            run_end: 0,
            run_len: 0,
            run_wants_ack: false,
            run_late: false,
            highest: 0,
            clamped: false,
            closed: None,
            echoes_congestion: false,
            compression: Compression::new(parameters.compresses_reports, parameters.report_slack),
            ack_due: None,
            out_of_sequence: 0,
            late_runs: 0,
            duplicates: 0,
        }
    }

    /// The next segment expected: everything below has been delivered in order.
    #[inline]
    pub const fn next(&self) -> u32 {
        self.next
    }

    /// Whether holding segments has exhausted its memory.
    #[inline]
    pub const fn is_clamped(&self) -> bool {
        self.clamped
    }

    /// The time stamp to echo.
    #[inline]
    pub const fn echo(&self) -> Time {
        self.echo
    }

    /// Whether acknowledgements carry ECE (RFC 3168).
    #[inline]
    pub const fn echoes_congestion(&self) -> bool {
        self.echoes_congestion
    }

    /// Take in what a segment says of congestion.
    #[inline]
    pub const fn on_congestion_signs(&mut self, is_marked: bool, is_window_reduced: bool) {
        self.echoes_congestion = is_marked || (self.echoes_congestion && !is_window_reduced);
    }

    /// Whether a segment would end the run being merged.
    #[inline]
    pub const fn breaks_run(&self, seq: u32) -> bool {
        self.run_len > 0 && (seq != self.run_end || self.run_len >= self.parameters.merge_segments)
    }

    /// Whether a run is being merged.
    #[inline]
    pub const fn has_run(&self) -> bool {
        self.run_len > 0
    }

    /// Take in one segment.
    #[inline]
    pub fn on_segment(&mut self, seq: u32, stamp: Time) {
        self.run_end = seq + 1;
        self.run_len += 1;
        if self.is_old(stamp) {
            self.on_old(seq);
        } else if seq == self.next {
            if self.unacknowledged == 0 || self.held_count > 0 {
                self.echo = stamp;
            }
            self.next += 1;
            self.unacknowledged += 1;
            if self.held_count > 0 {
                self.run_wants_ack = true;
                self.note_late();
                self.release_held();
                self.note_filled();
            }
        } else {
            self.on_unexpected(seq, stamp);
        }
    }

    /// End the run being merged.
    #[inline]
    pub fn end_run(&mut self, now: Time) -> AckWish {
        let merged = self.run_len;
        self.late_runs += u64::from(self.run_late);
        self.run_len = 0;
        self.run_late = false;
        if self.compression.take_answered() {
            return AckWish::Later;
        }
        if self.closed.is_some() {
            self.regrow_offer();
        }
        let wants = self.run_wants_ack || self.unacknowledged >= 2 || self.quick_left > 0;
        self.quick_left = self.quick_left.saturating_sub(merged);
        if wants {
            return AckWish::Now;
        }
        self.ack_due.get_or_insert(now + self.parameters.delayed_ack);
        if let Some(wait) = self.compression.wait() {
            self.ack_due = self.ack_due.min(Some(now + wait));
        }
        AckWish::Later
    }

    /// What the acknowledgement being sent carries; the receiver's debts are paid with it.
    #[inline]
    pub fn acknowledge(&mut self) -> Option<SackBlocks> {
        self.unacknowledged = 0;
        self.run_wants_ack = false;
        self.compression.on_reported();
        self.ack_due = None;
        if self.closed.is_some() {
            self.note_offer();
        }
        if self.parameters.without_sack || (self.block_count == 0 && self.duplicate.is_none()) {
            return None;
        }
        let mut blocks = SackBlocks::default();
        if let Some(range) = self.duplicate.take() {
            blocks.ranges[0] = range;
            blocks.len = 1;
            blocks.duplicate_first = true;
        }
        // With time stamps three blocks fit into the header.
        for &range in self.blocks[..self.block_count].iter().take(3 - usize::from(blocks.len)) {
            blocks.ranges[usize::from(blocks.len)] = range;
            blocks.len += 1;
        }
        Some(blocks)
    }

    fn release_held(&mut self) {
        while self.held_count > 0 && self.is_held(self.next) {
            self.set_held(self.next, false);
            self.next += 1;
        }
        let (mut kept, next) = (0, self.next);
        for index in 0..self.block_count {
            let (first, end) = self.blocks[index];
            if end > next {
                self.blocks[kept] = (first.max(next), end);
                kept += 1;
            }
        }
        self.block_count = kept;
    }

    const fn note_late(&mut self) {
        self.out_of_sequence += 1;
        self.run_late |= self.run_len == 1;
    }

    /// Put a segment into the list of recent blocks, its own block first (RFC 2018).
    fn report(&mut self, seq: u32) {
        let mut grown = (seq, seq + 1);
        let mut kept = 0;
        for index in 0..self.block_count {
            let block = self.blocks[index];
            if block.0 <= grown.1 && grown.0 <= block.1 {
                grown = (grown.0.min(block.0), grown.1.max(block.1));
            } else {
                self.blocks[kept] = block;
                kept += 1;
            }
        }
        kept = kept.min(self.blocks.len() - 1);
        self.blocks.copy_within(0..kept, 1);
        self.blocks[0] = grown;
        self.block_count = kept + 1;
    }

    fn is_held(&self, seq: u32) -> bool {
        let bits = self.held.len() * 64;
        ((seq - self.next) as usize) < bits && {
            let at = seq as usize & (bits - 1);
            self.held[at / 64] >> (at % 64) & 1 != 0
        }
    }

    fn set_held(&mut self, seq: u32, held: bool) {
        let at = seq as usize & (self.held.len() * 64 - 1);
        if held {
            self.held[at / 64] |= 1 << (at % 64);
            self.held_count += 1;
        } else {
            self.held[at / 64] &= !(1 << (at % 64));
            self.held_count -= 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let bits = self.held.len() * 64;
        let old = std::mem::take(&mut self.held);
        self.held = vec![0; bits / 32];
        self.held_count = 0;
        for seq in self.next..self.next + bits as u32 {
            let at = seq as usize & (bits - 1);
            if old[at / 64] >> (at % 64) & 1 != 0 {
                self.set_held(seq, true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AckWish, Receiver, ReceiverParameters};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    fn receiver() -> Receiver {
        let delayed_ack = Time::from_ms(40);
        Receiver::new(ReceiverParameters { delayed_ack, merge_segments: 1, clamp_held: 5000, ..Default::default() })
    }

    fn arrive(receiver: &mut Receiver, seq: u32) -> AckWish {
        receiver.on_segment(seq, Time::ZERO);
        receiver.end_run(Time::ZERO)
    }

    #[test]
    fn every_second_segment_is_acknowledged_and_a_gap_at_once() {
        let mut r = receiver();
        assert_eq!(arrive(&mut r, 0), AckWish::Later);
        assert_eq!(arrive(&mut r, 1), AckWish::Now);
        assert!(r.acknowledge().is_none());
        assert_eq!(arrive(&mut r, 3), AckWish::Now);
        let blocks = r.acknowledge().expect("a hole is reported");
        assert_eq!((blocks.len, blocks.ranges[0]), (1, (3, 4)));
        assert_eq!(arrive(&mut r, 2), AckWish::Now);
        assert_eq!(r.next(), 4);
    }

    #[test]
    fn a_duplicate_is_reported_first() {
        let mut r = receiver();
        arrive(&mut r, 0);
        r.acknowledge();
        assert_eq!(arrive(&mut r, 0), AckWish::Now);
        let blocks = r.acknowledge().expect("a duplicate is reported");
        assert!(blocks.duplicate_first);
        assert_eq!(blocks.ranges[0], (0, 1));
    }

    #[test]
    fn the_most_recent_block_comes_first_and_blocks_merge() {
        let mut r = receiver();
        for seq in [2, 6, 4, 3] {
            arrive(&mut r, seq);
        }
        let blocks = r.acknowledge().expect("holes");
        assert_eq!(&blocks.ranges[..2], &[(2, 5), (6, 7)]);
    }

    #[test]
    fn late_segments_are_counted_and_not_those_beyond_a_hole() {
        // 3, 5 and 4 come after 6 and 7; the second 3 is a duplicate.
        let mut r = receiver();
        for seq in [0, 1, 2, 6, 7, 3, 5, 3, 4, 8] {
            arrive(&mut r, seq);
        }
        assert_eq!((r.next(), r.out_of_sequence, r.late_runs, r.duplicates), (9, 3, 3, 1));
        let mut merged = receiver();
        merged.parameters.merge_segments = 44;
        for seq in [0, 4, 1, 2, 3] {
            if merged.breaks_run(seq) {
                merged.end_run(Time::ZERO);
            }
            merged.on_segment(seq, Time::ZERO);
        }
        merged.end_run(Time::ZERO);
        assert_eq!((merged.out_of_sequence, merged.late_runs), (3, 1));
    }

    #[test]
    fn a_mark_is_echoed_until_the_sender_has_heard() {
        let mut r = receiver();
        let mut echoes = Vec::new();
        for (is_marked, is_reduced) in [(false, false), (true, false), (false, false), (false, true), (true, true)] {
            r.on_congestion_signs(is_marked, is_reduced);
            echoes.push(r.echoes_congestion());
        }
        assert_eq!(echoes, [false, true, true, false, true]);
    }

    #[test]
    fn any_order_delivers_everything() {
        let mut random = Random::named(11, "order");
        let mut waiting: Vec<u32> = (0..20_000).collect();
        let mut r = receiver();
        while !waiting.is_empty() {
            let reach = waiting.len().min(3000) as u64;
            let at = (random.bits() % reach) as usize;
            arrive(&mut r, waiting.remove(at));
            r.acknowledge();
        }
        assert_eq!((r.next(), r.held_count, r.block_count), (20_000, 0, 0));
    }
}
