//! Router ports.

use super::conditioner::conditioner;
use super::discipline::discipline;
use super::names::{Names, enter};
use super::range::{count_within, each, microseconds, milliseconds, percent, within};
use crate::error::ScenarioError;
use crate::ids::{LinkId, NodeId, PortId, QueueId};
use crate::model::{Discipline, Guarantees, Link, Marking, Port, Queue, Rule, Scheduler};
use crate::text::{DisciplineSpec, GuaranteesSpec, PortSpec, QueueSpec, RuleSpec, SchedulerSpec};
use crate::units::Percent;
use std::collections::HashMap;

/// The most queues: a scheduler keeps the waiting ones as bits of a word.
const MAX_QUEUES: usize = 32;

pub(super) fn port(
    key: &str,
    number: usize,
    text: &PortSpec,
    names: &Names<'_>,
    links: &[Link],
) -> Result<Port, ScenarioError> {
    let at = names.known_router(&format!("{key}.at"), &text.at)?;
    let to = names.known_node(&format!("{key}.to"), &text.to)?;
    let Some(link) = joining(links, at, to) else {
        let message = format!("no link joins {:?} and {:?}", text.at, text.to);
        return Err(ScenarioError::new(format!("{key}.to"), message));
    };
    let buffer_bytes = count_within(&format!("{key}.buffer_bytes"), text.buffer_bytes, 1.0, 1e12)?;
    let scheduler = scheduler(&format!("{key}.scheduler"), &text.scheduler)?;
    let (queues, classes) = queues(&format!("{key}.queues"), text, &links[link.index()].name, buffer_bytes)?;
    Ok(Port {
        id: PortId::at(number),
        link,
        scheduler,
        reopen_bytes: text.reopen_bytes,
        token_bucket_bytes: text
            .token_bucket_bytes
            .map(|bytes| count_within(&format!("{key}.token_bucket_bytes"), bytes, 1.0, 1e9))
            .transpose()?,
        queues,
        default_queue: classes.queue(&format!("{key}.default_class"), &text.default_class)?,
        classifier: each(&format!("{key}.classifier"), &text.classifier, |key, _, rule| {
            self::rule(key, rule, &classes, names)
        })?,
        conditioners: each(&format!("{key}.conditioners"), &text.conditioners, |key, _, text| {
            conditioner(key, text, &classes, names)
        })?,
    })
}

fn scheduler(key: &str, text: &SchedulerSpec) -> Result<Scheduler, ScenarioError> {
    Ok(match *text {
        SchedulerSpec::ClassGuarantees { ref marking, credits_at_arrivals } => {
            let marking = marking.as_ref().map(|text| self::marking(&format!("{key}.marking"), text)).transpose()?;
            Scheduler::ClassGuarantees { marking, credits_at_arrivals }
        }
        SchedulerSpec::PriorityWfq { credit_window_us } => Scheduler::PriorityWfq {
            credit_window: microseconds(&format!("{key}.credit_window_us"), credit_window_us, 0.0, 1e9)?,
        },
        SchedulerSpec::StrictPartition {} => Scheduler::StrictPartition,
        SchedulerSpec::RoundRobin { quantum_bytes } => Scheduler::RoundRobin {
            quantum_bytes: count_within(&format!("{key}.quantum_bytes"), quantum_bytes, 64.0, 1e9)?,
        },
    })
}

fn marking(key: &str, text: &DisciplineSpec) -> Result<Marking, ScenarioError> {
    match discipline(key, text)? {
        Discipline::Projecting(marking) => Ok(marking),
        _ => Err(ScenarioError::new(key, "is no marking: kinds are reference_marking and heuristic_marking")),
    }
}

fn joining(links: &[Link], from: NodeId, to: NodeId) -> Option<LinkId> {
    links.iter().find(|link| link.from == from && link.to == to).map(|link| link.id)
}

/// The classes that a port's queues serve.
pub(super) struct Classes<'a>(HashMap<&'a str, QueueId>);

impl Classes<'_> {
    /// The queue of the class that a key names.
    pub(super) fn queue(&self, key: &str, class: &str) -> Result<QueueId, ScenarioError> {
        let queue = self.0.get(class).copied();
        queue.ok_or_else(|| ScenarioError::new(key, format!("no queue of this port serves class {class:?}")))
    }
}

