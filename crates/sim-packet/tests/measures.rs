//! One-way delays and windows of time, against arithmetic.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, flow, port, run_json, totals};
use hntes_sim_scenario::results::{OneWayDelays, RunResult, Spread};
use serde_json::{Value, json};

const BUFFER_BYTES: u64 = 200_000;
/// The dumbbell's propagation.
const DELAY_MS: f64 = 1.115;

fn measured(name: &str, sender: usize, traffic: &Value) -> Value {
    let mut flow = flow(name, sender, traffic);
    flow["one_way_delays"] = json!(true);
    flow
}

/// 1 Gb/s to a router, 100 Mb/s from there; framing of 38 bytes.
fn dumbbell(duration_s: f64, flows: &Value) -> Value {
    Dumbbell { bottleneck_bps: 1e8, buffer_bytes: BUFFER_BYTES, duration_s, ..Dumbbell::default() }.scenario(flows)
}

fn delays(result: &RunResult, name: &str) -> OneWayDelays {
    totals(result, name).one_way_delays.expect("delays are wanted")
}

fn link_ms(wire_bytes: f64, rate_bps: f64) -> f64 {
    wire_bytes * 8e3 / rate_bps
}

#[test]
fn an_idle_network_delays_by_propagation_and_link_time() {
    let udp = |bytes: u32| json!({"kind": "udp", "rate_bps": 1e6, "datagram_bytes": bytes});
    let ping = json!({"kind": "ping", "interval_s": 0.0113});
    for (bytes, first, rest) in [(1472, 1538.0, 0.0), (8192, 1538.0, 4.0 * 1538.0 + 820.0 + 38.0)] {
        let result = run_json(&dumbbell(2.0, &json!([measured("udp", 0, &udp(bytes))])));
        // the last piece waits on the slow link for those before it
        let expected_ms = DELAY_MS + link_ms(first, 1e9) + link_ms(first + rest, 1e8);
        let found = delays(&result, "udp");
        assert_close("least", found.min_ms, expected_ms, 1e-6);
        assert_close("greatest", found.max_ms, expected_ms, 1e-6);
        assert_eq!(found.delivered, totals(&result, "udp").udp.as_ref().expect("UDP").received_datagrams);
    }
    let result = run_json(&dumbbell(2.0, &json!([measured("ping", 0, &ping)])));
    let there = delays(&result, "ping");
    assert_close(
        "half the round trip",
        2.0 * there.mean_ms,
        totals(&result, "ping").ping.as_ref().expect("ping").mean_ms,
        1e-6,
    );
}

#[test]
fn a_full_queue_delays_by_what_it_holds() {
    let flood = json!({"kind": "udp", "rate_bps": 2e8, "datagram_bytes": 1472});
    let result = run_json(&dumbbell(5.0, &json!([measured("udp", 0, &flood)])));
    let (found, idle_ms) = (delays(&result, "udp"), DELAY_MS + link_ms(1538.0, 1e9) + link_ms(1538.0, 1e8));
    let full_ms = idle_ms + link_ms(BUFFER_BYTES as f64, 1e8);
    assert_close("least", found.min_ms, idle_ms, 1e-6);
    assert!(found.max_ms <= full_ms && found.max_ms > full_ms - 2.0 * link_ms(1538.0, 1e8), "{found:?}");
    assert!(found.median_ms > full_ms - 3.0 * link_ms(1538.0, 1e8) && found.p99_ms <= found.max_ms, "{found:?}");
}

#[test]
fn a_token_bucket_takes_no_link_time_and_what_waits_for_tokens_takes_room() {
    let udp = |rate_bps: f64| json!({"kind": "udp", "rate_bps": rate_bps, "datagram_bytes": 1472});
    let run = |rate_bps: f64| {
        let mut scenario = dumbbell(5.0, &json!([measured("udp", 0, &udp(rate_bps))]));
        scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], BUFFER_BYTES, &json!([]), &json!([]));
        scenario["ports"][0]["token_bucket_bytes"] = json!(3 * 1538);
        scenario["ports"][0]["reopen_bytes"] = json!(0);
        delays(&run_json(&scenario), "udp")
    };
    let idle_ms = DELAY_MS + link_ms(1538.0, 1e9);
    for found in [run(1e6).min_ms, run(1e6).max_ms, run(2e8).min_ms] {
        assert_close("with tokens", found, idle_ms, 1e-6);
    }
    let full_ms = idle_ms + link_ms(BUFFER_BYTES as f64, 1e8);
    let longest_ms = run(2e8).max_ms;
    assert!(longest_ms <= full_ms && longest_ms > full_ms - link_ms(1538.0, 1e8), "{longest_ms}, not {full_ms}");
}

#[test]
fn who_does_not_ask_gets_none() {
    let udp = json!({"kind": "udp", "rate_bps": 1e6});
    let plain = run_json(&dumbbell(1.0, &json!([flow("udp", 0, &udp)])));
    let asked = run_json(&dumbbell(1.0, &json!([measured("udp", 0, &udp)])));
    assert_eq!(totals(&plain, "udp").one_way_delays, None);
    assert_eq!(plain.summary.trace_hash, asked.summary.trace_hash);
}

/// 50 Mb/s of payload for the first two of four seconds, beside 10 Mb/s all the time.
#[test]
fn windows_have_the_extremes_of_whole_intervals() {
    let mut burst = flow("burst", 0, &json!({"kind": "udp", "rate_bps": 5e7, "datagram_bytes": 1472}));
    burst["intervals_s"] = json!([[0.0, 2.0]]);
    let mut scenario = dumbbell(4.0, &json!([burst, flow("other", 1, &json!({"kind": "udp", "rate_bps": 1e7}))]));
    scenario["interval_s"] = json!(0.1);
    scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], BUFFER_BYTES, &json!([]), &json!([]));
    scenario["windows"] = json!([
        {"name": "on", "from_s": 0.1, "to_s": 2.0, "flows": ["burst"]},
        {"name": "off", "from_s": 2.05, "to_s": 3.99},
        {"name": "both", "from_s": 0.0, "to_s": 4.0, "flows": ["burst"], "queues": ["s0->r"]},
    ]);
    let windows = run_json(&scenario).summary.windows;
    let on = windows[0].goodput_bps["burst"];
    assert_close("least", on.min, 5e7, 0.01);
    assert_close("greatest", on.max, 5e7, 0.01);
    assert_eq!(windows[0].goodput_bps.len(), 1);
    assert_eq!((windows[1].from_s, windows[1].to_s), (21.0 * 0.1, 39.0 * 0.1));
    assert_eq!(windows[1].goodput_bps["burst"], Spread { min: 0.0, median: 0.0, max: 0.0 });
    assert_close("other", windows[1].goodput_bps["other"].median, 1e7, 0.02);
    assert_eq!(windows[1].backlog_bytes.keys().collect::<Vec<_>>(), ["r->sink/all"]);
    // 20 of 40 intervals have all of it, the other ones nothing but what was under way: half way between the two
    let both = windows[2].goodput_bps["burst"];
    assert!(both.min < 1.0 && both.max > 4.9e7 && (1e5..4.9e7).contains(&both.median), "{both:?}");
    assert_eq!(windows[2].backlog_bytes.keys().collect::<Vec<_>>(), ["s0->r"]);
}
