//! Windows of time.

use super::names::Names;
use super::table::{MAX_DURATION_S, Table};
use crate::error::ScenarioError;
use crate::ids::FlowId;
use crate::model::{Scenario, Window};
use crate::results::QueueRef;
use std::ops::Range;

/// A window of a scenario whose queues are known.
pub(super) fn window(table: &Table<'_>, names: &Names<'_>, scenario: &Scenario) -> Result<Window, ScenarioError> {
    let flow = |name: &str| names.flow_called(name).ok_or_else(|| unknown(table, "flows", "flow", name));
    let queue = |name: &str| {
        let found = all_queues(scenario).find(|&queue| scenario.queue_name(queue) == name);
        found.ok_or_else(|| unknown(table, "queues", "queue", name))
    };
    let (flows, queues): (Option<Vec<&str>>, Option<Vec<&str>>) = (table.or("flows", None)?, table.or("queues", None)?);
    Ok(Window {
        name: table.need("name")?.read()?,
        intervals: intervals(table, scenario)?,
        flows: match flows {
            Some(flows) => flows.into_iter().map(flow).collect::<Result<_, _>>()?,
            None => (0..scenario.flows.len()).map(FlowId::at).collect(),
        },
        queues: match queues {
            Some(queues) => queues.into_iter().map(queue).collect::<Result<_, _>>()?,
            None => all_queues(scenario).filter(|queue| matches!(queue, QueueRef::Class(..))).collect(),
        },
    })
}

fn unknown(table: &Table<'_>, key: &str, what: &str, name: &str) -> ScenarioError {
    table.refusal_of(key, format!("no {what} is called {name:?}"))
}

/// The intervals that lie in the window as a whole.
fn intervals(table: &Table<'_>, scenario: &Scenario) -> Result<Range<usize>, ScenarioError> {
    // Times such as 0.3 are no exact multiples of 0.1.
    const SLACK: f64 = 1e-6;
    let start = table.need("from_s")?.seconds(0.0, MAX_DURATION_S)?;
    let to = table.need("to_s")?;
    let end = to.seconds(start.s(), scenario.duration.s())?;
    let interval_s = scenario.interval.s();
    let first = (start.s() / interval_s - SLACK).ceil().max(0.0) as usize;
    let last = (end.s() / interval_s + SLACK).floor() as usize;
    if last <= first {
        return Err(to.refusal(format!("no interval of {interval_s} s lies in this window as a whole")));
    }
    Ok(first..last)
}

fn all_queues(scenario: &Scenario) -> impl Iterator<Item = QueueRef> {
    let plain = scenario.links.iter().filter(|link| link.port.is_none()).map(|link| QueueRef::Plain(link.id));
    let classes = scenario.ports.iter().flat_map(|port| port.queue_ids().map(|queue| QueueRef::Class(port.id, queue)));
    plain.chain(classes)
}
