//! Router ports.

use super::conditioner::conditioner;
use super::discipline::discipline;
use super::names::{Names, enter};
use super::table::{Field, Table};
use crate::error::ScenarioError;
use crate::ids::{LinkId, NodeId, PortId, QueueId};
use crate::model::{Discipline, Guarantees, Link, Marking, Port, Queue, Rule, Scheduler};
use crate::units::Seconds;
use std::collections::HashMap;

/// The most queues: a scheduler keeps the waiting ones as bits of a word.
const MAX_QUEUES: usize = 32;
const CREDIT_WINDOW_US: f64 = 2000.0;
/// A full packet with Ethernet's 38 bytes.
const QUANTUM_BYTES: u64 = 1538;
const SCHEDULERS: [&str; 4] = ["priority_wfq", "strict_partition", "round_robin", "class_guarantees"];

pub(super) fn port(table: &Table<'_>, number: usize, names: &Names<'_>, links: &[Link]) -> Result<Port, ScenarioError> {
    let (at, to) = (table.need("at")?, table.need("to")?);
    let Some(link) = joining(links, names.router_at(&at)?, names.node_at(&to)?) else {
        let (at_name, to_name): (&str, &str) = (at.read()?, to.read()?);
        return Err(to.refusal(format!("no link joins {at_name:?} and {to_name:?}")));
    };
    let buffer_bytes = table.need("buffer_bytes")?.count(1.0, 1e12)?;
    let scheduler = table.table("scheduler")?.map_or_else(
        || Ok(Scheduler::PriorityWfq { credit_window: Seconds::from_us(CREDIT_WINDOW_US) }),
        |table| scheduler(&table),
    )?;
    let (queues, classes) = queues(table, &scheduler, &links[link.index()].name, buffer_bytes)?;
    Ok(Port {
        id: PortId::at(number),
        link,
        scheduler,
        reopen_bytes: table.or("reopen_bytes", 0)?,
        token_bucket_bytes: table.get("token_bucket_bytes").map(|field| field.count(1.0, 1e9)).transpose()?,
        queues,
        default_queue: classes.queue(&table.need("default_class")?)?,
        classifier: table.each("classifier", |table, _| rule(table, &classes, names))?,
        conditioners: table.each("conditioners", |table, _| conditioner(table, &classes, names))?,
    })
}

fn scheduler(table: &Table<'_>) -> Result<Scheduler, ScenarioError> {
    let found = match table.kind()? {
        "priority_wfq" => {
            Scheduler::PriorityWfq { credit_window: table.us_or("credit_window_us", CREDIT_WINDOW_US, 0.0, 1e9)? }
        }
        "strict_partition" => Scheduler::StrictPartition,
        "round_robin" => {
            Scheduler::RoundRobin { quantum_bytes: table.count_or("quantum_bytes", QUANTUM_BYTES, 64.0, 1e9)? }
        }
        "class_guarantees" => Scheduler::ClassGuarantees {
            marking: table.table("marking")?.map(|table| marking(&table)).transpose()?,
            credits_at_arrivals: table.or("credits_at_arrivals", false)?,
        },
        other => return Err(table.unknown_kind(other, &SCHEDULERS)),
    };
    table.finish()?;
    Ok(found)
}

fn marking(table: &Table<'_>) -> Result<Marking, ScenarioError> {
    match discipline(table)? {
        Discipline::Projecting(marking) => Ok(marking),
        _ => Err(table.refusal("is no marking: kinds are reference_marking and heuristic_marking")),
    }
}

fn joining(links: &[Link], from: NodeId, to: NodeId) -> Option<LinkId> {
    links.iter().find(|link| link.from == from && link.to == to).map(|link| link.id)
}

/// The classes that a port's queues serve.
pub(super) struct Classes<'a>(HashMap<&'a str, QueueId>);

impl Classes<'_> {
    /// The queue of the class that a field names.
    pub(super) fn queue(&self, field: &Field<'_>) -> Result<QueueId, ScenarioError> {
        let class: &str = field.read()?;
        let queue = self.0.get(class).copied();
        queue.ok_or_else(|| field.refusal(format!("no queue of this port serves class {class:?}")))
    }
}

