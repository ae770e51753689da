//! Runs against numbers that are known without a simulator: closed forms and arithmetic.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, goodput_mbps, port, run_json, totals};
use hntes_sim_scenario::results::DropCause;
use serde_json::json;

#[test]
fn md1_delay() {
    let dumbbell = Dumbbell { bottleneck_bps: 1e8, duration_s: 300.0, senders: 2, ..Dumbbell::default() };
    let load = 0.8 * 1e8 * 1472.0 / 1538.0;
    let result = run_json(&dumbbell.scenario(&json!([
        flow("udp", 0, &json!({"kind": "udp", "rate_bps": load, "datagram_bytes": 1472, "poisson": true})),
        flow("ping", 1, &json!({"kind": "ping", "interval_s": 0.01})),
    ])));
    let ping = totals(&result, "ping").ping.as_ref().expect("a ping");
    let service_ms = 1538.0 * 8.0 / 1e8 * 1e3;
    let expected_ms = 0.8 * service_ms / (2.0 * (1.0 - 0.8));
    assert_close("mean wait", ping.mean_ms - ping.min_ms, expected_ms, 0.06);
}

#[test]
fn a_policer_passes_its_rate_and_burst_and_no_more() {
    let dumbbell = Dumbbell { duration_s: 2.0, ..Dumbbell::default() };
    let mut scenario =
        dumbbell.scenario(&json!([flow("udp", 0, &json!({"kind": "udp", "rate_bps": 5e8, "datagram_bytes": 1472})),]));
    let meter = json!({"kind": "token_bucket", "rate_bps": 1e8, "burst_bytes": 31000});
    let conditioners = json!([{"class": "all", "meter": meter, "actions": {"red": "drop"}}]);
    scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], 1_000_000, &json!([]), &conditioners);
    let result = run_json(&scenario);
    let passed_ip_bytes = totals(&result, "udp").delivered_pkts as f64 * 1500.0;
    let most = 1e8 / 8.0 * 2.0 + 31_000.0;
    assert!(passed_ip_bytes <= most, "{passed_ip_bytes} above {most}");
    assert_close("policed rate", passed_ip_bytes, most, 0.005);
    assert!(totals(&result, "udp").dropped_pkts[DropCause::Policer] > 0);
}

#[test]
fn queues_share_max_min_fairly_and_leave_nothing_unused() {
    let dumbbell = Dumbbell { duration_s: 2.0, ..Dumbbell::default() };
    let udp = |rate: f64| json!({"kind": "udp", "rate_bps": rate * 1472.0 / 1538.0, "datagram_bytes": 1472});
    let mut scenario =
        dumbbell.scenario(&json!([flow("a", 0, &udp(1e8)), flow("b", 1, &udp(9e8)), flow("c", 2, &udp(9e8))]));
    let rules = json!([{"class": "a", "flow": "a"}, {"class": "b", "flow": "b"}, {"class": "c", "flow": "c"}]);
    let queues = [("a", 25.0, 10.0, 0), ("b", 25.0, 10.0, 0), ("c", 50.0, 10.0, 0)];
    scenario["ports"] = port(&queues, 1_000_000, &rules, &json!([]));
    let result = run_json(&scenario);
    for (name, share) in [("a", 100.0), ("b", 300.0), ("c", 600.0)] {
        assert_close(name, goodput_mbps(&result, name), share * 1472.0 / 1538.0, 0.01);
    }
}

#[test]
fn reno_follows_the_square_root_law() {
    // Rate = segment / RTT * sqrt(3 / (2 b p)) with b = 2 segments an acknowledgement (Mathis and others 1997).
    for (recovery, p) in [("sack", 0.0004_f64), ("sack", 0.001), ("sack", 0.002), ("newreno", 0.001), ("reno", 0.0004)]
    {
        let dumbbell =
            Dumbbell { bottleneck_bps: 1e10, bottleneck_delay_us: 10_000.0, duration_s: 400.0, ..Dumbbell::default() };
        let mut scenario = dumbbell.scenario(&json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno"}))]));
        scenario["tcp"] = json!({"quick_acks": 0, "initial_ssthresh_pkts": 20, "loss_recovery": recovery});
        scenario["links"][3]["from"] = json!("r");
        scenario["links"][3]["loss_probability"] = json!(p);
        let result = run_json(&scenario);
        let window = (3.0 / (2.0 * 2.0 * p)).sqrt();
        let expected = window * 1448.0 * 8.0 / 0.020_01 / 1e6;
        assert_close(&format!("{recovery}, p = {p}"), goodput_mbps(&result, "tcp"), expected, 0.15);
    }
}

#[test]
fn htcp_epochs_have_their_length() {
    // F(T) = W^2 (1 - beta^2) / (4 C (1 - beta) s), F(T) = T + 5 (T - 1)^2 + (T - 1)^3 / 12, s = 0.1, beta = 0.5.
    let dumbbell = Dumbbell { access_bps: 1e10, duration_s: 150.0, ..Dumbbell::default() };
    let mut scenario = dumbbell.scenario(&json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "htcp"}))]));
    scenario["tcp"] = json!({"initial_ssthresh_pkts": 4000});
    scenario["interval_s"] = json!(0.1);
    let result = run_json(&scenario);
    let losses = counts(&result, "flow/tcp/dropped_pkts");
    let episodes: Vec<f64> =
        (1..losses.len()).filter(|&n| losses[n] > 0 && losses[n - 1] == 0).map(|n| n as f64 * 0.1).collect();
    assert!(episodes.len() >= 4, "{episodes:?}");
    let capacity_pps = 1e9 / 8.0 / 1538.0;
    let most = capacity_pps * 0.002_23 + 12_500_000.0 / 1538.0;
    let wanted = most * most * 0.75 / (4.0 * capacity_pps * 0.5 * 0.1);
    let f = |t: f64| t + 5.0 * (t - 1.0).powi(2) + (t - 1.0).powi(3) / 12.0;
    let expected = (1..10_000).map(|n| f64::from(n) * 0.01).find(|&t| f(t) >= wanted).expect("an epoch");
    for pair in episodes[1..].windows(2) {
        assert_close("epoch", pair[1] - pair[0], expected, 0.10);
    }
}

