//! Class guarantees, absolute and in proportion (Christin, Liebeherr and Abdelzaher 2002): rates and drops follow backlogs
//! and delays, without admission control. All classes share the buffer. With a marker, TCP flows are slowed down before
//! guarantees are broken (Christin and Liebeherr 2003).

mod losses;
mod promise;
mod rates;

pub use promise::{Promise, weights};

use super::{Choice, Scheduler, bits};
use crate::packet::{Label, Packet};
use crate::queue::ClassQueue;
use crate::queue::marking::{ClassDemand, Marker, PortDemand};
use hntes_sim_scenario::Framing;
use hntes_sim_scenario::results::DropCause;
use hntes_sim_scenario::time::Time;
use losses::Losses;
use rates::Class;

/// A packet as it comes.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The packet.
    pub packet: Packet,
    /// Its class.
    pub class: usize,
    /// The link time it takes, in bytes.
    pub wire_bytes: u64,
    /// When it comes.
    pub now: Time,
}

/// When a class is credited with what its rate is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credits {
    /// As time passes, at the rates of each moment.
    AsTimePasses,
    /// When a packet of its own comes, for the time since the one before, at the rate that it has then. So does the
    /// authors' own scheduler in ns-2 (JoBS): a rate that was raised is not felt before the class's next packet.
    AtArrivals,
}

/// The queues of a port, and what was dropped from them.
#[derive(Debug)]
pub struct Waiting<'a> {
    /// The queues, a class each.
    pub queues: &'a mut [ClassQueue],
    /// Packets that had waited.
    pub pushed_out: &'a mut Vec<Packet>,
    /// How the port's link frames packets.
    pub framing: Framing,
}

impl Waiting<'_> {
    fn backlog_bytes(&self) -> u64 {
        self.queues.iter().map(|queue| queue.occupancy.backlog_bytes).sum()
    }
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct ClassGuarantees {
    classes: Vec<Class>,
    losses: Losses,
    /// Bytes that each class was due at its rates, less those it sent.
    credits_bytes: Vec<f64>,
    credits: Credits,
    /// Until when classes are credited.
    credited_at: Vec<Option<Time>>,
    link_bytes_per_s: f64,
    limit_bytes: u64,
    largest_bytes: f64,
    marker: Option<Marker>,
    demands: Vec<ClassDemand>,
}

impl ClassGuarantees {
    /// Classes of these promises, the first the most important, which share so many bytes before a link.
    pub fn new(
        promises: &[Promise],
        link_bytes_per_s: f64,
        limit_bytes: u64,
        credits: Credits,
        marker: Option<Marker>,
    ) -> Self {
        let class = |&promise: &Promise| Class {
            promise,
            backlog_bytes: 0.0,
            head_age_s: 0.0,
            admitted_bytes: 0.0,
            bytes_per_s: 0.0,
        };
        Self {
            classes: promises.iter().map(class).collect(),
            losses: Losses::new(promises),
            credits_bytes: vec![0.0; promises.len()],
            credits,
            credited_at: vec![None; promises.len()],
            link_bytes_per_s,
            limit_bytes,
            largest_bytes: 0.0,
            marker,
            demands: Vec::new(),
        }
    }

    /// Let a packet in or not, drop what breaks the fewest promises, and allocate rates anew.
    ///
    /// # Errors
    /// The cause, when the packet itself is dropped.
    pub fn on_arrival(&mut self, arrival: &Arrival, waiting: &mut Waiting<'_>) -> Result<(), DropCause> {
        self.credit(Some(arrival.class), arrival.now);
        if waiting.backlog_bytes() == 0 {
            self.losses.reset();
            self.credits_bytes.fill(0.0);
            if self.credits == Credits::AtArrivals {
                self.credited_at.fill(None);
                self.credited_at[arrival.class] = Some(arrival.now);
            }
        }
        let label = arrival.packet.label();
        self.largest_bytes = self.largest_bytes.max(arrival.wire_bytes as f64);
        self.losses.arrived_bytes[arrival.class] += arrival.wire_bytes as f64;
        if let Some(marker) = &mut self.marker {
            marker.on_arrival(label, arrival.class, arrival.wire_bytes, arrival.now);
        }
        let admitted = self.admit(arrival, waiting);
        self.look(waiting, arrival.now);
        rates::allocate(&mut self.classes, self.link_bytes_per_s, self.largest_bytes);
        self.drop_late(waiting);
        self.mark(waiting, arrival.now);
        admitted
    }

