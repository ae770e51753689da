//! The dumbbell that was also run in ns-3 (3.37 and 3.44): one TCP flow, 30 % UDP and a ping through one queue of 100 ms.
//! Framing is ns-3's point-to-point header of two bytes.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, flow, goodput_mbps, run_json, totals};
use hntes_sim_core::RunResult;
use serde_json::json;

fn dumbbell(rate: f64, duration_s: f64, congestion: &str, tcp: &serde_json::Value) -> RunResult {
    let dumbbell = Dumbbell {
        access_bps: rate,
        bottleneck_bps: rate,
        framing_bytes: 2,
        buffer_bytes: (rate / 8.0 * 0.1) as u64,
        duration_s,
        ..Dumbbell::default()
    };
    let udp_payload_bps = 0.3 * rate * 1472.0 / 1500.0;
    let mut scenario = dumbbell.scenario(&json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": congestion})),
        flow("udp", 1, &json!({"kind": "udp", "rate_bps": udp_payload_bps, "datagram_bytes": 1472})),
        flow("ping", 2, &json!({"kind": "ping", "interval_s": 0.1})),
    ]));
    scenario["tcp"] = tcp.clone();
    run_json(&scenario)
}

#[test]
fn a_bounded_window_loses_nothing_and_holds_its_queue() {
    // 1.5 bandwidth-delay products in the send buffer; ns-3: 671.57 Mb/s, ping 2.233 / 4.822 / 4.918 ms.
    let window = (1.5 * 1e9 / 8.0 * 0.002_23) as u64;
    let tcp = json!({"initial_window_pkts": 10, "window_bytes": window, "quick_acks": 0});
    let result = dumbbell(1e9, 3.0, "htcp", &tcp);
    assert_eq!(totals(&result, "tcp").dropped_pkts["full"], 0);
    assert_close("goodput", goodput_mbps(&result, "tcp"), 671.57, 0.003);
    let ping = totals(&result, "ping").ping.as_ref().expect("a ping");
    assert_close("least ping", ping.min_ms, 2.233, 0.001);
    assert_close("mean ping", ping.mean_ms, 4.822, 0.02);
    assert_close("greatest ping", ping.max_ms, 4.918, 0.02);
    let forward: u64 = result.summary.queues.iter().find(|q| q.name == "r->sink").expect("a queue").enqueued_pkts;
    assert_close("packets at the bottleneck", forward as f64, 248_952.0, 0.003);
}

#[test]
fn a_full_queue_gives_the_same_totals() {
    for (congestion, ssthresh_bytes, goodput, ping_max) in
        [("htcp", 625_000.0, 67.38, 102.222), ("htcp", 1e12, 67.49, 102.247), ("reno", 1e12, 67.70, 102.247)]
    {
        let ssthresh = (ssthresh_bytes / 1448.0_f64).min(1e9) as u32;
        let tcp = json!({"initial_window_pkts": 10, "initial_ssthresh_pkts": ssthresh, "min_rto_ms": 200});
        let result = dumbbell(1e8, 20.0, congestion, &tcp);
        assert_close(congestion, goodput_mbps(&result, "tcp"), goodput, 0.02);
        let ping = totals(&result, "ping").ping.as_ref().expect("a ping");
        assert_close("greatest ping", ping.max_ms, ping_max, 0.01);
        let tcp = totals(&result, "tcp").tcp.as_ref().expect("TCP");
        assert_eq!(
            tcp.retransmitted_pkts,
            totals(&result, "tcp").dropped_pkts["full"],
            "nothing is sent again in vain"
        );
    }
}
