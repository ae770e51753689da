//! The sending end of a connection: windows, timers and what goes out next. Losses are dealt with in `recovery`.

pub use super::counts::SenderCounts;

use super::TcpParameters;
use super::congestion::{CaState, CongestionControl, CongestionKind, Window};
use super::newreno::Duplicates;
use super::rack::RackState;
use super::rtt::RttEstimator;
use super::sack::SackBlocks;
use super::scoreboard::Scoreboard;
use crate::senders::SenderState;
use hntes_sim_scenario::LossRecovery;
use hntes_sim_scenario::time::Time;

/// What a receiver offers in the handshake at most: its window is scaled from the first acknowledgement on (RFC 7323, 2.2).
pub(super) const MOST_UNSCALED_BYTES: u32 = 65_535;
/// More segments than a run can send.
const ENDLESS: u32 = u32::MAX;

/// An acknowledgement as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// The next segment expected.
    pub next: u32,
    /// The echoed time stamp.
    pub echo: Time,
    /// SACK blocks, if any.
    pub sack: Option<&'a SackBlocks>,
    /// It carries ECE: a packet was marked (RFC 3168).
    pub echoes_congestion: bool,
}

/// A segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Its number.
    pub seq: u32,
    /// Whether it was sent before.
    pub again: bool,
}

/// What one acknowledgement effect, gathered step by step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckFacts {
    pub acked: u32,
    pub newly_sacked: u32,
    pub duplicate_reported: bool,
    pub echo: Time,
    /// The segment's distance from the highest SACKed one, when it arrived late without being sent again.
    pub reordered_by: Option<u32>,
}

/// The state of the sending end.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) parameters: TcpParameters,
    pub(super) board: Scoreboard,
    pub(super) window: Window,
    pub(super) state: CaState,
    pub(super) congestion: CongestionKind,
    pub(super) rtt: RttEstimator,
    /// The segment whose round trip is measured, and when it was sent; of senders without time stamps.
    pub(super) timed_segment: Option<(u32, Time)>,
    /// The last segment sent when the present state was entered, plus one.
    pub(super) high: u32,
    pub(super) prior_ssthresh: u32,
    pub(super) undo_from: Option<u32>,
    /// Retransmissions not yet reported as needless.
    pub(super) undo_resent: i64,
    pub(super) first_resent_at: Option<Time>,
    pub(super) reordering: u32,
    pub(super) fack: bool,
    /// Of senders without selective acknowledgements.
    pub(super) duplicates: Duplicates,
    pub(super) rack: RackState,
    /// The limit to segments in flight from the first acknowledgement on, until it has come.
    pub(super) scaled_limit: Option<u32>,
    /// That limit, once it is offered.
    pub(super) whole_limit: u32,
    /// Segments that the application has handed over so far.
    pub(super) available: u32,
    established: bool,
    sends_plainly: bool,
    /// The next new segment tells the receiver that its echo was heard.
    pub(super) owes_window_reduced: bool,
    /// When segments that the windows allowed were last held back for a larger burst.
    pub(super) held_back_at: Option<Time>,
    /// When the retransmission timer runs out.
    pub rto_due: Option<Time>,
    /// Counters for the results.
    pub counts: SenderCounts,
}

impl Sender {
    /// A connection that has yet to be established.
    pub fn new(mut parameters: TcpParameters, congestion: CongestionKind) -> Self {
        let scaled_limit = Some(parameters.window_limit);
        let unscaled_limit = MOST_UNSCALED_BYTES / u32::from(parameters.segment_data_bytes.max(1));
        parameters.window_limit = parameters.window_limit.min(unscaled_limit.max(1));
        let is_newer = parameters.rack || parameters.small_queues || parameters.slow_start_doubles;
        parameters.waits_for_bursts &= !is_newer || parameters.rack;
        let window = Window { cwnd: parameters.initial_window, count: 0, ssthresh: parameters.initial_ssthresh };
        Self {
            parameters,
            board: Scoreboard::new(),
            window,
            state: CaState::Open,
            congestion,
            rtt: RttEstimator::of(&parameters),
            timed_segment: None,
            high: 0,
            prior_ssthresh: 0,
            undo_from: None,
            undo_resent: 0,
            first_resent_at: None,
            reordering: parameters.reordering,
            fack: parameters.fack,
            duplicates: Duplicates::default(),
            rack: RackState::new(),
            scaled_limit,
            whole_limit: parameters.window_limit,
            available: ENDLESS,
            established: false,
            sends_plainly: !(is_newer || parameters.waits_for_bursts || parameters.times_one_segment),
            owes_window_reduced: false,
            held_back_at: None,
            rto_due: None,
            counts: SenderCounts::default(),
        }
    }