    fn admit(&mut self, arrival: &Arrival, waiting: &mut Waiting<'_>) -> Result<(), DropCause> {
        let label = arrival.packet.label();
        while waiting.backlog_bytes() + arrival.wire_bytes > self.limit_bytes {
            let is_backlogged = |class: usize| !waiting.queues[class].packets.is_empty();
            let victim = self.losses.victim(arrival.class, arrival.wire_bytes as f64, is_backlogged);
            if victim == arrival.class {
                self.losses.dropped_bytes[victim] += arrival.wire_bytes as f64;
                waiting.queues[victim].note_drop(label, DropCause::Full);
                if let Some(marker) = &mut self.marker {
                    marker.on_rejection(label);
                }
                return Err(DropCause::Full);
            }
            self.push_out(victim, DropCause::Full, waiting);
        }
        waiting.queues[arrival.class].push(arrival.packet, arrival.wire_bytes);
        if let Some(marker) = &mut self.marker {
            marker.on_admission(label);
        }
        Ok(())
    }

    fn push_out(&mut self, class: usize, cause: DropCause, waiting: &mut Waiting<'_>) {
        let Some(packet) = waiting.queues[class].push_out(waiting.framing, cause) else { return };
        self.losses.dropped_bytes[class] += waiting.framing.wire_bytes(u64::from(packet.ip_bytes())) as f64;
        if let Some(marker) = &mut self.marker {
            marker.on_push_out(packet.label());
        }
        waiting.pushed_out.push(packet);
    }

    /// Take in what waits now.
    fn look(&mut self, waiting: &Waiting<'_>, now: Time) {
        for (number, (class, queue)) in self.classes.iter_mut().zip(waiting.queues.iter()).enumerate() {
            class.backlog_bytes = queue.occupancy.backlog_bytes as f64;
            class.head_age_s = queue.packets.front().map_or(0.0, |packet| now.since(packet.due).s());
            class.admitted_bytes = self.losses.arrived_bytes[number] - self.losses.dropped_bytes[number];
        }
    }

    /// Where no rate keeps a delay bound any more, drop what comes too late, as far as the bound on losses allows.
    fn drop_late(&mut self, waiting: &mut Waiting<'_>) {
        for number in 0..self.classes.len() {
            let class = self.classes[number];
            let in_time = class.bytes_per_s * (class.promise.delay_s - class.head_age_s).max(0.0);
            while let Some(last) = waiting.queues[number].packets.back() {
                let bytes = waiting.framing.wire_bytes(u64::from(last.ip_bytes())) as f64;
                // Rates are rounded: a byte more is not late.
                let is_late = waiting.queues[number].occupancy.backlog_bytes as f64 > in_time + 1.0;
                if !is_late || !self.losses.allows(number, bytes) {
                    break;
                }
                self.push_out(number, DropCause::Early, waiting);
            }
            self.classes[number].backlog_bytes = waiting.queues[number].occupancy.backlog_bytes as f64;
        }
    }

    fn mark(&mut self, waiting: &Waiting<'_>, now: Time) {
        let Some(marker) = &mut self.marker else { return };
        self.demands.clear();
        self.demands.extend(self.classes.iter().zip(waiting.queues.iter()).map(|(class, queue)| ClassDemand {
            backlog_bytes: queue.occupancy.backlog_bytes as f64,
            bytes_per_s: class.bytes_per_s,
            floor_bytes_per_s: class.promise.floor_bytes_per_s,
            delay_bound_s: class.promise.delay_s,
            head_age_s: class.head_age_s,
        }));
        let limit_bytes = self.limit_bytes as f64;
        marker.mark(now, &PortDemand { classes: &self.demands, limit_bytes, bytes_per_s: self.link_bytes_per_s });
    }

    /// A packet leaves: whether with a mark.
    pub fn on_departure(&mut self, label: Label) -> bool {
        self.marker.as_mut().is_some_and(|marker| marker.on_departure(label))
    }

    /// Credit the classes with what they are due until now; `arriving` is the class of the packet that comes.
    fn credit(&mut self, arriving: Option<usize>, now: Time) {
        for (number, class) in self.classes.iter().enumerate() {
            if self.credits == Credits::AtArrivals && arriving != Some(number) {
                continue;
            }
            let since = self.credited_at[number].replace(now).unwrap_or(now);
            self.credits_bytes[number] += now.since(since).s() * class.bytes_per_s;
        }
    }
}

impl Scheduler for ClassGuarantees {
    #[inline(never)]
    fn choose(&mut self, backlogged: u32, now: Time) -> Choice {
        self.credit(None, now);
        let by_credit = |a: &usize, b: &usize| self.credits_bytes[*a].total_cmp(&self.credits_bytes[*b]).then(b.cmp(a));
        bits(backlogged).max_by(by_credit).map_or(Choice::Idle, Choice::Serve)
    }

    fn on_service(&mut self, queue: usize, wire_bytes: u64, _: Time) {
        self.credits_bytes[queue] -= wire_bytes as f64;
    }
}
