//! What links carry packets in decides on throughput, queues and delays, each checked against arithmetic.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, goodput_mbps, run_json};
use hntes_sim_scenario::results::{RunResult, Values};
use serde_json::{Value, json};

/// What OC-3 leaves for cells.
const CELLS_BPS: f64 = 149.76e6;
const BUFFER_BYTES: u64 = 53 * 640;
const INTERVAL_S: f64 = 0.02;
const ATM: &str = r#"{"kind": "atm"}"#;

/// The dumbbell with a bottleneck of cells behind access links that frame nothing.
fn over_cells(framing: &str, flows: &Value) -> Value {
    let dumbbell = Dumbbell {
        bottleneck_bps: CELLS_BPS,
        bottleneck_delay_us: 100.0,
        framing_bytes: 0,
        buffer_bytes: BUFFER_BYTES,
        duration_s: 0.2,
        ..Dumbbell::default()
    };
    let mut scenario = dumbbell.scenario(flows);
    let bottleneck = scenario["links"].as_array().expect("links").len() - 1;
    let link = scenario["links"][bottleneck].as_object_mut().expect("a link");
    link.remove("framing_bytes");
    link.insert("framing".to_owned(), serde_json::from_str(framing).expect("JSON"));
    scenario["interval_s"] = json!(INTERVAL_S);
    scenario
}

fn udp(datagram_bytes: u32, rate_bps: f64) -> Value {
    json!({"kind": "udp", "rate_bps": rate_bps, "datagram_bytes": datagram_bytes})
}

/// Goodput of UDP on a link that `offered_mbps` overload.
fn full_mbps(framing: &str, datagram_bytes: u32, offered_mbps: f64) -> f64 {
    let flows = json!([flow("udp", 0, &udp(datagram_bytes, offered_mbps * 1e6))]);
    goodput_mbps(&run_json(&over_cells(framing, &flows)), "udp")
}

fn only_rtt_ms(result: &RunResult) -> f64 {
    let column = result.columns.iter().find(|column| column.name == "flow/ping/rtt_ms").expect("pings");
    match &column.values {
        Values::Numbers(values) => values[0],
        Values::Counts(_) => panic!("a round-trip time is no count"),
    }
}

#[test]
fn a_full_link_of_cells_carries_whole_cells() {
    // IP and UDP add 28 bytes, LLC and SNAP 8, AAL5 8; 1472 bytes take 32 cells, 436 ten, and one more takes eleven.
    for (datagram_bytes, cells) in [(1472, 32), (436, 10), (437, 11), (4, 1), (5, 2)] {
        let carried = f64::from(datagram_bytes) / f64::from(53 * cells) * CELLS_BPS / 1e6;
        assert_close(&format!("{datagram_bytes} bytes"), full_mbps(ATM, datagram_bytes, 1.5 * carried), carried, 0.005);
    }
}

#[test]
fn a_circuit_of_ip_alone_saves_the_cell_that_llc_and_snap_take() {
    let alone = full_mbps(r#"{"kind": "atm", "encapsulation_bytes": 0}"#, 12, 50.0);
    assert_close("12 bytes of payload in one cell instead of two", alone, 2.0 * full_mbps(ATM, 12, 50.0), 0.005);
}

#[test]
fn frames_of_ethernet_carry_46_bytes_at_least() {
    // 28 bytes of headers and 4 of payload take the room of 84.
    for (datagram_bytes, frame_bytes) in [(4, 84.0), (1472, 1538.0)] {
        let carried = f64::from(datagram_bytes) / frame_bytes * CELLS_BPS / 1e6;
        let got = full_mbps(r#"{"kind": "ethernet"}"#, datagram_bytes, 1.5 * carried);
        assert_close(&format!("{datagram_bytes} bytes"), got, carried, 0.005);
    }
}

#[test]
fn queues_and_ports_count_cells() {
    let flows = json!([flow("udp", 0, &udp(437, 3.0 * CELLS_BPS))]);
    let link = run_json(&over_cells(ATM, &flows));
    let mut with_port = over_cells(ATM, &flows);
    with_port["ports"] = common::port(&[("all", 100.0, 100.0, 0)], BUFFER_BYTES, &json!([]), &json!([]));
    let port = run_json(&with_port);
    // A link counts what is left of the packet being sent, a port whole packets of eleven cells that wait.
    let (packet, peak) = (11 * 53, counts(&link, "queue/r->sink/peak_bytes")[5]);
    assert!(peak <= BUFFER_BYTES && peak > BUFFER_BYTES - packet, "{peak}");
    assert_eq!(counts(&port, "queue/r->sink/all/peak_bytes")[5], BUFFER_BYTES / packet * packet);
    for result in [&link, &port] {
        let wire_bytes = counts(result, "link/r->sink/wire_bytes")[5] as f64;
        assert_close("link time of an interval", wire_bytes, CELLS_BPS / 8.0 * INTERVAL_S, 0.001);
    }
}

#[test]
fn a_ping_takes_its_cells_time_both_ways() {
    let flows = json!([flow("ping", 0, &json!({"kind": "ping", "interval_s": 0.15}))]);
    let result = run_json(&over_cells(ATM, &flows));
    // 84 bytes: as they are at 1 Gb/s, in three cells at the slow link's rate.
    let idle_ms = 2.0 * (0.105 + 84.0 * 8.0 / 1e9 * 1e3 + 3.0 * 53.0 * 8.0 / CELLS_BPS * 1e3);
    assert_close("round trip", only_rtt_ms(&result), idle_ms, 1e-6);
}

#[test]
fn tcp_fills_a_link_of_cells() {
    let flows = json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno"}))]);
    let mut scenario = over_cells(ATM, &flows);
    (scenario["duration_s"], scenario["interval_s"]) = (json!(2.0), json!(0.5));
    let result = run_json(&scenario);
    let wire_bytes = counts(&result, "link/r->sink/wire_bytes")[2] as f64;
    let payload_bytes = counts(&result, "flow/tcp/goodput_bytes")[2] as f64;
    assert_close("payload of 1448 bytes in 32 cells", payload_bytes / wire_bytes, 1448.0 / (32.0 * 53.0), 0.01);
    assert!(wire_bytes > 0.9 * CELLS_BPS / 8.0 * 0.5, "{wire_bytes}");
}
