//! A port: a link in one direction with the queues before it, as the flows meet it on their way.

mod class;
mod clump;

pub use class::{ClassQueue, Slot};

use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::drop::{Bucket, early_drop_chance};
use crate::line::DelayLine;
use crate::share::Sharing;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::{FlowId, LinkId};

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
    /// Some flow that passes here has begun to send.
    is_awake: bool,
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
            is_awake: false,
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

    /// A flow begins to send.
    pub fn wake(&mut self, flow: FlowId) {
        for class in &mut self.queues {
            class.wake(flow);
            self.is_awake |= class.is_awake();
        }
    }

    /// One step: take in what arrives, serve, pass on.
    #[inline]
    pub fn step(&mut self, lines: &mut [DelayLine<Chunk>], step_s: f64) {
        if !self.is_awake {
            return;
        }
        for number in 0..self.queues.len() {
            let class = &mut self.queues[number];
            if class.is_awake() {
                class.take_in(lines);
                if self.loss_probability > 0.0 || !self.policers.is_empty() {
                    self.lose_some(number, step_s);
                }
                let class = &self.queues[number];
                self.wanted[number] = class.queue.backlog_bytes() + class.arrived_bytes;
            }
        }
        match &self.sharing {
            Some(sharing) => sharing.divide(self.bytes_per_step, &self.wanted, &mut self.given),
            None => self.given[0] = self.wanted[0].at_most(self.bytes_per_step),
        }
        let station_bytes: f64 = self.given.iter().sum();
        for (class, given) in self.queues.iter_mut().zip(&self.given) {
            if class.is_awake() {
                self.wire_bytes += class.serve(*given, station_bytes, lines, &mut self.random, step_s);
            }
        }
    }

    /// What link, policers and early drop take out of the arrivals of one queue.
    fn lose_some(&mut self, number: usize, step_s: f64) {
        let class = &mut self.queues[number];
        if self.loss_probability > 0.0 {
            for slot in 0..class.slots.len() {
                class.break_datagrams(slot, self.loss_probability);
                class.lose(slot, self.loss_probability, DropCause::Link, &mut self.random);
            }
        }
        if !self.policers.is_empty() {
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
        class.count_arrived();
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
