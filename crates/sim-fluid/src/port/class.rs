//! One queue of a port with its flows: what arrives, what is lost of it, what leaves.

use super::{Lost, MOSTLY, clump};
use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::drop::{Filling, Overflow};
use crate::line::DelayLine;
use crate::queue::FluidQueue;
use crate::topology::wire_bytes;
use hntes_sim_scenario::results::{DropCause, QueueRef};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::{FlowId, Link};

/// A flow's place at a queue.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The flow.
    pub flow: FlowId,
    /// The delay line it comes from.
    pub input: usize,
    /// The delay line it leaves into.
    pub output: usize,
    /// The policer it passes.
    pub policer: Option<usize>,
    /// Bytes of its packets from the IP header on.
    pub ip_bytes: f64,
    /// Losses come in whole packets; else they are even.
    pub whole_losses: bool,
    /// Packets of a datagram, and the share of a step they take to arrive.
    pub pieces: f64,
    /// See `pieces`.
    pub piece_span: f64,
    /// Bursts per step that a busy queue makes of its packets: one each time the receiver looks.
    pub looks_per_step: f64,
    /// The round trip through empty queues; none for flows that answer nothing.
    pub round_trip_s: f64,
    /// In slow start each delivered segment lets two out (Linux 6); otherwise each acknowledgement lets out one more than it
    /// acknowledges.
    pub doubles: bool,
    /// What was lost of it here.
    pub lost: Lost,
}

/// One queue with its flows.
#[derive(Clone, Debug)]
pub struct ClassQueue {
    /// Which one it is in results.
    pub of: QueueRef,
    /// The queue.
    pub queue: FluidQueue,
    /// Its flows.
    pub slots: Vec<Slot>,
    /// So many of the first slots are looked at: no flow of the others has sent anything yet.
    awake: usize,
    /// Packets out of profile are dropped by occupancy, read in steps of so many per cent.
    pub wred_step_pct: Option<f64>,
    /// What the full queue turned away in the present step.
    overflow: Overflow,
    /// Bytes served in the present step.
    pub served_bytes: f64,
    /// Bytes let in during the present step.
    pub entered_bytes: f64,
    /// A segment sent again that comes on the heels of an overflow finds no room either.
    pub loses_retransmissions: bool,
    pub(super) arrivals: Vec<Chunk>,
    /// Part of a slow start's flight is among them.
    have_clumps: bool,
    /// Bytes of them before a full queue turns any away.
    pub(super) arrived_bytes: f64,
    leaving: Vec<Chunk>,
    /// For each slot the share of its packets that is out of profile.
    pub(super) out_of_profile: Vec<f64>,
}

impl ClassQueue {
    /// An idle queue.
    pub fn new(of: QueueRef, queue: FluidQueue, slots: Vec<Slot>, wred_step_pct: Option<f64>) -> Self {
        let count = slots.len();
        Self {
            of,
            queue,
            slots,
            awake: 0,
            wred_step_pct,
            overflow: Overflow::default(),
            served_bytes: 0.0,
            entered_bytes: 0.0,
            loses_retransmissions: false,
            arrivals: vec![Chunk::default(); count],
            have_clumps: false,
            arrived_bytes: 0.0,
            leaving: vec![Chunk::default(); count],
            out_of_profile: vec![0.0; count],
        }
    }

    /// A flow begins to send; before, its chunks hold nothing, and no step needs them.
    pub(super) fn wake(&mut self, flow: FlowId) {
        if let Some(slot) = self.slots.iter().rposition(|slot| slot.flow == flow) {
            self.awake = self.awake.max(slot + 1);
        }
    }

    /// Whether any of its flows has begun to send.
    pub(super) const fn is_awake(&self) -> bool {
        self.awake > 0
    }

    /// Take what arrives out of the delay lines.
    #[inline]
    pub(super) fn take_in(&mut self, lines: &mut [DelayLine<Chunk>]) {
        let slots = self.slots[..self.awake].iter().zip(self.queue.packet_bytes());
        let (mut bytes, mut have_clumps) = (0.0, false);
        for (arrived, (slot, packet_bytes)) in self.arrivals.iter_mut().zip(slots) {
            *arrived = *lines[slot.input].take();
            bytes += arrived.packets() * packet_bytes;
            have_clumps |= arrived.clumps > 0.0;
        }
        (self.arrived_bytes, self.have_clumps) = (bytes, have_clumps);
    }

    /// Some of what arrives was lost on the way.
    pub(super) fn count_arrived(&mut self) {
        self.arrived_bytes = self.queue.bytes_of(&self.arrivals[..self.awake]);
    }

