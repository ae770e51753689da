//! TCP that is short of data: transfers of a size, and programs that write at a pace; what arrives by colour.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, goodput_mbps, port, run_json, totals};
use hntes_sim_scenario::results::RunResult;
use serde_json::{Value, json};

const SEGMENT_BYTES: u64 = 1448;
const RTT_S: f64 = 0.02;

/// One TCP flow at 100 Mb/s, round trip 20 ms, without delayed acknowledgements; on all the time.
fn sending(data: &Value, duration_s: f64) -> RunResult {
    sending_in(&json!([[0.0, 1e5]]), data, duration_s)
}

fn sending_in(intervals_s: &Value, data: &Value, duration_s: f64) -> RunResult {
    let dumbbell = Dumbbell { bottleneck_bps: 1e8, bottleneck_delay_us: 10_000.0, duration_s, ..Dumbbell::default() };
    let mut scenario =
        dumbbell.scenario(&json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno", "data": data}))]));
    scenario["tcp"] = json!({"initial_window_pkts": 2, "quick_acks": 1_000_000});
    scenario["interval_s"] = json!(0.1);
    scenario["flows"][0]["intervals_s"] = intervals_s.clone();
    run_json(&scenario)
}

fn lasted_s(result: &RunResult) -> f64 {
    let [transfer] = totals(result, "tcp").transfers[..] else { panic!("one transfer") };
    transfer.completed_s - transfer.started_s
}

#[test]
fn a_small_transfer_takes_the_round_trips_of_slow_start() {
    // Windows of 2, 4, 8 and 16 segments after the round trip of the handshake.
    for (segments, round_trips) in [(1, 2.0), (2, 2.0), (3, 3.0), (6, 3.0), (7, 4.0), (30, 5.0), (31, 6.0)] {
        let result = sending(&json!({"kind": "transfer", "bytes": segments * SEGMENT_BYTES}), 5.0);
        assert_close(&format!("{segments} segments"), lasted_s(&result), round_trips * RTT_S, 0.08);
        assert_eq!(totals(&result, "tcp").goodput_bytes, segments * SEGMENT_BYTES);
    }
}

#[test]
fn a_large_transfer_ends_when_the_link_has_carried_it() {
    let result = sending(&json!({"kind": "transfer", "bytes": 50_000_000}), 20.0);
    let goodput_bps = 1e8 * 1448.0 / 1538.0;
    let least_s = 50_000_000.0 * 8.0 / goodput_bps;
    assert!(lasted_s(&result) > least_s);
    assert_close("transfer", lasted_s(&result), least_s, 0.15);
}

#[test]
fn a_transfer_that_its_interval_cuts_off_has_not_ended() {
    let data = json!({"kind": "transfer", "bytes": 50_000_000});
    // Whether the run ends with the interval, or goes on until all that was sent is acknowledged.
    for duration_s in [2.0, 10.0] {
        let result = sending_in(&json!([[0.0, 2.0]]), &data, duration_s);
        let flow = totals(&result, "tcp");
        assert!(flow.transfers.is_empty(), "{:?}", flow.transfers);
        assert!((1_000_000..50_000_000).contains(&flow.goodput_bytes), "{} bytes", flow.goodput_bytes);
    }
}

#[test]
fn each_interval_is_a_transfer_of_its_own() {
    let intervals = json!([[0.0, 3.0], [3.0, 3.1], [4.0, 8.0]]);
    let result = sending_in(&intervals, &json!({"kind": "transfer", "bytes": 5_000_000}), 10.0);
    let starts: Vec<f64> = totals(&result, "tcp").transfers.iter().map(|transfer| transfer.started_s).collect();
    assert_eq!(starts, [0.0, 4.0], "the second interval is too short");
}

#[test]
fn goodput_follows_the_rate_of_writes() {
    let result = sending(&json!({"kind": "writes", "bytes": 100_000, "every_ms": 20}), 10.0);
    assert_close("Mb/s", goodput_mbps(&result, "tcp"), 40.0, 0.01);
    let mut written = 0;
    for &bytes in counts(&result, "flow/tcp/goodput_bytes") {
        written += bytes;
    }
    assert!(written <= 50_100_000, "{written} bytes, more than was written");
    assert_eq!(totals(&result, "tcp").tcp.as_ref().expect("TCP").retransmitted_pkts, 0);
}

#[test]
fn what_arrives_is_counted_by_colour() {
    let dumbbell = Dumbbell { bottleneck_bps: 1e8, duration_s: 20.0, ..Dumbbell::default() };
    let mut scenario = dumbbell.scenario(&json!([flow(
        "udp",
        0,
        &json!({"kind": "udp", "rate_bps": 5_000_000, "datagram_bytes": 1000})
    )]));
    let meter = json!({"kind": "trtcm", "committed_rate_bps": 1e6, "committed_burst_bytes": 5000,
                       "peak_rate_bps": 3e6, "peak_burst_bytes": 5000});
    let conditioners = json!([{"class": "all", "meter": meter}]);
    scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], 1_000_000, &json!([]), &conditioners);
    let result = run_json(&scenario);
    let received = totals(&result, "udp").received_ip_bytes.expect("packets have colours");
    let rate_mbps = |bytes: u64| bytes as f64 * 8.0 / 20.0 / 1e6;
    assert_close("green", rate_mbps(received.green), 1.0, 0.01);
    assert_close("yellow", rate_mbps(received.yellow), 2.0, 0.01);
    assert_close("red", rate_mbps(received.red), 5.0 * 1028.0 / 1000.0 - 3.0, 0.01);
    assert!(!result.columns.iter().any(|column| column.name.contains("green")), "nobody asked for series by colour");
}

