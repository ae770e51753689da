//! Ports: the links in front of which packets can queue.

use super::Plan;
use crate::drop::Bucket;
use crate::port::{ClassQueue, Policer, PortState};
use crate::queue::FluidQueue;
use crate::share::{Levels, Profile, Sharing};
use hntes_sim_scenario::results::QueueRef;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::{
    self as scenario, Action, Aggregate, ConditionerId, Discipline, FlowId, Link, Port, QueueId, Scheduler,
};

/// The weight of a queue without a share, in per cent.
const LEAST_WEIGHT_PCT: f64 = 0.01;

/// The port of a link, whose queues no flow has joined yet.
pub(super) fn port(plan: &Plan<'_>, link: &Link) -> PortState {
    let random = Random::named(plan.scenario.seed(), &format!("fluid/{}", link.name));
    let described = plan.scenario.port_of(link.id);
    let queues = match described {
        Some(described) => described.queue_ids().map(|queue| port_queue(described, queue)).collect(),
        None => vec![plain_queue(link)],
    };
    let mut port = PortState::new(link.id, link.rate.bps() / 8.0 * plan.step_s, queues, random);
    port.loss_probability = link.loss_probability;
    port.sharing = described.and_then(sharing);
    port
}

fn plain_queue(link: &Link) -> ClassQueue {
    let queue = FluidQueue::new(Vec::new(), link.queue.limit_bytes as f64, link.queue.reopen_bytes as f64);
    ClassQueue::new(QueueRef::Plain(link.id), queue, Vec::new(), None)
}

fn port_queue(port: &Port, id: QueueId) -> ClassQueue {
    let queue = port.queue(id);
    let fluid = FluidQueue::new(Vec::new(), queue.limit_bytes as f64, port.reopen_bytes as f64);
    let wred_step_pct = match queue.discipline {
        Discipline::ByOccupancy { step } => Some(step.pct()),
        _ => None,
    };
    ClassQueue::new(QueueRef::Class(port.id, id), fluid, Vec::new(), wred_step_pct)
}

fn sharing(port: &Port) -> Option<Sharing> {
    let in_turn = matches!(port.scheduler, Scheduler::RoundRobin { .. });
    let profile = |queue: &scenario::Queue| Profile {
        guarantee: queue.rate_share.part(),
        priority: if in_turn { 0 } else { queue.priority },
        excess_priority: if in_turn { 0 } else { queue.excess_priority },
        weight: queue.rate_share.pct().max(LEAST_WEIGHT_PCT),
    };
    let profiles: Vec<Profile> = port.queues.iter().map(profile).collect();
    match port.scheduler {
        Scheduler::StrictPartition => Some(Sharing::Partitioned(profiles)),
        _ if port.queues.len() == 1 => None,
        // The check of what a fluid can show has refused rates that follow promises.
        Scheduler::PriorityWfq { .. } | Scheduler::RoundRobin { .. } | Scheduler::ClassGuarantees { .. } => {
            Some(Sharing::WorkConserving(Levels::new(&profiles)))
        }
    }
}

/// The number of a conditioner's bucket at its port. Each conditioner has one for its class, and then one for each
/// flow, of which those of one list share their first flow's.
pub(super) fn bucket_number(plan: &Plan<'_>, port: &Port, id: ConditionerId, flow: FlowId) -> usize {
    let first = id.index() * (plan.scenario.flows().len() + 1);
    let own = match &port.conditioner(id).aggregate {
        Aggregate::Class => return first,
        Aggregate::Flow => flow,
        Aggregate::Lists(lists) => lists.iter().find(|list| list.contains(&flow)).map_or(flow, |list| list[0]),
    };
    first + own.index() + 1
}

/// All flows have joined: make room for what they bring, and the buckets that [`bucket_number`] numbers.
pub(super) fn finish(plan: &Plan<'_>, ports: &mut [PortState]) {
    for port in ports {
        let link = plan.scenario.link(port.link);
        for class in &mut port.queues {
            class.make_room(link);
        }
        let Some(described) = plan.scenario.port_of(port.link) else { continue };
        for conditioner in &described.conditioners {
            // No flow passes a meter of another kind: those need packets.
            let text = conditioner.meter.token_bucket();
            let bucket =
                text.map_or(Bucket::new(0.0, 0.0), |text| Bucket::new(text.rate.bps(), text.burst_bytes as f64));
            let drops = conditioner.actions.red == Action::Drop;
            let count = plan.scenario.flows().len() + 1;
            port.policers.extend(std::iter::repeat_n(Policer { bucket, drops }, count));
        }
    }
}
