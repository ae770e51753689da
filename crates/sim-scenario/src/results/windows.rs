//! Least, median and greatest value per interval within windows of time.

use super::ordered::Ordered;
use super::{Column, FlowMeasure, QueueMeasure, Series, Values};
use crate::model::{Scenario, Window};
use serde::Serialize;
use std::collections::BTreeMap;

/// A window's statistics: of each flow and queue it names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowSummary {
    /// Its name.
    pub name: String,
    /// Its first interval begins here.
    pub from_s: f64,
    /// Its last interval ends here.
    pub to_s: f64,
    /// Goodput in bit/s by flow.
    pub goodput_bps: BTreeMap<String, Spread>,
    /// Bytes waiting at the ends of intervals, by queue.
    pub backlog_bytes: BTreeMap<String, Spread>,
}

/// The values of several intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Least.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Greatest.
    pub max: f64,
}

/// The statistics of all windows of a scenario.
pub fn window_summaries(scenario: &Scenario, columns: &[Column]) -> Vec<WindowSummary> {
    scenario.windows().iter().map(|window| summary(scenario, window, columns)).collect()
}

fn summary(scenario: &Scenario, window: &Window, columns: &[Column]) -> WindowSummary {
    let interval_s = scenario.interval().s();
    let mut found = WindowSummary {
        name: window.name.clone(),
        from_s: window.intervals.start as f64 * interval_s,
        to_s: window.intervals.end as f64 * interval_s,
        goodput_bps: BTreeMap::new(),
        backlog_bytes: BTreeMap::new(),
    };
    for column in columns {
        let Values::Counts(values) = &column.values else { continue };
        match column.series {
            Series::Flow(flow, FlowMeasure::GoodputBytes) if window.flows.contains(&flow) => {
                let spread = spread(window, values, 8.0 / interval_s);
                found.goodput_bps.insert(scenario.flow(flow).name.clone(), spread);
            }
            Series::Queue(queue, QueueMeasure::BacklogBytes) if window.queues.contains(&queue) => {
                let spread = spread(window, values, 1.0);
                found.backlog_bytes.insert(scenario.queue_name(queue).to_owned(), spread);
            }
            _ => {}
        }
    }
    found
}

/// A run that was stopped early has fewer intervals.
fn spread(window: &Window, values: &[u64], factor: f64) -> Spread {
    let within = values.iter().take(window.intervals.end).skip(window.intervals.start);
    let values = Ordered::new(within.map(|&value| value as f64 * factor).collect());
    Spread { min: values.quantile(0.0), median: values.median(), max: values.quantile(1.0) }
}
