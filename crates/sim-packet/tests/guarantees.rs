//! Class guarantees at a port, with UDP that yields to nothing.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, flow, port, run_json, totals};
use hntes_sim_scenario::results::{DelaySummary, QueueSummary, RunResult};
use serde_json::{Value, json};

const CLASSES: [&str; 3] = ["gold", "silver", "bronze"];
const LINK_BPS: f64 = 1e7;

/// UDP of these rates through 10 Mb/s: gold is promised 10 ms and 1 %, silver waits a quarter as long and loses half as
/// much as bronze.
fn through(rates_bps: [f64; 3]) -> RunResult {
    through_by(rates_bps, false)
}

/// The same; classes are credited as time passes, or when packets of their own come.
fn through_by(rates_bps: [f64; 3], credits_at_arrivals: bool) -> RunResult {
    let dumbbell = Dumbbell { bottleneck_bps: LINK_BPS, duration_s: 30.0, ..Dumbbell::default() };
    let udp = |n: usize| {
        let traffic = json!({"kind": "udp", "rate_bps": rates_bps[n], "datagram_bytes": 1000, "poisson": true});
        flow(CLASSES[n], n, &traffic)
    };
    let mut scenario = dumbbell.scenario(&json!([udp(0), udp(1), udp(2)]));
    let classifier: Vec<Value> = CLASSES.iter().map(|class| json!({"class": class, "flow": class})).collect();
    let queues = [("gold", 30.0, 100.0, 0), ("silver", 0.0, 100.0, 0), ("bronze", 0.0, 100.0, 0)];
    scenario["ports"] = port(&queues, 100_000, &json!(classifier), &json!([]));
    let at = &mut scenario["ports"][0];
    at["scheduler"] = json!({"kind": "class_guarantees", "credits_at_arrivals": credits_at_arrivals});
    at["queues"][0]["guarantees"] = json!({"delay_ms": 10, "loss_pct": 1});
    at["queues"][1]["guarantees"] = json!({"delay_ratio": 4, "loss_ratio": 2});
    for queue in 0..3 {
        at["queues"][queue]["delay_bound_ms"] = json!(10);
    }
    run_json(&scenario)
}

fn queue<'a>(result: &'a RunResult, class: &str) -> &'a QueueSummary {
    result.summary.queues.iter().find(|queue| queue.name.ends_with(class)).expect("a queue of this class")
}

fn delays(result: &RunResult, class: &str) -> DelaySummary {
    queue(result, class).delays.expect("delays that were asked for")
}

fn loss(result: &RunResult, class: &str) -> f64 {
    let queue = queue(result, class);
    let dropped = queue.dropped_pkts.total() as f64;
    dropped / (dropped + queue.enqueued_pkts as f64)
}

#[test]
fn under_overload_the_absolute_class_keeps_its_bounds_and_the_others_share_in_proportion() {
    let result = through([3e6, 6e6, 6e6]);
    assert!(loss(&result, "gold") <= 0.01, "{}", loss(&result, "gold"));
    let late = delays(&result, "gold").late_pkts as f64 / queue(&result, "gold").dequeued_pkts as f64;
    assert!(late < 0.001, "{late}");
    // A packet is 1066 bytes on the link: 15.99 Mb/s for 10; gold loses nothing to speak of.
    let lost_share = (15.99e6 - LINK_BPS) / 15.99e6;
    let sent: f64 = CLASSES.iter().map(|class| totals(&result, class).sent_pkts as f64).sum();
    let dropped: f64 = CLASSES.iter().map(|class| queue(&result, class).dropped_pkts.total() as f64).sum();
    assert_close("lost", dropped / sent, lost_share, 0.02);
    assert_close("loss ratio", loss(&result, "bronze") / loss(&result, "silver"), 2.0, 0.02);
    assert_close("delay ratio", delays(&result, "bronze").mean_ms / delays(&result, "silver").mean_ms, 4.0, 0.2);
}

#[test]
fn credited_at_its_arrivals_only_a_class_waits_for_its_own_next_packet() {
    let rates_bps = [1e6, 7e6, 7e6];
    let [in_time, at_arrivals] = [false, true].map(|is_so| delays(&through_by(rates_bps, is_so), "gold"));
    // Gold's packets are 8 ms apart on average. Of those that find its queue empty the first is credited for the time
    // since the one before, at a rate that another class had raised or lowered since.
    assert!(in_time.max_ms <= 10.1, "{in_time:?}");
    assert!(
        at_arrivals.mean_ms > in_time.mean_ms && at_arrivals.max_ms > in_time.max_ms,
        "{at_arrivals:?}, {in_time:?}"
    );
}

#[test]
fn a_bounded_class_beyond_the_link_breaks_its_delay_before_its_loss_bound() {
    let result = through([12e6, 0.1e6, 0.1e6]);
    // 1 % may be lost, and the rest of the overload waits until the shared buffer is full; only then all are dropped.
    assert!(delays(&result, "gold").late_pkts > 0);
    assert!(delays(&result, "gold").max_ms > 50.0, "{}", delays(&result, "gold").max_ms);
}

#[test]
fn what_one_class_leaves_the_others_use() {
    let result = through([1e6, 1e6, 12e6]);
    let sent_bps = |class: &str| queue(&result, class).dequeued_pkts as f64 * 1066.0 * 8.0 / 30.0;
    assert_close("all of the link", CLASSES.iter().map(|class| sent_bps(class)).sum(), LINK_BPS, 0.01);
    assert!(loss(&result, "gold") <= 0.01, "{}", loss(&result, "gold"));
}