    /// Serve so many bytes, and pass on what leaves; how many bytes do.
    #[inline]
    pub(super) fn serve(
        &mut self,
        served_bytes: f64,
        station_bytes: f64,
        lines: &mut [DelayLine<Chunk>],
        random: &mut Random,
        step_s: f64,
    ) -> f64 {
        self.served_bytes = served_bytes;
        if self.queue.is_idle() {
            if self.lets_pass() {
                return self.pass(lines);
            }
            if self.arrivals[..self.awake].iter().all(|chunk| *chunk == Chunk::default()) {
                self.entered_bytes = 0.0;
                self.overflow = Overflow::default();
                for slot in &self.slots[..self.awake] {
                    lines[slot.output].put(&Chunk::default());
                }
                return 0.0;
            }
        }
        self.entered_bytes = if self.turns_away() && self.overflow(random) {
            self.queue.bytes_of(&self.arrivals[..self.awake])
        } else {
            self.arrived_bytes
        };
        if self.have_clumps {
            self.spread_out(step_s);
        }
        self.queue.enter(&self.arrivals[..self.awake], self.entered_bytes);
        let before = self.queue.backlog_bytes();
        self.queue.serve(served_bytes, &mut self.leaving[..self.awake]);
        let busy = self.queue.backlog_bytes() > 0.0;
        for (chunk, slot) in self.leaving.iter_mut().zip(&self.slots[..self.awake]) {
            if busy && chunk.packets() > 0.0 {
                let own = chunk.packets() * slot.ip_bytes;
                clump::space_out(chunk, slot.looks_per_step, step_s, own >= MOSTLY * station_bytes);
            }
            lines[slot.output].put(chunk);
        }
        before - self.queue.backlog_bytes()
    }

    /// Whether all that arrives leaves an idle queue in the same step, as it came.
    fn lets_pass(&self) -> bool {
        self.arrived_bytes > 0.0 && self.arrived_bytes <= self.served_bytes && !self.loses_retransmitted()
    }

    /// Whether what is sent again and comes now is on the heels of an overflow, and lost for that.
    fn loses_retransmitted(&self) -> bool {
        self.loses_retransmissions && self.overflow.share > 0.0
    }

    /// What arrives leaves as it came; how many bytes do.
    #[inline]
    fn pass(&mut self, lines: &mut [DelayLine<Chunk>]) -> f64 {
        self.entered_bytes = self.arrived_bytes;
        self.overflow = Overflow::default();
        self.queue.pass(&self.arrivals[..self.awake], self.arrived_bytes);
        for (chunk, slot) in self.arrivals.iter().zip(&self.slots[..self.awake]) {
            lines[slot.output].put(chunk);
        }
        self.arrived_bytes
    }

    /// All slots are known now, and so is the link that frames their packets.
    pub fn make_room(&mut self, link: &Link) {
        let packet_bytes = self.slots.iter().map(|slot| wire_bytes(link, slot.ip_bytes)).collect();
        self.queue = FluidQueue::new(packet_bytes, self.queue.limit_bytes, self.queue.reopen_bytes);
        self.arrivals = vec![Chunk::default(); self.slots.len()];
        self.leaving = vec![Chunk::default(); self.slots.len()];
        self.out_of_profile = vec![0.0; self.slots.len()];
    }

    pub(super) fn lose(&mut self, slot: usize, share: f64, cause: DropCause, random: &mut Random) {
        let chunk = &mut self.arrivals[slot];
        let place = &mut self.slots[slot];
        if share <= 0.0 || chunk.packets() <= 0.0 {
            return;
        }
        let (mut fresh, mut again) = (chunk.fresh * share, chunk.again * share);
        if place.whole_losses {
            fresh = whole_packets(fresh, chunk.fresh, random);
            again = whole_packets(again, chunk.again, random);
        }
        chunk.lose(fresh, again);
        place.lost[cause] += fresh + again;
    }

    /// Of each flow one segment sent again is lost.
    fn lose_retransmitted(&mut self) {
        for (chunk, place) in self.arrivals.iter_mut().zip(&mut self.slots) {
            // To Linux 6 one sent for the first time matters, too: if it was sent in a recovery, it begins another.
            let fresh = if place.doubles { chunk.fresh.at_most(1.0) } else { 0.0 };
            let again = chunk.again.at_most(1.0);
            chunk.lose(fresh, again);
            place.lost[DropCause::Full] += fresh + again;
        }
    }

    /// Datagrams that lose a piece when each packet is lost with this chance.
    pub(super) fn break_datagrams(&mut self, slot: usize, chance: f64) {
        let place = &self.slots[slot];
        if place.pieces > 0.0 && chance > 0.0 {
            let datagrams = self.arrivals[slot].packets() / place.pieces;
            self.arrivals[slot].broken += datagrams * chance_of_any(chance, place.pieces);
        }
    }