    /// The congestion window in segments.
    pub const fn cwnd(&self) -> u32 {
        self.window.cwnd
    }

    /// What an oracle tells meters at the edge; nothing before the first round trip. In recovery the window is the one it
    /// leads to.
    pub fn state(&self) -> Option<SenderState> {
        let Window { cwnd, ssthresh, .. } = self.window;
        let cwnd = if self.state == CaState::Recovery { cwnd.min(ssthresh) } else { cwnd };
        self.rtt.srtt().map(|srtt| SenderState { srtt, rto: self.rtt.rto_without_backoff(), cwnd })
    }

    /// The first segment not acknowledged.
    pub const fn una(&self) -> u32 {
        self.board.una()
    }

    /// The first packet of the handshake went out.
    pub fn on_syn_sent(&mut self, now: Time) {
        self.rack.syn_sent_at = now;
        self.rto_due = Some(now + self.rtt.rto());
    }

    /// The other end has answered the handshake; false when it had done so before.
    pub fn on_syn_ack(&mut self, echo: Time, now: Time) -> bool {
        if self.established {
            return false;
        }
        self.established = true;
        self.rtt.on_sample_between(now.since(echo), 0, 0);
        self.begin_pacing(echo, now);
        self.rto_due = None;
        true
    }

    /// Whether data may be sent.
    pub const fn is_established(&self) -> bool {
        self.established
    }

    /// When it has something to do unasked: a timeout, or room in its host's queue.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        match (self.rto_due, self.room_due()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// The receiver's memory has been exhausted.
    pub fn clamp_window(&mut self) {
        self.parameters.offered_window = None;
        self.parameters.window_limit = self.parameters.window_limit.min(self.parameters.clamped_window_limit);
    }

    /// The application has so many segments and no more, for the time being.
    pub const fn limit(&mut self, segments: u32) {
        self.available = segments;
    }

    /// The application hands over more segments.
    pub const fn write(&mut self, segments: u32) {
        self.available = self.available.saturating_add(segments);
    }

    /// The application has no more data.
    pub fn close(&mut self) {
        self.available = self.available.min(self.board.next());
    }

    /// Whether all that the application had is acknowledged.
    #[inline]
    pub const fn is_done(&self) -> bool {
        self.board.una() >= self.available
    }

    /// Whether sending takes no more than windows to look at, which [`Sender::next_plain`] and [`Sender::on_sent_plain`] do.
    #[inline(always)]
    pub const fn sends_plainly(&self) -> bool {
        self.sends_plainly
    }

    /// The next segment the windows allow, if any. It counts as sent once [`Sender::on_sent`] is called.
    pub fn next_to_send(&mut self, now: Time) -> Option<Outgoing> {
        if self.parameters.rack && self.established { self.next_rack(now) } else { self.next_plain() }
    }

    /// The same of a sender that counts duplicates.
    #[inline(always)]
    pub fn next_plain(&mut self) -> Option<Outgoing> {
        if self.board.in_flight() >= self.window.cwnd || !self.established {
            return self.owed_beyond_window();
        }
        if self.state >= CaState::Recovery {
            if let Some(seq) = self.board.first_to_resend(u32::MAX) {
                return Some(Outgoing { seq, again: true });
            }
        }
        self.next_new()
    }

    /// The next segment never sent, if the application has it and the socket buffers have room.
    #[inline(always)]
    pub(super) fn next_new(&self) -> Option<Outgoing> {
        let room = self.board.outstanding() < self.parameters.window_limit;
        let seq = self.board.next();
        (room && seq < self.available).then_some(Outgoing { seq, again: false })
    }

    /// A retransmission that does not wait for the window (RFC 6582).
    #[inline]
    fn owed_beyond_window(&mut self) -> Option<Outgoing> {
        if !self.duplicates.resend_first {
            return None;
        }
        self.board.first_to_resend(u32::MAX).map(|seq| Outgoing { seq, again: true })
    }

    /// The segment went out.
    pub fn on_sent(&mut self, segment: Outgoing, now: Time) {
        if self.parameters.rack {
            self.on_sent_rack(segment, now);
        } else {
            self.time(segment, now);
            self.on_sent_plain(segment, now);
        }
    }

    /// The same of a sender that counts duplicates.
    #[inline(always)]
    pub fn on_sent_plain(&mut self, segment: Outgoing, now: Time) {
        if segment.again {
            self.undo_resent += 1;
            self.duplicates.resend_first = false;
            self.note_resent(segment.seq, now);
        } else {
            self.note_new();
        }
        if self.rto_due.is_none() {
            self.rto_due = Some(now + self.rtt.rto());
        }
    }