#[test]
fn a_full_link_gives_full_goodput_at_any_rate() {
    for (rate, duration_s) in [(1e6, 60.0), (1e8, 5.0), (1e9, 2.0), (1e10, 1.0), (1e11, 0.5)] {
        let buffer_bytes = (rate / 8.0 * 0.05) as u64;
        let dumbbell = Dumbbell {
            access_bps: rate,
            bottleneck_bps: rate,
            bottleneck_delay_us: 500.0,
            buffer_bytes: buffer_bytes.max(20_000),
            duration_s,
            ..Dumbbell::default()
        };
        let mut scenario = dumbbell.scenario(&json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "htcp"}))]));
        scenario["tcp"] = json!({"window_bytes": (rate / 8.0 * 0.02).max(30_000.0) as u64});
        let most = rate * 1448.0 / 1538.0 / 1e6;
        let got = goodput_mbps(&run_json(&scenario), "tcp");
        assert!(got <= most, "{rate}: {got} above {most}");
        assert!(got >= 0.90 * most, "{rate}: {got} far below {most}");
    }
}

#[test]
fn an_idle_path_has_its_round_trip_time() {
    let result =
        run_json(&Dumbbell::default().scenario(&json!([flow("ping", 0, &json!({"kind": "ping", "interval_s": 0.1}))])));
    let ping = totals(&result, "ping").ping.as_ref().expect("a ping");
    let expected_ms = 2.0 * (5.0 + 1110.0 + 2.0 * 122.0 * 8.0 / 1e3) / 1e3;
    assert!((ping.min_ms - expected_ms).abs() < 1e-6, "{}", ping.min_ms);
    assert_eq!((ping.received, ping.min_ms.to_bits()), (10, ping.max_ms.to_bits()));
}

/// Red bytes as a share of all, of two flows whose windows and nothing else hold them back: 10 segments in round trips of
/// 20 and 40 ms, 6 and 3 Mb/s. 1 Mb/s is committed to each.
fn red_shares(meter: &serde_json::Value) -> [f64; 2] {
    let dumbbell = Dumbbell { bottleneck_delay_us: 0.0, duration_s: 100.0, ..Dumbbell::default() };
    let tcp = json!({"kind": "tcp", "congestion": "reno", "window_bytes": 14480});
    let mut scenario = dumbbell.scenario(&json!([flow("near", 0, &tcp), flow("far", 1, &tcp)]));
    scenario["links"][0]["delay_us"] = json!(10_000);
    scenario["links"][1]["delay_us"] = json!(20_000);
    scenario["tcp"] = json!({"quick_acks": u32::MAX, "stamp_step_us": 1});
    let conditioners = json!([{"class": "all", "aggregate": "flow", "meter": meter}]);
    scenario["ports"] = port(&[("all", 100.0, 100.0, 0)], 1_000_000, &json!([]), &conditioners);
    let result = run_json(&scenario);
    ["near", "far"].map(|name| {
        let bytes = totals(&result, name).received_ip_bytes.expect("a port meters packets");
        bytes.red as f64 / (bytes.green + bytes.yellow + bytes.red) as f64
    })
}

#[test]
fn meters_at_the_edge_know_what_senders_know() {
    let by_rtt = |small_window_pkts: u32| {
        json!({"kind": "rtt_aware", "committed_rate_bps": 1e6, "peak_rate_bps": 1e6, "window_s": 1,
               "small_window_pkts": small_window_pkts})
    };
    let (excess_near, excess_far) = (5.0 / 6.0, 2.0 / 3.0);
    let [near, far] = red_shares(&by_rtt(0));
    assert_close("near, by round trips", near, excess_near, 0.02);
    assert_close("far, by round trips", far, excess_far / 4.0, 0.04);
    // Linux's timeout: the round trip and 200 ms.
    let [near, far] = red_shares(&json!({"kind": "rtt_rto_aware", "committed_rate_bps": 1e6, "window_s": 1}));
    assert_close("near, by its own timeout", near, excess_near * 20.0 / 220.0, 0.05);
    assert_close("far, by timeouts", far, excess_far / 4.0 * 220.0 / 240.0, 0.05);
    assert_eq!(red_shares(&by_rtt(1000)).map(f64::to_bits), [0.0_f64; 2].map(f64::to_bits));
}
