//! What changes while a run goes on, against arithmetic before and after.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, port, run_json, totals};
use hntes_sim_packet::{Scenario, assemble, summarise};
use hntes_sim_scenario::results::RunResult;
use hntes_sim_scenario::time::Time;
use serde_json::{Value, json};

const BUFFER_BYTES: u64 = 200_000;
/// Datagrams of one packet: bytes of payload, from the IP header on, and of link time.
const PAYLOAD_BYTES: f64 = 1472.0;
const IP_BYTES: f64 = 1500.0;
const WIRE_BYTES: f64 = 1538.0;

fn udp(rate_bps: f64) -> Value {
    json!({"kind": "udp", "rate_bps": rate_bps, "datagram_bytes": PAYLOAD_BYTES as u32})
}

/// 1 Gb/s to a router, 100 Mb/s from there, measured every tenth of a second.
fn dumbbell(duration_s: f64, flows: &Value, changes: &Value) -> Value {
    let mut scenario =
        Dumbbell { bottleneck_bps: 1e8, buffer_bytes: BUFFER_BYTES, duration_s, ..Dumbbell::default() }.scenario(flows);
    scenario["interval_s"] = json!(0.1);
    scenario["changes"] = changes.clone();
    scenario
}

fn link_rate(at_s: f64, rate_bps: f64) -> Value {
    json!({"kind": "link_rate", "at_s": at_s, "from": "sink", "to": "r", "rate_bps": rate_bps})
}

fn at_port(kind: &str, at_s: f64, class: &str, key: &str, value: f64) -> Value {
    json!({"kind": kind, "at_s": at_s, "at": "r", "to": "sink", "class": class, key: value})
}

#[test]
fn a_link_carries_the_bytes_of_each_rate_while_it_lasts() {
    for has_port in [false, true] {
        let changes = json!([link_rate(1.05, 5e7), link_rate(2.0, 4e8)]);
        let mut scenario = dumbbell(3.0, &json!([flow("flood", 0, &udp(8e8))]), &changes);
        if has_port {
            scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], BUFFER_BYTES, &json!([]), &json!([]));
        }
        let result = run_json(&scenario);
        let found = counts(&result, "link/r->sink/wire_bytes");
        // the second in the middle of the eleventh interval, in the middle of a packet
        let expected = |interval| match interval {
            1..=9 => 1_250_000,
            10 => 937_500,
            11..=19 => 625_000,
            _ => 5_000_000,
        };
        for (interval, &bytes) in found.iter().enumerate().skip(1) {
            assert!(bytes.abs_diff(expected(interval)) <= 2, "port {has_port}, interval {interval}: {bytes}");
        }
    }
}

#[test]
fn what_waits_goes_out_at_the_new_rate() {
    let (fast_bps, slow_bps, changed_s) = (1e8, 3e7, 0.005);
    let mut burst = flow("burst", 0, &udp(9e8));
    burst["intervals_s"] = json!([[0.0, 0.002]]);
    burst["one_way_delays"] = json!(true);
    let result = run_json(&dumbbell(1.0, &json!([burst]), &json!([link_rate(changed_s, slow_bps)])));
    let of_burst = totals(&result, "burst");
    let packets = of_burst.delivered_pkts as f64;
    assert!(packets > 100.0 && packets * WIRE_BYTES < 1e6 && of_burst.dropped_pkts.total() > 0, "{packets}");
    // the last one that found room came when the queue was full, and left after all of it
    let begins_s = 5e-6 + WIRE_BYTES * 8.0 / 1e9;
    let left_bytes = packets * WIRE_BYTES - (changed_s - begins_s) * fast_bps / 8.0;
    let arrives_s = changed_s + left_bytes * 8.0 / slow_bps + 1110e-6;
    let goodput = counts(&result, "flow/burst/goodput_bytes");
    assert_eq!(goodput.iter().sum::<u64>(), of_burst.delivered_pkts * PAYLOAD_BYTES as u64);
    let last_interval = goodput.iter().rposition(|&bytes| bytes > 0).expect("packets arrive");
    assert_eq!(last_interval, (arrives_s / 0.1) as usize);
    let longest_ms = of_burst.one_way_delays.as_ref().expect("delays are wanted").max_ms;
    // it was sent in the last gap between datagrams before the queue was full
    assert!(longest_ms < arrives_s * 1e3 && longest_ms > arrives_s * 1e3 - 2.0, "{longest_ms} of {arrives_s} s");
}