    #[inline(always)]
    pub(super) fn note_new(&mut self) {
        self.board.send_new();
        self.owes_window_reduced = false;
    }

    pub(super) fn note_resent(&mut self, seq: u32, now: Time) {
        self.board.mark_resent(seq);
        self.counts.retransmitted += 1;
        let stamp = now.floor_to(self.parameters.stamp_step);
        self.first_resent_at.get_or_insert(stamp);
    }

    /// Take in an acknowledgement.
    #[inline]
    pub fn on_ack(&mut self, ack: Ack<'_>, now: Time) {
        if ack.next < self.board.una() {
            return;
        }
        if self.parameters.rack {
            self.on_ack_rack(ack, now);
            return;
        }
        self.follow_offer(ack.next, 0);
        let in_flight_before = self.board.in_flight();
        let outstanding_before = self.board.outstanding();
        let mut facts = AckFacts { echo: ack.echo, ..AckFacts::default() };
        if let Some(blocks) = ack.sack {
            self.take_in_sack(blocks, &mut facts);
        }
        self.take_in_cumulative(ack, &mut facts, now);
        let duplicate = facts.acked == 0 && outstanding_before > 0;
        if ack.echoes_congestion {
            self.on_congestion_echo(now);
        }
        let doubtful = duplicate || facts.newly_sacked > 0 || self.state != CaState::Open;
        if facts.acked > 0 && !matches!(self.state, CaState::Cwr | CaState::Recovery) {
            self.grow(facts.acked, in_flight_before, now);
        }
        if doubtful && self.parameters.loss_recovery == LossRecovery::Sack {
            self.on_doubtful_ack(&facts, now);
        } else if doubtful {
            self.on_ack_without_sack(&facts, now);
        }
    }

    fn take_in_sack(&mut self, blocks: &SackBlocks, facts: &mut AckFacts) {
        if blocks.duplicate_first {
            facts.duplicate_reported = true;
            let end = blocks.ranges[0].1;
            if self.undo_from.is_some_and(|from| end > from) {
                self.undo_resent -= i64::from(blocks.ranges[0].1 - blocks.ranges[0].0);
            }
        }
        let news = self.board.apply_sack(blocks);
        facts.newly_sacked = news.newly_sacked;
        facts.reordered_by = news.reordered.map(|seq| self.board.forward() - seq);
    }

    #[inline]
    fn take_in_cumulative(&mut self, ack: Ack<'_>, facts: &mut AckFacts, now: Time) {
        let forward = self.board.forward();
        let news = self.board.acknowledge(ack.next);
        if news.acked == 0 {
            return;
        }
        facts.acked = news.acked;
        if let Some(seq) = news.reordered {
            facts.reordered_by = facts.reordered_by.max(Some(forward - seq));
        }
        let rtt = now.since(ack.echo);
        self.sample(ack.next, rtt, now);
        self.rto_due = (self.board.outstanding() > 0).then(|| now + self.rtt.rto());
        let rtt = (!news.resent).then_some(rtt);
        self.tell(news.acked, rtt, now);
    }

    /// The retransmission timer ran out.
    pub fn on_timeout(&mut self, now: Time) {
        self.rto_due = None;
        if self.board.outstanding() == 0 {
            return;
        }
        if self.parameters.rack {
            self.on_timer(now);
            return;
        }
        self.rtt.on_timeout();
        self.enter_loss(now);
        self.rto_due = Some(now + self.rtt.rto());
    }

    /// The handshake's answer did not come in time; whether to ask again.
    pub fn on_handshake_timeout(&mut self) -> bool {
        self.rto_due = None;
        self.rtt.on_timeout();
        self.available > 0
    }

    pub(super) fn enter(&mut self, state: CaState, now: Time) {
        if self.state != state {
            self.state = state;
            self.congestion.on_state(state, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outgoing, Sender};
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};

    fn sender(ecn: bool) -> Sender {
        Sender::new(TcpParameters { ecn, ..TcpParameters::for_tests() }, CongestionKind::Reno(Reno))
    }

    #[test]
    fn only_new_segments_of_an_ecn_host_are_ecn_capable() {
        let capable = |ecn: bool, again: bool| sender(ecn).is_ecn_capable(Outgoing { seq: 0, again });
        assert_eq!([capable(true, false), capable(true, true), capable(false, false)], [true, false, false]);
    }
}
