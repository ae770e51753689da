//! A station: a link in one direction with the queues before it, as the flows meet it on their way.

use crate::chunk::Chunk;
use crate::drop::{Bucket, Filling, Overflow, early_drop_chance};
use crate::line::DelayLine;
use crate::queue::FluidQueue;
use crate::share::Sharing;
use crate::tcp::segments_per_ack;
use hntes_sim_scenario::results::{ByCause, DropCause, QueueRef};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::{FlowId, LinkId};

/// Packets lost, by cause.
pub type Lost = ByCause<f64>;
/// A flow that has this share of a queue's service has it to itself.
const MOSTLY: f64 = 0.95;

/// A queue of a station.
#[derive(Clone, Copy, Debug)]
pub struct QueuePlace {
    /// The station.
    pub station: usize,
    /// The queue, among those of its station.
    pub queue: usize,
}

/// A policer: a bucket, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Policer {
    /// Its bucket.
    pub bucket: Bucket,
    /// Packets out of profile are dropped; otherwise they are marked for the queue's early drop.
    pub drops: bool,
}

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
    /// Bursts a step that a busy queue makes of its packets: one each time the receiver looks.
    pub looks_per_step: f64,
    /// The round trip through empty queues; none for flows that answer nothing.
    pub round_trip_s: f64,
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
    /// Packets out of profile are dropped by occupancy, read in steps of so many per cent.
    pub wred_step_pct: Option<f64>,
    /// What the full queue turned away in the present step.
    overflow: Overflow,
    /// Bytes served in the present step.
    pub served_bytes: f64,
    /// Bytes let in during the present step.
    pub entered_bytes: f64,
    /// A segment sent again that comes on the heels of an overflow finds no room either.
    pub unlucky: bool,
    arrivals: Vec<Chunk>,
    leaving: Vec<Chunk>,
    /// For each slot the share of its packets that is out of profile.
    out_of_profile: Vec<f64>,
}

impl ClassQueue {
    /// An idle queue.
    pub fn new(of: QueueRef, queue: FluidQueue, slots: Vec<Slot>, wred_step_pct: Option<f64>) -> Self {
        let count = slots.len();
        Self {
            of,
            queue,
            slots,
            wred_step_pct,
            overflow: Overflow::default(),
            served_bytes: 0.0,
            entered_bytes: 0.0,
            unlucky: false,
            arrivals: vec![Chunk::default(); count],
            leaving: vec![Chunk::default(); count],
            out_of_profile: vec![0.0; count],
        }
    }

    /// Whether a step has nothing to do here.
    fn is_idle(&self) -> bool {
        self.queue.is_idle() && self.arrivals.iter().all(|chunk| *chunk == Chunk::default())
    }

    /// All slots are known now.
    pub fn make_room(&mut self) {
        self.arrivals = vec![Chunk::default(); self.slots.len()];
        self.leaving = vec![Chunk::default(); self.slots.len()];
        self.out_of_profile = vec![0.0; self.slots.len()];
    }

    fn lose(&mut self, slot: usize, share: f64, cause: DropCause, random: &mut Random) {
        let chunk = &mut self.arrivals[slot];
        let place = &mut self.slots[slot];
        if share <= 0.0 || chunk.packets() <= 0.0 {
            return;
        }
        let mut lost = [chunk.fresh * share, chunk.again * share];
        if place.whole_losses {
            let whole = |expected: f64, most: f64, random: &mut Random| (expected + random.unit()).floor().min(most);
            lost = [whole(lost[0], chunk.fresh, random), whole(lost[1], chunk.again, random)];
        }
        chunk.lose(lost[0], lost[1]);
        place.lost[cause] += lost[0] + lost[1];
    }

    /// Of each flow one segment sent again is lost.
    fn lose_again(&mut self) {
        for (chunk, place) in self.arrivals.iter_mut().zip(&mut self.slots) {
            let lost = chunk.again.min(1.0);
            chunk.lose(0.0, lost);
            place.lost[DropCause::Full] += lost;
        }
    }

    /// Datagrams that lose a piece when each packet is lost with this chance.
    fn break_datagrams(&mut self, slot: usize, chance: f64) {
        let place = &self.slots[slot];
        if place.pieces > 0.0 && chance > 0.0 {
            let datagrams = self.arrivals[slot].packets() / place.pieces;
            self.arrivals[slot].broken += datagrams * (1.0 - (1.0 - chance).powf(place.pieces));
        }
    }

