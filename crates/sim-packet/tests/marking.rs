//! Markers that project what TCP flows will send, from a queue to the windows of the senders.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, flow, goodput_mbps, port, run_json, totals};
use hntes_sim_scenario::results::{DropCause, RunResult};
use serde_json::{Value, json};

const FLOWS: usize = 8;

/// Endless flows through 10 Mb/s and a buffer of 100 packets; bandwidth times round trip are 33 packets of 1538 bytes.
fn through(discipline: &Value) -> RunResult {
    let dumbbell = Dumbbell {
        senders: FLOWS,
        access_bps: 1e8,
        bottleneck_bps: 1e7,
        bottleneck_delay_us: 20_000.0,
        duration_s: 20.0,
        ..Dumbbell::default()
    };
    let flows: Vec<Value> =
        (0..FLOWS).map(|n| flow(&format!("tcp{n}"), n, &json!({"kind": "tcp", "congestion": "reno"}))).collect();
    let mut scenario = dumbbell.scenario(&json!(flows));
    // No projection foresees that windows double: slow start ends at half of what fits.
    scenario["tcp"] = json!({"ecn": true, "initial_window_pkts": 1, "initial_ssthresh_pkts": 8});
    scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], 153_800, &json!([]), &json!([]));
    scenario["ports"][0]["queues"][0]["discipline"] = discipline.clone();
    run_json(&scenario)
}

fn lost(result: &RunResult) -> u64 {
    (0..FLOWS).map(|n| totals(result, &format!("tcp{n}")).dropped_pkts[DropCause::Full]).sum()
}

fn total_mbps(result: &RunResult) -> f64 {
    (0..FLOWS).map(|n| goodput_mbps(result, &format!("tcp{n}"))).sum()
}

#[test]
fn what_is_marked_in_time_is_not_lost() {
    let plain = through(&json!({"kind": "drop_tail"}));
    assert!(lost(&plain) > 50, "{}", lost(&plain));
    let reference = through(&json!({"kind": "reference_marking"}));
    assert_eq!(lost(&reference), 0);
    let heuristic = through(&json!({"kind": "heuristic_marking", "threshold_bytes": 12_500, "interval_s": 0.5}));
    assert!(lost(&heuristic) * 5 < lost(&plain), "{} of {}", lost(&heuristic), lost(&plain));
    for result in [&reference, &heuristic] {
        assert!(total_mbps(result) > 0.97 * 10.0 * 1448.0 / 1538.0, "{}", total_mbps(result));
        assert!(result.summary.queues.iter().any(|queue| queue.marked_pkts > 0));
    }
}