    fn filling(&self) -> Filling {
        Filling {
            backlog: self.queue.backlog_bytes(),
            limit: self.queue.limit_bytes,
            reopen: self.queue.reopen_bytes,
            arrivals: self.arrived_bytes,
            served: self.served_bytes,
        }
    }

    /// Whether anything may be turned away in this step; nothing is if everything that arrives fits.
    #[inline]
    fn turns_away(&mut self) -> bool {
        let has_room = self.filling().has_room(self.queue.closed) && !self.loses_retransmitted();
        if has_room {
            self.overflow = Overflow::default();
        }
        !has_room
    }

    /// Take out of the arrivals what a full queue turns away; whether that is anything.
    fn overflow(&mut self, random: &mut Random) -> bool {
        let loses_retransmitted = self.loses_retransmitted();
        let overflow = self.filling().overflow(&mut self.queue.closed);
        self.overflow = overflow;
        if loses_retransmitted {
            self.lose_retransmitted();
        }
        if overflow == Overflow::default() {
            return loses_retransmitted;
        }
        let pkts: f64 = self.arrivals.iter().map(Chunk::packets).sum();
        for slot in 0..self.slots.len() {
            let place = &self.slots[slot];
            if place.pieces > 0.0 {
                let datagrams = self.arrivals[slot].packets() / place.pieces;
                let own = self.arrivals[slot].packets() / pkts.at_least(f64::MIN_POSITIVE);
                self.arrivals[slot].broken += overflow.broken(datagrams, place.pieces, place.piece_span, own);
            }
            self.lose(slot, overflow.share, DropCause::Full, random);
        }
        true
    }

    /// A busy queue draws clumps apart: what arrives within a clump's time, its own packets and others', leaves as fast as
    /// the queue is served.
    fn spread_out(&mut self, step_s: f64) {
        if self.served_bytes <= 0.0 || self.queue.backlog_bytes() + self.entered_bytes <= self.served_bytes {
            return;
        }
        for slot in 0..self.awake {
            if self.arrivals[slot].clumps > 0.0 {
                let own_s =
                    self.arrivals[slot].packets() * self.queue.packet_bytes()[slot] / self.served_bytes * step_s;
                let others = self.others_within(slot, own_s, step_s);
                let chunk = &mut self.arrivals[slot];
                chunk.spread_s = clump::spread_s(chunk.spread_s, others, own_s);
            }
        }
    }

    /// What others send while a clump of `own_s` of service arrives, relative to the service.
    fn others_within(&self, slot: usize, own_s: f64, step_s: f64) -> f64 {
        let chunk = &self.arrivals[slot];
        let more = if self.slots[slot].doubles { chunk.packets() / 2.0 } else { chunk.bursts };
        let before_s = clump::service_before_s(own_s, more, chunk.packets());
        let left = clump::room_left(before_s, chunk.spread_s.at_least(own_s), step_s);
        let flight_s = chunk.spread_s / chunk.clumps;
        let others = (0..self.slots.len()).filter(|&other| other != slot);
        let bytes: f64 = others
            .map(|other| {
                let apart_s = (self.slots[other].round_trip_s - self.slots[slot].round_trip_s).abs();
                let bytes = self.arrivals[other].packets() * self.queue.packet_bytes()[other];
                bytes * clump::share_that_draws_apart(apart_s, flight_s, left)
            })
            .sum();
        bytes / self.served_bytes
    }

    /// The chance that a small packet of so many bytes is turned away in the present step.
    pub fn probe_loss(&self, bytes: f64) -> f64 {
        let mean_bytes = self.queue.packet_bytes().iter().sum::<f64>() / self.queue.packet_bytes().len().max(1) as f64;
        // The room that a full queue has left is less than a packet, but a small packet may fit.
        if self.queue.reopen_bytes > mean_bytes || self.overflow.share <= 0.0 {
            self.overflow.share
        } else {
            (bytes / mean_bytes).at_most(1.0)
        }
    }
}

/// A whole number of packets, at most `most`, whose mean is `expected`: floor(x + u) with u evenly distributed from 0 to
/// 1 is on average x (stochastic rounding).
fn whole_packets(expected: f64, most: f64, random: &mut Random) -> f64 {
    (expected + random.unit()).floor().at_most(most)
}

/// The chance that at least one of `pieces` is lost when each is lost with this chance, independently of the others:
/// 1 - (1 - p)^n.
fn chance_of_any(chance: f64, pieces: f64) -> f64 {
    1.0 - (1.0 - chance).powf(pieces)
}