    fn overflow(&mut self, random: &mut Random) {
        let filling = Filling {
            backlog: self.queue.backlog_bytes(),
            limit: self.queue.limit_bytes,
            reopen: self.queue.reopen_bytes,
            arrivals: self.queue.bytes_of(&self.arrivals),
            served: self.served_bytes,
        };
        let overflow = filling.overflow(&mut self.queue.closed);
        let before = std::mem::replace(&mut self.overflow, overflow);
        if self.unlucky && before.share > 0.0 {
            self.lose_again();
        }
        if overflow == Overflow::default() {
            return;
        }
        let pkts: f64 = self.arrivals.iter().map(Chunk::packets).sum();
        for slot in 0..self.slots.len() {
            let place = &self.slots[slot];
            if place.pieces > 0.0 {
                let datagrams = self.arrivals[slot].packets() / place.pieces;
                let own = self.arrivals[slot].packets() / pkts.max(f64::MIN_POSITIVE);
                self.arrivals[slot].broken += overflow.broken(datagrams, place.pieces, place.piece_span, own);
            }
            self.lose(slot, overflow.share, DropCause::Full, random);
        }
    }

    /// A busy queue draws clumps apart: what arrives within a clump's time, its own packets and others', leaves as fast as
    /// the queue is served.
    fn spread_out(&mut self, step_s: f64) {
        if self.served_bytes <= 0.0 || self.queue.backlog_bytes() + self.entered_bytes <= self.served_bytes {
            return;
        }
        for slot in 0..self.slots.len() {
            if self.arrivals[slot].clumps > 0.0 {
                let own_s = self.arrivals[slot].packets() * self.queue.packet_bytes[slot] / self.served_bytes * step_s;
                let others = self.others_within(slot, own_s, step_s);
                let chunk = &mut self.arrivals[slot];
                chunk.spread_s = chunk.spread_s * others + own_s;
            }
        }
    }

    /// What others send while a clump of `own_s` of service arrives, relative to the service. Flows whose round trip is
    /// as long meet the clump again where it took their room one round trip before.
    fn others_within(&self, slot: usize, own_s: f64, step_s: f64) -> f64 {
        let chunk = &self.arrivals[slot];
        // Each acknowledgement, which makes a burst, has let one segment more out than one round trip before.
        let before_s = own_s * (1.0 - chunk.bursts / chunk.packets()).clamp(0.0, 1.0);
        let left = (1.0 - before_s / chunk.spread_s.max(own_s)) / (1.0 - (before_s / step_s).min(MOSTLY));
        let flight_s = chunk.spread_s / chunk.clumps;
        let others = (0..self.slots.len()).filter(|&other| other != slot);
        let bytes: f64 = others
            .map(|other| {
                let apart_s = (self.slots[other].round_trip_s - self.slots[slot].round_trip_s).abs();
                let meets = (1.0 - apart_s / flight_s).max(0.0);
                let bytes = self.arrivals[other].packets() * self.queue.packet_bytes[other];
                bytes * (1.0 - meets * (1.0 - left.min(1.0)))
            })
            .sum();
        bytes / self.served_bytes
    }

    /// The chance that a small packet of so many bytes is turned away in the present step.
    pub fn probe_loss(&self, bytes: f64) -> f64 {
        let mean_bytes = self.queue.packet_bytes.iter().sum::<f64>() / self.queue.packet_bytes.len().max(1) as f64;
        // The room that a full queue has left is less than a packet, but a small packet may fit.
        if self.queue.reopen_bytes > mean_bytes || self.overflow.share <= 0.0 {
            self.overflow.share
        } else {
            (bytes / mean_bytes).min(1.0)
        }
    }
}

/// The station.
#[derive(Clone, Debug)]
pub struct Station {
    /// The directed link.
    pub link: LinkId,
    /// What it sends in a step.
    pub bytes_per_step: f64,
    /// How it divides that; none for one queue.
    pub sharing: Option<Sharing>,
    /// Its queues.
    pub queues: Vec<ClassQueue>,
    /// Policers before them.
    pub policers: Vec<Policer>,
    /// The chance that the link loses a packet.
    pub loss_probability: f64,
    /// The stream chance is drawn from.
    pub random: Random,
    /// Bytes sent so far.
    pub wire_bytes: f64,
    wanted: Vec<f64>,
    given: Vec<f64>,
}

impl Station {
    /// An idle station.
    pub fn new(link: LinkId, bytes_per_step: f64, queues: Vec<ClassQueue>, random: Random) -> Self {
        let count = queues.len();
        Self {
            link,
            bytes_per_step,
            sharing: None,
            queues,
            policers: Vec::new(),
            loss_probability: 0.0,
            random,
            wire_bytes: 0.0,
            wanted: vec![0.0; count],
            given: vec![0.0; count],
        }
    }