#[test]
fn series_by_colour_add_up_to_what_arrived_and_was_dropped() {
    let dumbbell = Dumbbell { bottleneck_bps: 1e8, duration_s: 20.0, ..Dumbbell::default() };
    let udp = |rate: f64| json!({"kind": "udp", "rate_bps": rate, "datagram_bytes": 1000});
    let mut scenario = dumbbell.scenario(&json!([flow("metered", 0, &udp(5e6)), flow("other", 1, &udp(1e6))]));
    // 1 Mb/s is green, of which the conditioner drops all; the next 2 Mb/s are yellow.
    let meter = json!({"kind": "trtcm", "committed_rate_bps": 1e6, "committed_burst_bytes": 5000,
                       "peak_rate_bps": 3e6, "peak_burst_bytes": 5000});
    let conditioners = json!([{"class": "a", "meter": meter, "actions": {"green": "drop"}, "colour_series": true}]);
    let rules = json!([{"class": "a", "flow": "metered"}]);
    scenario["ports"] = port(&[("b", 50.0, 50.0, 0), ("a", 50.0, 50.0, 0)], 1_000_000, &rules, &conditioners);
    let result = run_json(&scenario);
    let sum = |name: &str| counts(&result, name).iter().sum::<u64>();
    let received = totals(&result, "metered").received_ip_bytes.expect("packets have colours");
    for (colour, bytes) in [("green", received.green), ("yellow", received.yellow), ("red", received.red)] {
        assert_eq!(sum(&format!("flow/metered/received_{colour}_ip_bytes")), bytes);
    }
    assert_eq!((received.green, sum("queue/r->sink/a/dropped_green_early_pkts")), (0, 0));
    assert_close("yellow Mb/s", received.yellow as f64 * 8.0 / 20.0 / 1e6, 2.0, 0.01);
    let green = sum("queue/r->sink/a/dropped_green_policer_pkts");
    assert_close("green packets", green as f64, 20.0 * 1e6 / 8.0 / 1028.0, 0.01);
    assert_eq!(green, sum("queue/r->sink/a/dropped_policer_pkts"));
    assert!(!result.columns.iter().any(|column| column.name.starts_with("flow/other/received")));
}

#[test]
fn objects_of_a_page_follow_one_another_and_pages_the_time_they_are_read() {
    // An object of one byte on average is one segment, always: a round trip for its handshake and one for itself.
    let data = json!({"kind": "web", "objects_per_page": 4, "mean_object_bytes": 1, "mean_think_s": 0.5, "pages": 50});
    let result = sending(&data, 100.0);
    let objects = &totals(&result, "tcp").transfers;
    assert_eq!(objects.len(), 200);
    let mut read_s = 0.0;
    for (number, object) in objects.iter().enumerate() {
        assert_close("object", object.completed_s - object.started_s, 2.0 * RTT_S, 0.05);
        let since_s = object.started_s - number.checked_sub(1).map_or(0.0, |before| objects[before].completed_s);
        if number % 4 == 0 { read_s += since_s } else { assert!(since_s < 1e-9, "{since_s}") }
    }
    // 49 exponential times: their mean has a standard deviation of a seventh
    assert_close("thinking", read_s / 49.0, 0.5, 0.43);
    assert_eq!(totals(&result, "tcp").goodput_bytes, 200 * SEGMENT_BYTES);
}

#[test]
fn an_interval_that_ends_ends_a_session() {
    let data = json!({"kind": "web", "objects_per_page": 4, "mean_object_bytes": 1, "mean_think_s": 0.0});
    let result = sending_in(&json!([[0.0, 1.0], [2.0, 2.5]]), &data, 5.0);
    let objects = &totals(&result, "tcp").transfers;
    let within =
        |from: f64, to: f64| objects.iter().filter(|one| one.started_s >= from && one.completed_s <= to).count();
    // 40 ms each, of which only whole ones count
    assert!((23..=25).contains(&within(0.0, 1.0)) && (11..=12).contains(&within(2.0, 2.5)), "{objects:?}");
    assert_eq!(objects.len(), within(0.0, 1.0) + within(2.0, 2.5));
}
