//! Router ports: queues, the rules that fill them, and the conditioners before them.

use super::{Conditioner, Direction, Discipline, Flow, Marking, Protocol};
use crate::ids::{ConditionerId, FlowId, LinkId, NodeId, PortId, QueueId};
use crate::units::{Percent, Seconds};

/// How a port shares its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheduler {
    /// Guarantees by rate share and priority; what one queue leaves, others use.
    PriorityWfq {
        /// How much credit a queue keeps, as time at its own rate.
        credit_window: Seconds,
    },
    /// A queue never gets more than its share.
    StrictPartition,
    /// The queues in turn, by rate share; what one queue leaves, others use. Priorities have no part in it.
    RoundRobin {
        /// Bytes a round for the queue of the smallest share.
        quantum_bytes: u64,
    },
    /// Rates that follow what classes are promised; all queues share the buffer. The rate share is the promised rate.
    ClassGuarantees {
        /// Marks before promises are broken.
        marking: Option<Marking>,
        /// A class is credited with its rate of the moment when a packet of its own comes, not as time passes.
        credits_at_arrivals: bool,
    },
}

impl Scheduler {
    /// Whether its rates follow what classes are promised.
    pub const fn has_guarantees(&self) -> bool {
        matches!(self, Self::ClassGuarantees { .. })
    }
}

/// What a class is promised beside its rate; ratios are the next class's to its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guarantees {
    /// The longest wait.
    pub delay: Option<Seconds>,
    /// The largest share of its bytes that is dropped.
    pub loss: Option<Percent>,
    /// How many times as long the next class waits.
    pub delay_ratio: Option<f64>,
    /// How many times as much the next class loses.
    pub loss_ratio: Option<f64>,
}

/// A router port.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Port {
    /// Its number.
    pub id: PortId,
    /// The link it feeds.
    pub link: LinkId,
    /// How it shares its link.
    pub scheduler: Scheduler,
    /// What must be free again before a full queue takes packets.
    pub reopen_bytes: u64,
    /// What it hands over at once, if it is a token bucket.
    pub token_bucket_bytes: Option<u64>,
    /// Its queues, at least one.
    pub queues: Vec<Queue>,
    /// Which packets go to which queue; the first rule that fits counts.
    pub classifier: Vec<Rule>,
    /// The queue of packets that no rule fits.
    pub default_queue: QueueId,
    /// Conditioners of classified packets.
    pub conditioners: Vec<Conditioner>,
}

/// A queue of a port.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Queue {
    /// What results call it: its link and its class.
    pub name: String,
    /// Share of the link's rate.
    pub rate_share: Percent,
    /// The most that may wait, in bytes of link time.
    pub limit_bytes: u64,
    /// Its priority; 0 goes first.
    pub priority: u8,
    /// Its priority while out of profile.
    pub excess_priority: u8,
    /// Which arrivals it takes.
    pub discipline: Discipline,
    /// What its class is promised.
    pub guarantees: Guarantees,
    /// Packets that wait longer are counted.
    pub delay_bound: Option<Seconds>,
}

/// A classifier rule; what is not given fits all. Addresses are those of the packet, not of the flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Where the packets go.
    pub queue: QueueId,
    /// Source; a rule that names a router fits no packet.
    pub from: Option<NodeId>,
    /// Destination.
    pub to: Option<NodeId>,
    /// Protocol.
    pub protocol: Option<Protocol>,
    /// One flow: stands for its 5-tuple.
    pub flow: Option<FlowId>,
}

impl Port {
    /// A queue.
    pub fn queue(&self, queue: QueueId) -> &Queue {
        &self.queues[queue.index()]
    }

    /// Its queues, in the order of their numbers.
    pub fn queue_ids(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.queues.len()).map(QueueId::at)
    }

    /// A conditioner.
    pub fn conditioner(&self, conditioner: ConditionerId) -> &Conditioner {
        &self.conditioners[conditioner.index()]
    }

    /// The queue of a flow's packets in one direction.
    pub fn queue_of(&self, flow: &Flow, direction: Direction) -> QueueId {
        let rule = self.classifier.iter().find(|rule| rule.fits(flow, direction));
        rule.map_or(self.default_queue, |rule| rule.queue)
    }

    /// The conditioner of packets classified for a queue.
    pub fn conditioner_of(&self, queue: QueueId) -> Option<ConditionerId> {
        self.conditioners.iter().position(|conditioner| conditioner.queue == queue).map(ConditionerId::at)
    }
}

impl Rule {
    fn fits(&self, flow: &Flow, direction: Direction) -> bool {
        let (source, goal) = flow.ends(direction);
        self.from.is_none_or(|from| from == source.into())
            && self.to.is_none_or(|to| to == goal.into())
            && self.protocol.is_none_or(|wanted| wanted == flow.traffic.protocol())
            && self.flow.is_none_or(|wanted| wanted == flow.id)
    }
}
