//! The dumbbell that was also run in ns-3 (3.37 and 3.44): TCP, 30 % UDP and a ping through one queue of 100 ms.
//! Framing is ns-3's point-to-point header of two bytes; its SYN has no segment-size option, and its receiver
//! acknowledges the first segment at once.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, flow, goodput_mbps, run_json, totals};
use hntes_sim_scenario::results::{DropCause, RunResult};
use serde_json::{Value, json};

fn run(rate: f64, duration_s: f64, tcp: &Value, flows: &Value) -> RunResult {
    // ns-3 counts time in whole nanoseconds: the rate at which a full packet takes as long as there.
    let full_bits = 1502.0 * 8.0;
    let rounded = full_bits / (full_bits / rate * 1e9).round() * 1e9;
    let dumbbell = Dumbbell {
        access_bps: rounded,
        bottleneck_bps: rounded,
        framing_bytes: 2,
        buffer_bytes: (rate / 8.0 * 0.1) as u64,
        duration_s,
        ..Dumbbell::default()
    };
    let mut scenario = dumbbell.scenario(flows);
    scenario["tcp"] = json!({"initial_window_pkts": 10, "quick_acks": 1, "syn_bytes": 56, "min_rto_ms": 200});
    for (name, value) in tcp.as_object().expect("parameters by name") {
        scenario["tcp"][name] = value.clone();
    }
    run_json(&scenario)
}

/// One TCP flow, 30 % UDP (of IP bytes) and a ping every 0.1 s.
fn beside_udp(rate: f64, duration_s: f64, congestion: &str, tcp: &Value) -> RunResult {
    let udp_payload_bps = 0.3 * rate * 1472.0 / 1500.0;
    let flows = json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": congestion})),
        flow("udp", 1, &json!({"kind": "udp", "rate_bps": udp_payload_bps, "datagram_bytes": 1472})),
        flow("ping", 2, &json!({"kind": "ping", "interval_s": 0.1})),
    ]);
    run(rate, duration_s, tcp, &flows)
}

fn ssthresh(bytes: f64) -> Value {
    json!({"initial_ssthresh_pkts": (bytes / 1448.0_f64).min(1e9) as u32})
}

/// Throughput of datagrams in Mb/s of IP bytes.
fn udp_mbps(result: &RunResult) -> f64 {
    let udp = totals(result, "udp").udp.as_ref().expect("UDP");
    udp.received_datagrams as f64 * 12_000.0 / result.summary.duration_s / 1e6
}

fn largest_ping_ms(result: &RunResult) -> f64 {
    totals(result, "ping").ping.as_ref().expect("a ping").max_ms
}

/// Nothing is sent again in vain.
fn assert_resent_what_was_lost(result: &RunResult, flow: &str) {
    let totals = totals(result, flow);
    assert_eq!(totals.tcp.as_ref().expect("TCP").retransmitted_pkts, totals.dropped_pkts[DropCause::Full], "{flow}");
}

/// Send buffers of 1.5 bandwidth-delay products lose nothing: everything is as in ns-3, to the last digit given.
#[test]
fn loss_free_runs_agree_to_the_packet() {
    // Rate, time; in ns-3 packets sent on the bottleneck; Mb/s of TCP and UDP; pings: least, mean, most.
    let rows = [
        (1e9, 3.0, 248_952, ["671.57", "299.62"], ["2.233", "4.822", "4.918"]),
        (1e10, 0.3, 235_074, ["6182.19", "2961.60"], ["2.230", "4.048", "4.958"]),
    ];
    for (rate, duration_s, bottleneck_pkts, mbps, pings_ms) in rows {
        let window = (1.5 * rate / 8.0 * 0.002_23) as u64;
        let tcp = json!({"window_bytes": window, "delayed_ack_ms": 200.0});
        let result = beside_udp(rate, duration_s, "htcp", &tcp);
        let queue = result.summary.queues.iter().find(|queue| queue.name == "r->sink").expect("a queue");
        assert_eq!(queue.dequeued_pkts, bottleneck_pkts, "at {rate} b/s");
        let got = [goodput_mbps(&result, "tcp"), udp_mbps(&result)];
        assert_eq!(got.map(|mbps| format!("{mbps:.2}")), mbps);
        let ping = totals(&result, "ping").ping.as_ref().expect("a ping");
        assert_eq!([ping.min_ms, ping.mean_ms, ping.max_ms].map(|ms| format!("{ms:.3}")), pings_ms);
    }
}

#[test]
fn full_queues_give_the_same_throughput_and_largest_delay() {
    // Rate, time, congestion control, initial threshold; TCP, UDP (IP bytes) in Mb/s and largest ping in ns-3, where
    // the queue became full there. Where it did not, or late, the delay depends on how its windows grow: by
    // acknowledgements and not by segments, as Linux's do.
    let rows = [
        (1e9, 5.0, "htcp", 1e12, 679.7, 291.1, Some(102.236)),
        (1e9, 5.0, "htcp", 6.25e6, 675.7, 296.7, None),
        (1e8, 20.0, "htcp", 1e12, 67.49, 29.76, Some(102.247)),
        (1e8, 20.0, "htcp", 625e3, 67.38, 29.88, Some(102.222)),
        (1e8, 20.0, "reno", 1e12, 67.70, 29.71, Some(102.247)),
        (1e8, 20.0, "reno", 625e3, 67.55, 29.87, None),
    ];
    for (rate, duration_s, congestion, threshold, tcp_mbps, expected_udp_mbps, ping_ms) in rows {
        let result = beside_udp(rate, duration_s, congestion, &ssthresh(threshold));
        let throughput = goodput_mbps(&result, "tcp") + udp_mbps(&result);
        assert_close("throughput", throughput, tcp_mbps + expected_udp_mbps, 0.002);
        if let Some(ping_ms) = ping_ms {
            assert_close("largest ping", largest_ping_ms(&result), ping_ms, 0.0015);
        }
        assert_resent_what_was_lost(&result, "tcp");
    }
}

#[test]
fn two_flows_fill_the_link_together() {
    for (threshold, ping_ms) in [(625e3, 102.232), (1e12, 102.244)] {
        let flows = json!([
            flow("tcp1", 0, &json!({"kind": "tcp", "congestion": "htcp"})),
            flow("tcp2", 1, &json!({"kind": "tcp", "congestion": "htcp"})),
            flow("ping", 2, &json!({"kind": "ping", "interval_s": 1.0})),
        ]);
        let result = run(1e8, 200.0, &ssthresh(threshold), &flows);
        assert_close("throughput", goodput_mbps(&result, "tcp1") + goodput_mbps(&result, "tcp2"), 96.4, 0.0005);
        assert_close("largest ping", largest_ping_ms(&result), ping_ms, 0.0015);
        assert_resent_what_was_lost(&result, "tcp1");
        assert_resent_what_was_lost(&result, "tcp2");
    }
}