fn queues<'a>(
    key: &str,
    text: &'a PortSpec,
    link_name: &str,
    buffer_bytes: u64,
) -> Result<(Vec<Queue>, Classes<'a>), ScenarioError> {
    if text.queues.is_empty() || text.queues.len() > MAX_QUEUES {
        let message = format!("{} queues; a port has 1 to {MAX_QUEUES}", text.queues.len());
        return Err(ScenarioError::new(key, message));
    }
    let mut classes = HashMap::new();
    let mut queues = Vec::new();
    for (number, spec) in text.queues.iter().enumerate() {
        let key = format!("{key}[{number}]");
        enter(&mut classes, &spec.class, QueueId::at(number), || format!("{key}.class"))?;
        let queue = queue(&key, spec, link_name, buffer_bytes)?;
        check_scheduled(&key, spec, &queue, text)?;
        queues.push(queue);
    }
    at_most_all(key, "rate_share_pct", text.queues.iter().map(|queue| queue.rate_share_pct).sum())?;
    if !shares_buffer(&text.scheduler) {
        at_most_all(key, "buffer_share_pct", text.queues.iter().map(|queue| queue.buffer_share_pct).sum())?;
    }
    Ok((queues, Classes(classes)))
}

const fn shares_buffer(scheduler: &SchedulerSpec) -> bool {
    matches!(scheduler, SchedulerSpec::ClassGuarantees { .. })
}

/// Check what a queue must have, or cannot have, by the port's scheduler.
fn check_scheduled(key: &str, text: &QueueSpec, queue: &Queue, port: &PortSpec) -> Result<(), ScenarioError> {
    let refuse = |name: &str, message: &str| Err(ScenarioError::new(format!("{key}.{name}"), message));
    if !shares_buffer(&port.scheduler) {
        if text.guarantees.is_some() {
            return refuse("guarantees", "only the scheduler class_guarantees keeps them");
        }
        let needs_share = !matches!(port.scheduler, SchedulerSpec::PriorityWfq { .. });
        if needs_share && queue.rate_share.pct() <= 0.0 {
            return refuse("rate_share_pct", "by this scheduler a queue without a share would never be served");
        }
        return Ok(());
    }
    if queue.discipline != Discipline::DropTail {
        return refuse("discipline", "the scheduler class_guarantees itself decides what is dropped");
    }
    let is_last = port.queues.last().is_some_and(|last| last.class == text.class);
    if is_last && (queue.guarantees.delay_ratio.is_some() || queue.guarantees.loss_ratio.is_some()) {
        return refuse("guarantees", "a ratio is that of the next class to this one, and this is the last");
    }
    Ok(())
}

fn guarantees(key: &str, text: &GuaranteesSpec) -> Result<Guarantees, ScenarioError> {
    let key = |name: &str| format!("{key}.{name}");
    let ratio = |name: &str, ratio: Option<f64>| ratio.map(|ratio| within(&key(name), ratio, 1e-3, 1e3)).transpose();
    Ok(Guarantees {
        delay: text.delay_ms.map(|ms| milliseconds(&key("delay_ms"), ms, 1e-3, 1e9)).transpose()?,
        loss: text.loss_pct.map(|pct| percent(&key("loss_pct"), pct)).transpose()?,
        delay_ratio: ratio("delay_ratio", text.delay_ratio)?,
        loss_ratio: ratio("loss_ratio", text.loss_ratio)?,
    })
}

fn queue(key: &str, text: &QueueSpec, link_name: &str, buffer_bytes: u64) -> Result<Queue, ScenarioError> {
    let rate_share = percent(&format!("{key}.rate_share_pct"), text.rate_share_pct)?;
    let buffer_share: Percent = percent(&format!("{key}.buffer_share_pct"), text.buffer_share_pct)?;
    Ok(Queue {
        name: format!("{link_name}/{}", text.class),
        rate_share,
        limit_bytes: (buffer_share.part() * buffer_bytes as f64) as u64,
        priority: text.priority,
        excess_priority: text.excess_priority.unwrap_or(text.priority),
        discipline: discipline(&format!("{key}.discipline"), &text.discipline)?,
        guarantees: guarantees(&format!("{key}.guarantees"), &text.guarantees.unwrap_or_default())?,
        delay_bound: match text.delay_bound_ms {
            Some(ms) => Some(milliseconds(&format!("{key}.delay_bound_ms"), ms, 0.0, 1e9)?),
            None => None,
        },
    })
}

fn at_most_all(key: &str, name: &str, sum: f64) -> Result<(), ScenarioError> {
    if sum <= 100.0 + 1e-9 {
        return Ok(());
    }
    Err(ScenarioError::new(format!("{key}.{name}"), format!("the shares add up to {sum} %, above 100 %")))
}

fn rule(key: &str, text: &RuleSpec, classes: &Classes<'_>, names: &Names<'_>) -> Result<Rule, ScenarioError> {
    let queue = classes.queue(&format!("{key}.class"), &text.class)?;
    let node = |name: &str, node: &Option<String>| match node {
        Some(node) => names.known_node(&format!("{key}.{name}"), node).map(Some),
        None => Ok(None),
    };
    let (from, to) = (node("from", &text.from)?, node("to", &text.to)?);
    let flow = match &text.flow {
        Some(flow) => Some(names.known_flow(&format!("{key}.flow"), flow)?),
        None => None,
    };
    Ok(Rule { queue, from, to, protocol: text.protocol, flow })
}
