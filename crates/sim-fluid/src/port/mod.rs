//! A port: a link in one direction with the queues before it, as the flows meet it on their way.

mod class;
mod clump;

pub use class::{ClassQueue, Slot};

use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::drop::{Bucket, Overflow, early_drop_chance};
use crate::line::DelayLine;
use crate::share::Sharing;
use hntes_sim_scenario::LinkId;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::rng::Random;

/// Packets lost, by cause.
pub type Lost = ByCause<f64>;
/// A flow that has this share of a queue's service has it to itself.
const MOSTLY: f64 = 0.95;

/// A queue of a port.
#[derive(Clone, Copy, Debug)]
pub struct QueuePlace {
    /// The port.
    pub port: usize,
    /// The queue, among those of its port.
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

/// The port.
#[derive(Clone, Debug)]
pub struct PortState {
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

impl PortState {
    /// An idle port.
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
        if backlog > 0.0 { backlog / class.served_bytes.at_least(1.0) * step_s } else { 0.0 }
    }

    /// One step: take in what arrives, serve, pass on.
    pub fn step(&mut self, lines: &mut [DelayLine<Chunk>], step_s: f64) {
        for number in 0..self.queues.len() {
            if self.queues[number].slots.is_empty() {
                continue;
            }
            self.take_in(number, lines, step_s);
            let class = &mut self.queues[number];
            class.arrived_bytes = class.queue.bytes_of(&class.arrivals);
            self.wanted[number] = class.queue.backlog_bytes() + class.arrived_bytes;
        }
        match &self.sharing {
            Some(sharing) => sharing.divide(self.bytes_per_step, &self.wanted, &mut self.given),
            None => self.given[0] = self.wanted[0].at_most(self.bytes_per_step),
        }
        let station_bytes: f64 = self.given.iter().sum();
        for number in 0..self.queues.len() {
            self.serve(number, station_bytes, lines, step_s);
        }
    }

    /// Serve one queue, and pass on what leaves it.
    fn serve(&mut self, number: usize, station_bytes: f64, lines: &mut [DelayLine<Chunk>], step_s: f64) {
        let (class, given) = (&mut self.queues[number], self.given[number]);
        class.served_bytes = given;
        if class.slots.is_empty() {
            return;
        }
        if class.lets_pass() {
            class.entered_bytes = class.arrived_bytes;
            class.overflow = Overflow::default();
            class.queue.pass(&class.arrivals, class.arrived_bytes);
            self.wire_bytes += class.arrived_bytes;
            pass_on(&class.arrivals, &class.slots, lines);
            return;
        }
        if class.is_idle() {
            class.entered_bytes = 0.0;
            class.overflow = Overflow::default();
            return;
        }
        let is_less = class.overflow(&mut self.random);
        class.entered_bytes = if is_less { class.queue.bytes_of(&class.arrivals) } else { class.arrived_bytes };
        class.spread_out(step_s);
        class.queue.enter(&class.arrivals, class.entered_bytes);
        class.leaving.fill(Chunk::default());
        let before = class.queue.backlog_bytes();
        class.queue.serve(given, &mut class.leaving);
        self.wire_bytes += before - class.queue.backlog_bytes();
        let busy = class.queue.backlog_bytes() > 0.0;
        for (chunk, slot) in class.leaving.iter_mut().zip(&class.slots) {
            if busy && chunk.packets() > 0.0 {
                let own = chunk.packets() * slot.ip_bytes;
                clump::space_out(chunk, slot.looks_per_step, step_s, own >= MOSTLY * station_bytes);
            }
        }
        pass_on(&class.leaving, &class.slots, lines);
    }

    /// Arrivals of one queue, less what link, policers and early drop take out of them.
    fn take_in(&mut self, number: usize, lines: &mut [DelayLine<Chunk>], step_s: f64) {
        let class = &mut self.queues[number];
        for (arrived, slot) in class.arrivals.iter_mut().zip(&class.slots) {
            *arrived = lines[slot.input].take();
        }
        if self.loss_probability > 0.0 {
            for slot in 0..class.slots.len() {
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

/// What leaves each slot enters its line.
fn pass_on(chunks: &[Chunk], slots: &[Slot], lines: &mut [DelayLine<Chunk>]) {
    for (chunk, slot) in chunks.iter().zip(slots) {
        lines[slot.output].put(*chunk);
    }
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