    /// How long something that joins a queue now waits, at the present rate of service.
    pub fn wait_s(&self, queue: usize, step_s: f64) -> f64 {
        let class = &self.queues[queue];
        let backlog = class.queue.backlog_bytes();
        if backlog > 0.0 { backlog / class.served_bytes.max(1.0) * step_s } else { 0.0 }
    }

    /// One step: take in what arrives, serve, pass on.
    pub fn step(&mut self, lines: &mut [DelayLine<Chunk>], step_s: f64) {
        for number in 0..self.queues.len() {
            self.take_in(number, lines, step_s);
            let class = &self.queues[number];
            self.wanted[number] = class.queue.backlog_bytes() + class.queue.bytes_of(&class.arrivals);
        }
        match &self.sharing {
            Some(sharing) => sharing.divide(self.bytes_per_step, &self.wanted, &mut self.given),
            None => self.given[0] = self.wanted[0].min(self.bytes_per_step),
        }
        let station_bytes: f64 = self.given.iter().sum();
        for (class, &given) in self.queues.iter_mut().zip(&self.given) {
            class.served_bytes = given;
            if class.is_idle() {
                class.entered_bytes = 0.0;
                class.overflow = Overflow::default();
                continue;
            }
            class.overflow(&mut self.random);
            class.entered_bytes = class.queue.bytes_of(&class.arrivals);
            class.spread_out(step_s);
            class.queue.enter(&class.arrivals);
            class.leaving.fill(Chunk::default());
            let before = class.queue.backlog_bytes();
            class.queue.serve(given, &mut class.leaving);
            self.wire_bytes += before - class.queue.backlog_bytes();
            let busy = class.queue.backlog_bytes() > 0.0;
            for (chunk, slot) in class.leaving.iter_mut().zip(&class.slots) {
                if busy && chunk.packets() > 0.0 {
                    let own = chunk.packets() * slot.ip_bytes;
                    space_out(chunk, slot.looks_per_step, step_s, own >= MOSTLY * station_bytes);
                }
                if *chunk != Chunk::default() {
                    lines[slot.output].put(*chunk);
                }
            }
        }
    }

    /// Arrivals of one queue, less what link, policers and early drop take out of them.
    fn take_in(&mut self, number: usize, lines: &mut [DelayLine<Chunk>], step_s: f64) {
        let class = &mut self.queues[number];
        for slot in 0..class.slots.len() {
            class.arrivals[slot] = lines[class.slots[slot].input].take();
            if self.loss_probability > 0.0 {
                class.break_datagrams(slot, self.loss_probability);
                class.lose(slot, self.loss_probability, DropCause::Link, &mut self.random);
            }
        }
        if self.policers.is_empty() {
            return;
        }
        police(class, &mut self.policers, step_s);
        let occupancy = class.queue.backlog_bytes();
        let early = class.wred_step_pct.map(|step| early_drop_chance(occupancy, class.queue.limit_bytes, step));
        for slot in 0..class.slots.len() {
            let Some(policer) = class.slots[slot].policer else { continue };
            let (chance, cause) = if self.policers[policer].drops {
                (1.0, DropCause::Policer)
            } else {
                (early.unwrap_or(0.0), DropCause::Early)
            };
            let share = class.out_of_profile[slot] * chance;
            class.break_datagrams(slot, share);
            class.lose(slot, share, cause, &mut self.random);
        }
    }
}

/// A busy queue sends a flow evenly, so that the receiver finds the same number of segments each time it looks. Slow start
/// keeps its flight together, so that fewer looks find more segments each. `alone` says that a flow has the link to itself.
fn space_out(chunk: &mut Chunk, looks_per_step: f64, step_s: f64, alone: bool) {
    let pkts = chunk.packets();
    let span = if chunk.clumps > 0.0 { chunk.spread_s / step_s + chunk.clumps / looks_per_step } else { 1.0 };
    let looks = looks_per_step * span.min(1.0);
    chunk.bursts = looks.min(pkts);
    chunk.acks = pkts / segments_per_ack(pkts / looks, alone);
}

/// For each slot the share of its arrivals that is out of profile.
fn police(class: &mut ClassQueue, policers: &mut [Policer], step_s: f64) {
    for (number, policer) in policers.iter_mut().enumerate() {
        let bytes: f64 = class
            .slots
            .iter()
            .zip(&class.arrivals)
            .filter(|(slot, _)| slot.policer == Some(number))
            .map(|(slot, chunk)| chunk.packets() * slot.ip_bytes)
            .sum();
        if !class.slots.iter().any(|slot| slot.policer == Some(number)) {
            continue;
        }
        let share = policer.bucket.out_of_profile(bytes, step_s);
        for (slot, out) in class.slots.iter().zip(&mut class.out_of_profile) {
            if slot.policer == Some(number) {
                *out = share;
            }
        }
    }
}