fn two_classes(scheduler: &Value, changes: &Value) -> RunResult {
    let flows = json!([flow("a", 0, &udp(2e8)), flow("b", 1, &udp(2e8))]);
    let mut scenario = dumbbell(4.0, &flows, changes);
    let rules = json!([{"class": "a", "flow": "a"}, {"class": "b", "flow": "b"}]);
    scenario["ports"] = port(&[("a", 60.0, 50.0, 0), ("b", 40.0, 50.0, 0)], BUFFER_BYTES, &rules, &json!([]));
    scenario["ports"][0]["scheduler"] = scheduler.clone();
    scenario["windows"] =
        json!([{"name": "before", "from_s": 0.5, "to_s": 2.0}, {"name": "after", "from_s": 2.1, "to_s": 4.0}]);
    run_json(&scenario)
}

#[test]
fn overloaded_classes_share_by_the_shares_of_the_moment() {
    for kind in ["priority_wfq", "strict_partition", "round_robin"] {
        // together they are above 100 % for no time at all
        let changes = json!([
            at_port("rate_share", 2.0, "b", "rate_share_pct", 80.0),
            at_port("rate_share", 2.0, "a", "rate_share_pct", 20.0),
        ]);
        let result = two_classes(&json!({"kind": kind}), &changes);
        for (window, a, b) in [(0, 60.0, 40.0), (1, 20.0, 80.0)] {
            for (name, share_pct) in [("a", a), ("b", b)] {
                let expected_bps = share_pct / 100.0 * 1e8 * PAYLOAD_BYTES / WIRE_BYTES;
                let found_bps = result.summary.windows[window].goodput_bps[name].median;
                assert_close(&format!("{kind}, {name}, window {window}"), found_bps, expected_bps, 0.01);
            }
        }
    }
}

#[test]
fn guarantees_follow_the_rate_of_their_link() {
    for kind in ["priority_wfq", "strict_partition"] {
        let result = two_classes(&json!({"kind": kind}), &json!([link_rate(2.0, 4e7)]));
        for (name, share) in [("a", 0.6), ("b", 0.4)] {
            let expected_bps = share * 4e7 * PAYLOAD_BYTES / WIRE_BYTES;
            assert_close(kind, result.summary.windows[1].goodput_bps[name].median, expected_bps, 0.01);
        }
    }
}

#[test]
fn a_meter_passes_each_rate_while_it_lasts_and_one_burst() {
    let burst_bytes = 30_000;
    let meters = [
        (json!({"kind": "token_bucket", "rate_bps": 1e7, "burst_bytes": burst_bytes}), "rate_bps", 2),
        (
            json!({"kind": "srtcm", "committed_rate_bps": 1e7, "committed_burst_bytes": burst_bytes,
                   "excess_burst_bytes": 9000}),
            "committed_rate_bps",
            2,
        ),
        (
            json!({"kind": "trtcm", "committed_rate_bps": 1e7, "committed_burst_bytes": burst_bytes,
                   "peak_rate_bps": 4e7, "peak_burst_bytes": 60000}),
            "committed_rate_bps",
            2,
        ),
        (
            json!({"kind": "car", "rate_bps": 1e7, "normal_burst_bytes": burst_bytes,
                   "extended_burst_bytes": burst_bytes}),
            "rate_bps",
            2,
        ),
        // of 25,000 packets a third is green by chance
        (json!({"kind": "tsw2cm", "committed_rate_bps": 1e7, "window_s": 0.1}), "committed_rate_bps", 300),
    ];
    for (meter, key, tolerated_pkts) in meters {
        for (first_bps, second_bps) in [(1e7, 2e7), (2e7, 1e7)] {
            let mut meter = meter.clone();
            meter[key] = json!(first_bps);
            let actions = json!({"yellow": "drop", "red": "drop"});
            let conditioners = json!([{"class": "all", "meter": meter, "actions": actions}]);
            let changes = json!([at_port("meter_rate", 2.0, "all", key, second_bps)]);
            let mut scenario = dumbbell(4.0, &json!([flow("flood", 0, &udp(7.5e7))]), &changes);
            scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], BUFFER_BYTES, &json!([]), &conditioners);
            let result = run_json(&scenario);
            let of_flood = totals(&result, "flood");
            let passed_bytes = (of_flood.sent_pkts - of_flood.dropped_pkts.total()) as f64 * IP_BYTES;
            let expected_bytes = (first_bps + second_bps) * 2.0 / 8.0 + f64::from(burst_bytes);
            let apart_pkts = (passed_bytes - expected_bytes) / IP_BYTES;
            assert!(apart_pkts.abs() <= f64::from(tolerated_pkts), "{meter}: {apart_pkts} packets");
        }
    }
}

