//! A router's output port: conditioners, queues and a scheduler before one link.

use crate::bucket::TokenBucket;
use crate::meter::{Action, Conditioner};
use crate::packet::{Label, Packet};
use crate::queue::ClassQueue;
#[cfg(feature = "papers")]
use crate::scheduler::guarantees::{Arrival, Waiting};
use crate::scheduler::{Choice, Scheduler, SchedulerKind};
use crate::senders::Senders;
use hntes_sim_scenario::results::DropCause;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{ConditionerId, Framing, LinkId};

/// Says that a flow passes no conditioner.
pub const NO_CONDITIONER: u16 = u16::MAX;
/// The same at a port whose classes have guarantees; one number for both, so that other ports need not ask twice.
pub const ONLY_GUARANTEES: u16 = u16::MAX - 1;

/// Where a flow's packets of one direction go at a port.
#[derive(Clone, Copy, Debug)]
pub struct Treatment {
    /// The conditioner they pass, or [`NO_CONDITIONER`].
    pub conditioner: u16,
    /// The queue they go to, unless the conditioner moves them.
    pub queue: u8,
}

/// The port.
#[derive(Clone, Debug)]
pub struct Port {
    /// The link it feeds.
    pub link: LinkId,
    /// How that link frames packets.
    pub framing: Framing,
    /// For each flow its forward and its reverse packets' treatment.
    pub treatments: Vec<[Treatment; 2]>,
    /// The conditioners, one or more per policer.
    pub conditioners: Vec<Conditioner>,
    /// What the scenario calls each of them; many are one there where each flow or list of flows has its own.
    pub conditioner_ids: Vec<ConditionerId>,
    /// The queues.
    pub queues: Vec<ClassQueue>,
    /// It hands packets over as it has tokens, not as a link sends them.
    pub bucket: Option<TokenBucket>,
    /// Who sends next.
    pub scheduler: SchedulerKind,
    /// The stream queue disciplines draw from.
    pub random: Random,
    /// Packets dropped that had waited, not yet taken note of.
    pub pushed_out: Vec<Packet>,
    /// How far it is with its work.
    pub progress: Progress,
}

/// What waits at a port, and when it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bit n says that queue n holds a packet.
    pub backlogged: u32,
    /// A transmission is under way.
    pub engaged: bool,
    /// When it is to be served next.
    pub due: Time,
}

impl Port {
    /// A port at rest.
    pub fn new(link: LinkId, framing: Framing, scheduler: SchedulerKind, random: Random) -> Self {
        Self {
            link,
            framing,
            treatments: Vec::new(),
            conditioners: Vec::new(),
            conditioner_ids: Vec::new(),
            queues: Vec::new(),
            bucket: None,
            scheduler,
            random,
            pushed_out: Vec::new(),
            progress: Progress { backlogged: 0, engaged: false, due: Time::NEVER },
        }
    }

    /// What happens to packets of this label's flow and direction.
    #[inline(always)]
    pub fn treatment(&self, label: Label) -> Treatment {
        self.treatments[label.flow().index()][label.direction()]
    }

    /// Condition and queue a packet; some meters ask what its sender knows. Whether it was queued as guarantees have it,
    /// so that packets which waited may have been dropped.
    ///
    /// # Errors
    /// The cause, when it is dropped.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        mut packet: Packet,
        treatment: Treatment,
        senders: &Senders,
        now: Time,
    ) -> Result<bool, DropCause> {
        let mut queue = usize::from(treatment.queue);
        let wire_bytes = self.framing.wire_bytes(u64::from(packet.ip_bytes()));
        if treatment.conditioner != NO_CONDITIONER {
            if let Some(conditioner) = self.conditioners.get_mut(usize::from(treatment.conditioner)) {
                let (colour, action) = conditioner.condition(packet.label(), senders, now);
                packet.paint(colour);
                match action {
                    Action::Pass => {}
                    Action::Requeue(other) => queue = usize::from(other),
                    Action::Drop => {
                        self.queues[queue].note_drop(packet.label(), DropCause::Policer);
                        return Err(DropCause::Policer);
                    }
                }
            }
            #[cfg(feature = "papers")]
            if let SchedulerKind::ClassGuarantees(_) = self.scheduler {
                return self.enqueue_guaranteed(&Arrival { packet, class: queue, wire_bytes, now });
            }
        }
        self.queues[queue].enqueue(packet, wire_bytes, now, &mut self.random)?;
        self.progress.backlogged |= 1 << queue;
        Ok(false)
    }

    /// Queue a packet, or drop it or others, as the guarantees of the classes have it.
    #[cfg(feature = "papers")]
    #[inline(never)]
    fn enqueue_guaranteed(&mut self, arrival: &Arrival) -> Result<bool, DropCause> {
        let SchedulerKind::ClassGuarantees(scheduler) = &mut self.scheduler else { return Ok(false) };
        let framing = self.framing;
        let mut waiting = Waiting { queues: &mut self.queues, pushed_out: &mut self.pushed_out, framing };
        let admitted = scheduler.on_arrival(arrival, &mut waiting);
        let waits = |(number, queue): (usize, &ClassQueue)| u32::from(!queue.packets.is_empty()) << number;
        self.progress.backlogged = self.queues.iter().enumerate().map(waits).sum();
        admitted.map(|()| true)
    }

    /// The link is free: what now?
    #[inline(always)]
    pub fn choose(&mut self, now: Time) -> Choice {
        self.scheduler.choose(self.progress.backlogged, now)
    }

    /// Take the first packet of the queue just chosen.
    #[inline(always)]
    pub fn take(&mut self, number: usize, now: Time) -> Option<Packet> {
        let queue = &mut self.queues[number];
        let mut packet = queue.dequeue(self.framing)?;
        if queue.packets.is_empty() {
            self.progress.backlogged &= !(1 << number);
        }
        if queue.is_watched && self.on_departure(number, packet.label(), packet.due, now) {
            packet.mark();
        }
        self.scheduler.on_service(number, self.framing.wire_bytes(u64::from(packet.ip_bytes())), now);
        Some(packet)
    }

    /// A packet leaves one of the queues whose departures somebody wants to know of. Whether it gets a mark. It is given in
    /// parts, as a packet that a call looks at would have to leave its registers.
    #[inline(never)]
    fn on_departure(&mut self, number: usize, label: Label, due: Time, now: Time) -> bool {
        let queue = &mut self.queues[number];
        let is_marked = queue.on_departure(label, due, now);
        #[cfg(feature = "papers")]
        if let SchedulerKind::ClassGuarantees(scheduler) = &mut self.scheduler {
            let label = if is_marked { label.marked() } else { label };
            if scheduler.on_departure(label) {
                queue.marked_pkts += 1;
                return true;
            }
        }
        is_marked
    }
}
