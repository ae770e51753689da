//! Windows of time.

use super::names::Names;
use super::range::{MAX_DURATION_S, seconds};
use crate::error::ScenarioError;
use crate::ids::FlowId;
use crate::model::{Scenario, Window};
use crate::results::QueueRef;
use crate::text::WindowSpec;
use std::ops::Range;

/// A window of a scenario whose queues are known.
pub(super) fn window(
    key: &str,
    text: &WindowSpec,
    names: &Names<'_>,
    scenario: &Scenario,
) -> Result<Window, ScenarioError> {
    let flows = match &text.flows {
        Some(flows) => flows.iter().map(|flow| names.known_flow(&format!("{key}.flows"), flow)).collect(),
        None => Ok((0..scenario.flows.len()).map(FlowId::at).collect()),
    }?;
    let queue = |name: &String| {
        let found = all_queues(scenario).find(|&queue| scenario.queue_name(queue) == name);
        found.ok_or_else(|| ScenarioError::new(format!("{key}.queues"), format!("no queue is called {name:?}")))
    };
    Ok(Window {
        name: text.name.clone(),
        intervals: intervals(key, text, scenario)?,
        flows,
        queues: match &text.queues {
            Some(queues) => queues.iter().map(queue).collect::<Result<_, _>>()?,
            None => all_queues(scenario).filter(|queue| matches!(queue, QueueRef::Class(..))).collect(),
        },
    })
}

/// The intervals that lie in the window as a whole.
fn intervals(key: &str, text: &WindowSpec, scenario: &Scenario) -> Result<Range<usize>, ScenarioError> {
    // Times such as 0.3 are no exact multiples of 0.1.
    const SLACK: f64 = 1e-6;
    let start = seconds(&format!("{key}.from_s"), text.from_s, 0.0, MAX_DURATION_S)?;
    let end_key = format!("{key}.to_s");
    let end = seconds(&end_key, text.to_s, start.s(), scenario.duration.s())?;
    let interval_s = scenario.interval.s();
    let first = (start.s() / interval_s - SLACK).ceil().max(0.0) as usize;
    let last = (end.s() / interval_s + SLACK).floor() as usize;
    if last <= first {
        return Err(ScenarioError::new(
            end_key,
            format!("no interval of {interval_s} s lies in this window as a whole"),
        ));
    }
    Ok(first..last)
}

fn all_queues(scenario: &Scenario) -> impl Iterator<Item = QueueRef> {
    let plain = scenario.links.iter().filter(|link| link.port.is_none()).map(|link| QueueRef::Plain(link.id));
    let classes = scenario.ports.iter().flat_map(|port| port.queue_ids().map(|queue| QueueRef::Class(port.id, queue)));
    plain.chain(classes)
}