#[test]
fn a_queue_holds_what_its_share_of_the_buffer_is_by_then() {
    let changes = json!([
        at_port("buffer_share", 1.0, "all", "buffer_share_pct", 40.0),
        at_port("buffer_share", 2.0, "all", "buffer_share_pct", 90.0),
    ]);
    let mut scenario = dumbbell(3.0, &json!([flow("flood", 0, &udp(2e8))]), &changes);
    scenario["ports"] = port(&[("all", 100.0, 80.0, 0)], BUFFER_BYTES, &json!([]), &json!([]));
    let result = run_json(&scenario);
    let peaks = counts(&result, "queue/r->sink/all/peak_bytes");
    for (intervals, limit_bytes) in [(1..10, 160_000), (11..20, 80_000), (21..30, 180_000)] {
        for &peak_bytes in &peaks[intervals] {
            assert!(peak_bytes <= limit_bytes && peak_bytes + 1538 > limit_bytes, "{peak_bytes} of {limit_bytes}");
        }
    }
    // a run that ends while the queue is above its new limit is sound, too
    scenario["changes"] = json!([at_port("buffer_share", 0.9999, "all", "buffer_share_pct", 10.0)]);
    scenario["duration_s"] = json!(1.0);
    run_json(&scenario);
}

/// All that can change, set to what it is.
fn mixed(changes: &Value) -> Value {
    let flows = json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": "htcp"})),
        flow("udp", 1, &udp(3e7)),
        flow("ping", 2, &json!({"kind": "ping", "interval_s": 0.01})),
    ]);
    let mut scenario = dumbbell(2.0, &flows, changes);
    scenario["hosts"][3]["interrupt_gap_us"] = json!(25.0);
    scenario["hosts"][3]["stalls_per_s"] = json!(20.0);
    scenario["hosts"][3]["stall_us"] = json!(500.0);
    let rules = json!([{"class": "a", "protocol": "tcp"}]);
    let meter = json!({"kind": "token_bucket", "rate_bps": 8e7, "burst_bytes": 31000});
    let conditioners = json!([{"class": "a", "meter": meter, "actions": {"red": {"to_class": "b"}}}]);
    scenario["ports"] = port(&[("a", 60.0, 50.0, 0), ("b", 40.0, 50.0, 1)], BUFFER_BYTES, &rules, &conditioners);
    scenario
}

#[test]
fn a_change_to_what_is_there_changes_nothing() {
    let changes = json!([
        link_rate(0.5, 1e8),
        {"kind": "link_rate", "at_s": 0.5, "from": "s0", "to": "r", "rate_bps": 1e9},
        at_port("rate_share", 0.75, "a", "rate_share_pct", 60.0),
        at_port("buffer_share", 0.75, "b", "buffer_share_pct", 50.0),
        at_port("meter_rate", 1.0, "a", "rate_bps", 8e7),
    ]);
    let (plain, same) = (run_json(&mixed(&json!([]))), run_json(&mixed(&changes)));
    assert!(totals(&plain, "tcp").tcp.as_ref().expect("TCP").retransmitted_pkts > 0);
    assert_eq!(plain.summary.trace_hash, same.summary.trace_hash);
    assert_eq!(plain.summary.events, same.summary.events);
}

#[test]
fn changes_come_at_their_time_whatever_pieces_a_run_has() {
    let changes = json!([
        link_rate(0.0, 9e7),
        link_rate(0.5, 5e7),
        at_port("rate_share", 0.5, "a", "rate_share_pct", 20.0),
        at_port("meter_rate", 1.0, "a", "rate_bps", 2e7),
        link_rate(2.0, 1e8),
    ]);
    let scenario = Scenario::from_json(&mixed(&changes).to_string()).unwrap_or_else(|error| panic!("{error}"));
    let mut whole = assemble(&scenario);
    whole.run_until(whole.end());
    let mut pieces = assemble(&scenario);
    for at in [0.0, 0.3, 0.5, 0.7, 1.0].map(Time::from_s) {
        pieces.run_until(at - Time::from_ps(u64::from(at > Time::ZERO)));
        pieces.run_until(at);
    }
    pieces.run_until(pieces.end());
    let [whole, pieces] = [whole, pieces].map(|run| summarise(&run).summary);
    assert_eq!((whole.trace_hash, whole.imbalances), (pieces.trace_hash, pieces.imbalances));
}
