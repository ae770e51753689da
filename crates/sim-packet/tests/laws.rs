//! Laws that hold for any rate, buffer and seed, each checked against arithmetic.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, goodput_mbps, run_json, totals};
use hntes_sim_scenario::results::{DropCause, RunResult, Values};
use serde_json::json;

/// Link time of a full packet on Ethernet, in bytes.
const WIRE: f64 = 1538.0;
const RATES_BPS: [f64; 6] = [1e6, 1e7, 1e8, 1e9, 1e10, 1e11];

/// Time for about 20,000 packets, at most a minute.
fn duration_s(rate_bps: f64) -> f64 {
    (20_000.0 * WIRE * 8.0 / rate_bps).min(60.0)
}

fn udp(rate_bps: f64, share_of_link: f64) -> serde_json::Value {
    json!({"kind": "udp", "rate_bps": share_of_link * rate_bps * 1472.0 / WIRE, "datagram_bytes": 1472})
}

/// When each reply's request was sent, and its round-trip time, in seconds.
fn pings(result: &RunResult, name: &str) -> Vec<(f64, f64)> {
    let numbers = |measure: &str| {
        let name = format!("flow/{name}/{measure}");
        match result.columns.iter().find(|column| column.name == name).map(|column| &column.values) {
            Some(Values::Numbers(values)) => values.clone(),
            _ => panic!("{name} holds no numbers"),
        }
    };
    numbers("sent_at_s").into_iter().zip(numbers("rtt_ms")).map(|(at, rtt)| (at, rtt / 1e3)).collect()
}

#[test]
fn a_buffer_holds_its_limit_and_not_a_packet_more() {
    for rate in RATES_BPS {
        for packets in [2_u32, 10, 1000] {
            let limit = f64::from(packets) * WIRE;
            let dumbbell = Dumbbell {
                access_bps: 10.0 * rate,
                bottleneck_bps: rate,
                bottleneck_delay_us: 0.0,
                buffer_bytes: limit as u64,
                duration_s: duration_s(rate),
                ..Dumbbell::default()
            };
            let mut scenario = dumbbell.scenario(&json!([flow("udp", 0, &udp(rate, 1.5))]));
            scenario["interval_s"] = json!(dumbbell.duration_s);
            let result = run_json(&scenario);
            let peak = counts(&result, "queue/r->sink/peak_bytes")[0] as f64;
            // The packet being sent counts while it is being sent; rates of whole picoseconds cost a byte per packet.
            assert!(peak <= limit && peak > limit - WIRE - f64::from(packets) - 1.0, "{rate}, {packets}: {peak}");
            let udp = totals(&result, "udp");
            let offered = udp.sent_pkts as f64;
            let passed = duration_s(rate) * rate / 8.0 / WIRE + f64::from(packets);
            assert_close(
                &format!("{rate}, {packets}: lost"),
                udp.dropped_pkts[DropCause::Full] as f64,
                offered - passed,
                0.02,
            );
        }
    }
}

#[test]
fn goodput_never_exceeds_what_the_link_leaves() {
    for rate in RATES_BPS {
        let dumbbell = Dumbbell {
            access_bps: rate,
            bottleneck_bps: rate,
            bottleneck_delay_us: 50.0 * WIRE * 8.0 / rate * 1e6,
            buffer_bytes: 200 * 1538,
            duration_s: duration_s(rate),
            ..Dumbbell::default()
        };
        let mut scenario = dumbbell.scenario(&json!([
            flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno"})),
            flow("udp", 1, &udp(rate, 0.4)),
        ]));
        scenario["interval_s"] = json!(dumbbell.duration_s / 50.0);
        let result = run_json(&scenario);
        let used = goodput_mbps(&result, "tcp") * WIRE / 1448.0 + goodput_mbps(&result, "udp") * WIRE / 1472.0;
        assert!(used * 1e6 <= rate, "{rate}: {used} Mb/s");
        for &bytes in counts(&result, "link/r->sink/wire_bytes") {
            let most = rate / 8.0 * dumbbell.duration_s / 50.0 * 1.0001 + WIRE;
            assert!(bytes as f64 <= most, "{rate}: {bytes} bytes in an interval that holds {most}");
        }
    }
}

#[test]
fn losses_follow_their_probability_under_every_seed() {
    let lossy = |seed: u64| {
        let dumbbell = Dumbbell { duration_s: 2.0, ..Dumbbell::default() };
        let mut scenario = dumbbell.scenario(&json!([flow("udp", 0, &udp(1e9, 0.5))]));
        scenario["seed"] = json!(seed);
        scenario["links"][3]["loss_probability"] = json!(0.02);
        let result = run_json(&scenario);
        let udp = totals(&result, "udp");
        (result.summary.trace_hash, udp.sent_pkts as f64, udp.dropped_pkts[DropCause::Link] as f64)
    };
    let runs: Vec<_> = (1..=8).map(lossy).collect();
    for (index, (hash, sent, lost)) in runs.iter().enumerate() {
        // Binomial; eight draws stray beyond 4.5 standard deviations once in 18,000 choices of seeds.
        let sd = (sent * 0.02 * 0.98).sqrt();
        assert!((lost - 0.02 * sent).abs() <= 4.5 * sd, "seed {}: {lost} of {sent}", index + 1);
        assert!(runs[..index].iter().all(|(other, ..)| other != hash), "two seeds, one trace");
    }
    assert_eq!(lossy(3).0, runs[2].0);
}

#[test]
fn time_never_goes_back() {
    let dumbbell = Dumbbell { bottleneck_bps: 1e8, duration_s: 5.0, buffer_bytes: 500_000, ..Dumbbell::default() };
    let result = run_json(&dumbbell.scenario(&json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno"})),
        flow("udp", 1, &udp(1e8, 0.3)),
        flow("ping", 2, &json!({"kind": "ping", "interval_s": 0.001})),
    ])));
    // 84 bytes and framing: once at the access rate, once at the bottleneck's, and back.
    let idle_s = 2.0 * (1115e-6 + 122.0 * 8.0 / 1e9 + 122.0 * 8.0 / 1e8);
    let full_s = idle_s + 500_000.0 * 8.0 / 1e8 + WIRE * 8.0 / 1e8;
    let replies = pings(&result, "ping");
    assert!(replies.len() > 4000, "{}", replies.len());
    for pair in replies.windows(2) {
        assert!(pair[0].0 + pair[0].1 <= pair[1].0 + pair[1].1, "replies come in the order of their requests");
        assert!(pair[1].1 >= idle_s - 1e-9, "no packet outruns the link: {}", pair[1].1);
        assert!(pair[1].1 <= full_s, "no packet waits longer than a full queue: {}", pair[1].1);
    }
}
