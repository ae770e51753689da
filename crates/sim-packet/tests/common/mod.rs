//! Scenarios for the tests, run and looked at.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part of this")]

#[path = "../../../sim-scenario/tests/common/mod.rs"]
mod scenarios;

pub use scenarios::{Dumbbell, flow, port};

use hntes_sim_packet::run;
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::{FlowSummary, RunResult, Values};
use serde_json::Value;

/// Run it; every run's books have to balance.
pub fn run_json(scenario: &Value) -> RunResult {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&scenario);
    assert_eq!(result.summary.imbalances, Vec::<String>::new());
    result
}

/// A flow's totals.
pub fn totals<'a>(result: &'a RunResult, name: &str) -> &'a FlowSummary {
    result.summary.flows.iter().find(|flow| flow.name == name).expect("a flow of this name")
}

/// A flow's goodput in Mb/s.
pub fn goodput_mbps(result: &RunResult, name: &str) -> f64 {
    totals(result, name).goodput_bytes as f64 * 8.0 / result.summary.duration_s / 1e6
}

/// A series of counts.
pub fn counts<'a>(result: &'a RunResult, name: &str) -> &'a [u64] {
    let column = result.columns.iter().find(|column| column.name == name).expect("a column of this name");
    match &column.values {
        Values::Counts(values) => values,
        Values::Numbers(_) => panic!("{name} holds no counts"),
    }
}

/// Assert that a number lies within a share of another.
pub fn assert_close(what: &str, got: f64, expected: f64, share: f64) {
    assert!((got - expected).abs() <= share * expected.abs(), "{what}: {got}, expected {expected} within {share}");
}
