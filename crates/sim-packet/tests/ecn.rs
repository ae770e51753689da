//! Marks instead of drops, from a queue to the window of a sender (RFC 3168).
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, flow, goodput_mbps, port, run_json, totals};
use hntes_sim_scenario::results::{DropCause, RunResult};
use serde_json::{Value, json};

const MIN_PKTS: f64 = 50.0;
const MAX_PKTS: f64 = 150.0;
const SERVICE_MS: f64 = 1538.0 * 8.0 / 1e8 * 1e3;

/// One TCP flow and a ping through a queue of 1000 packets at 100 Mb/s, round trip 20 ms.
fn through(discipline: &Value, ecn: bool, congestion: &str) -> RunResult {
    let dumbbell =
        Dumbbell { bottleneck_bps: 1e8, bottleneck_delay_us: 10_000.0, duration_s: 60.0, ..Dumbbell::default() };
    let mut scenario = dumbbell.scenario(&json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": congestion})),
        flow("ping", 1, &json!({"kind": "ping", "interval_s": 0.01})),
    ]));
    // At first the flow shall not outrun an average that is slow by design.
    scenario["tcp"] = json!({"ecn": ecn, "initial_ssthresh_pkts": 100});
    scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], 1_538_000, &json!([]), &json!([]));
    scenario["ports"][0]["queues"][0]["discipline"] = discipline.clone();
    run_json(&scenario)
}

fn red(ecn: bool) -> Value {
    json!({"kind": "red", "average_weight": 0.02, "min_pkts": MIN_PKTS, "max_pkts": MAX_PKTS, "max_probability": 0.02,
           "gentle": true, "ecn": ecn})
}

fn pi() -> Value {
    json!({"kind": "pi", "a": 1.822e-5, "b": 1.816e-5, "reference_pkts": 100, "frequency_hz": 160, "ecn": true})
}

fn lost(result: &RunResult) -> u64 {
    DropCause::ALL.into_iter().map(|cause| totals(result, "tcp").dropped_pkts[cause]).sum()
}

#[test]
fn a_flow_that_heeds_marks_loses_nothing_and_fills_the_link() {
    for congestion in ["reno", "htcp"] {
        let result = through(&red(true), true, congestion);
        let resent = totals(&result, "tcp").tcp.as_ref().expect("TCP").retransmitted_pkts;
        assert_eq!((lost(&result), resent), (0, 0), "{congestion}");
        assert!(goodput_mbps(&result, "tcp") > 85.0, "{congestion}: {}", goodput_mbps(&result, "tcp"));
    }
}

#[test]
fn the_queue_stays_where_the_curve_wants_it() {
    let result = through(&red(true), true, "reno");
    let ping = totals(&result, "ping").ping.as_ref().expect("a ping");
    let waited_pkts = (ping.mean_ms - ping.min_ms) / SERVICE_MS;
    assert!(waited_pkts < MAX_PKTS && ping.max_ms - ping.min_ms < 3.0 * MAX_PKTS * SERVICE_MS, "{waited_pkts}");
}

#[test]
fn who_cannot_carry_a_mark_is_dropped() {
    let unheard = through(&red(true), false, "reno");
    let plain = through(&red(false), true, "reno");
    for result in [&unheard, &plain] {
        assert!(totals(result, "tcp").dropped_pkts[DropCause::Early] > 0);
    }
    assert_eq!(unheard.summary.trace_hash, through(&red(false), false, "reno").summary.trace_hash);
}

#[test]
fn a_controller_marks_too() {
    let result = through(&pi(), true, "reno");
    assert_eq!(totals(&result, "tcp").dropped_pkts[DropCause::Early], 0);
    let dropped = through(&pi(), false, "reno");
    assert!(totals(&dropped, "tcp").dropped_pkts[DropCause::Early] > 0);
}