fn queues<'a>(
    port: &Table<'a>,
    scheduler: &Scheduler,
    link_name: &str,
    buffer_bytes: u64,
) -> Result<(Vec<Queue>, Classes<'a>), ScenarioError> {
    let list = port.need("queues")?;
    let fields: Vec<Field<'a>> = list.items()?.collect();
    if fields.is_empty() || fields.len() > MAX_QUEUES {
        return Err(list.refusal(format!("{} queues; a port has 1 to {MAX_QUEUES}", fields.len())));
    }
    let (mut classes, mut queues) = (HashMap::new(), Vec::new());
    let (mut rates_pct, mut buffers_pct) = (0.0, 0.0);
    for (number, field) in fields.iter().enumerate() {
        let table = field.table()?;
        enter(&mut classes, &table.need("class")?, QueueId::at(number))?;
        let queue = queue(&table, link_name, buffer_bytes)?;
        check_scheduled(&table, &queue, scheduler, number + 1 == fields.len())?;
        table.finish()?;
        rates_pct += queue.rate_share.pct();
        buffers_pct += table.need("buffer_share_pct")?.percent()?.pct();
        queues.push(queue);
    }
    at_most_all(&list, "rate_share_pct", rates_pct)?;
    if !scheduler.has_guarantees() {
        at_most_all(&list, "buffer_share_pct", buffers_pct)?;
    }
    Ok((queues, Classes(classes)))
}

/// Check what a queue must have, or cannot have, by the port's scheduler.
fn check_scheduled(
    table: &Table<'_>,
    queue: &Queue,
    scheduler: &Scheduler,
    is_last: bool,
) -> Result<(), ScenarioError> {
    if !scheduler.has_guarantees() {
        if table.get("guarantees").is_some() {
            return Err(table.refusal_of("guarantees", "only the scheduler class_guarantees keeps them"));
        }
        if !matches!(scheduler, Scheduler::PriorityWfq { .. }) && queue.rate_share.pct() <= 0.0 {
            let reason = "by this scheduler a queue without a share would never be served";
            return Err(table.refusal_of("rate_share_pct", reason));
        }
        return Ok(());
    }
    if queue.discipline != Discipline::DropTail {
        let reason = "the scheduler class_guarantees itself decides what is dropped";
        return Err(table.refusal_of("discipline", reason));
    }
    if is_last && (queue.guarantees.delay_ratio.is_some() || queue.guarantees.loss_ratio.is_some()) {
        let reason = "a ratio is that of the next class to this one, and this is the last";
        return Err(table.refusal_of("guarantees", reason));
    }
    Ok(())
}

fn guarantees(table: &Table<'_>) -> Result<Guarantees, ScenarioError> {
    let ratio = |name: &'static str| table.get(name).map(|field| field.within(1e-3, 1e3)).transpose();
    let found = Guarantees {
        delay: table.get("delay_ms").map(|field| field.milliseconds(1e-3, 1e9)).transpose()?,
        loss: table.get("loss_pct").map(|field| field.percent()).transpose()?,
        delay_ratio: ratio("delay_ratio")?,
        loss_ratio: ratio("loss_ratio")?,
    };
    table.finish()?;
    Ok(found)
}

fn queue(table: &Table<'_>, link_name: &str, buffer_bytes: u64) -> Result<Queue, ScenarioError> {
    let class: &str = table.need("class")?.read()?;
    let buffer_share = table.need("buffer_share_pct")?.percent()?;
    let priority = table.or("priority", 0)?;
    Ok(Queue {
        name: format!("{link_name}/{class}"),
        rate_share: table.need("rate_share_pct")?.percent()?,
        limit_bytes: (buffer_share.part() * buffer_bytes as f64) as u64,
        priority,
        excess_priority: table.or("excess_priority", priority)?,
        discipline: table.table("discipline")?.map_or(Ok(Discipline::DropTail), |table| discipline(&table))?,
        guarantees: table.table("guarantees")?.map_or(Ok(Guarantees::default()), |table| guarantees(&table))?,
        delay_bound: table.get("delay_bound_ms").map(|field| field.milliseconds(0.0, 1e9)).transpose()?,
    })
}

fn at_most_all(queues: &Field<'_>, name: &str, sum: f64) -> Result<(), ScenarioError> {
    if sum <= 100.0 + 1e-9 {
        return Ok(());
    }
    Err(ScenarioError::new(format!("{}.{name}", queues.key), format!("the shares add up to {sum} %, above 100 %")))
}

fn rule(table: &Table<'_>, classes: &Classes<'_>, names: &Names<'_>) -> Result<Rule, ScenarioError> {
    let node = |name: &'static str| table.get(name).map(|field| names.node_at(&field)).transpose();
    Ok(Rule {
        queue: classes.queue(&table.need("class")?)?,
        from: node("from")?,
        to: node("to")?,
        protocol: table.or("protocol", None)?,
        flow: table.get("flow").map(|field| names.flow_at(&field)).transpose()?,
    })
}
