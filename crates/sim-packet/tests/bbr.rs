//! What BBR promises, over networks of 100 Mb/s with a round trip of 20 ms: 163 segments make a bandwidth-delay product.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, goodput_mbps, run_json, totals};
use hntes_sim_scenario::results::RunResult;
use proptest::prelude::*;
use serde_json::{Value, json};

const RATE_BPS: f64 = 1e8;
const WIRE: f64 = 1538.0;
/// Goodput of a full link in Mb/s.
const FULL_MBPS: f64 = RATE_BPS / 1e6 * 1448.0 / WIRE;
const PRODUCT_PKTS: f64 = RATE_BPS * 0.020 / 8.0 / WIRE;
const INTERVAL_S: f64 = 0.01;

/// Hosts of Linux 6 with flows of these congestion controls, started a second apart, before a buffer of so many
/// bandwidth-delay products.
fn scenario(controls: &[&str], products: f64, duration_s: f64) -> Value {
    let flows: Vec<Value> = controls
        .iter()
        .enumerate()
        .map(|(number, control)| {
            let name = format!("tcp{number}");
            let mut made = flow(&name, number, &json!({"kind": "tcp", "congestion": control}));
            made["intervals_s"] = json!([[number, 1e5]]);
            made
        })
        .collect();
    let dumbbell = Dumbbell {
        senders: controls.len(),
        bottleneck_bps: RATE_BPS,
        bottleneck_delay_us: 9995.0,
        buffer_bytes: (products * PRODUCT_PKTS * WIRE) as u64,
        duration_s,
        ..Dumbbell::default()
    };
    let mut scenario = dumbbell.scenario(&json!(flows));
    scenario["interval_s"] = json!(INTERVAL_S);
    scenario["tcp"] = linux_6();
    scenario
}

fn linux_6() -> Value {
    json!({"profile": "linux-6", "rack": true, "small_queues": true, "slow_start_doubles": true, "shared_timer": true,
           "growth_counts_segments": true, "segmentation_offload": true, "compressed_sacks": true, "rtt_in_us": true,
           "initial_window_pkts": 10, "fack": false, "rate_halving": false, "disorder_burst_pkts": 0,
           "limited_burst_bytes": 0, "window_bytes": 90_000_000})
}

fn windows(result: &RunResult, name: &str) -> Vec<u64> {
    counts(result, &format!("flow/{name}/cwnd_pkts")).to_vec()
}

/// Goodput in Mb/s from a time on.
fn goodput_from(result: &RunResult, name: &str, from_s: f64) -> f64 {
    let bytes = counts(result, &format!("flow/{name}/goodput_bytes"));
    let first = (from_s / INTERVAL_S) as usize;
    bytes[first..].iter().sum::<u64>() as f64 * 8.0 / ((bytes.len() - first) as f64 * INTERVAL_S) / 1e6
}

#[test]
fn one_flow_fills_the_link_with_two_products_in_flight_at_most_and_a_short_queue() {
    let result = run_json(&scenario(&["bbr"], 8.0, 9.0));
    assert!(goodput_from(&result, "tcp0", 1.0) > 0.96 * FULL_MBPS);
    assert_eq!(totals(&result, "tcp0").tcp.as_ref().map(|tcp| tcp.retransmitted_pkts), Some(0));
    let settled = (1.0 / INTERVAL_S) as usize;
    // Two products, three buffers of 8 segments, two segments for probing, and what is acknowledged together.
    let most = windows(&result, "tcp0")[settled..].iter().copied().max().unwrap_or(0) as f64;
    assert!(most <= 2.0 * PRODUCT_PKTS + 26.0 + 10.0, "{most}");
    // Probing ends a round trip after 1.25 products and three buffers are in flight; the next phase takes that away.
    let queue = &counts(&result, "queue/r->sink/peak_bytes")[settled..];
    let peak = queue.iter().copied().max().unwrap_or(0) as f64 / WIRE;
    assert!((0.2 * PRODUCT_PKTS..0.5 * PRODUCT_PKTS).contains(&peak), "{peak}");
    let mean = queue.iter().sum::<u64>() as f64 / queue.len() as f64 / WIRE;
    assert!(mean < 0.25 * PRODUCT_PKTS, "{mean}");
}

#[test]
fn the_round_trip_is_probed_every_ten_seconds_for_a_fifth_of_a_second() {
    let result = run_json(&scenario(&["bbr"], 8.0, 33.0));
    let least = windows(&result, "tcp0").iter().map(|&cwnd| cwnd == 4).collect::<Vec<_>>();
    let mut probes: Vec<(f64, f64)> = Vec::new();
    for (number, _) in least.iter().enumerate().filter(|(_, is_least)| **is_least) {
        let at_s = number as f64 * INTERVAL_S;
        match probes.last_mut().filter(|(_, end_s)| at_s - *end_s < 1.0) {
            Some((_, end_s)) => *end_s = at_s,
            None => probes.push((at_s, at_s)),
        }
    }
    assert_eq!(probes.len(), 3, "{probes:?}");
    for pair in probes.windows(2) {
        assert_close("from one probe to the next", pair[1].0 - pair[0].1, 10.0, 0.02);
    }
    for (start_s, end_s) in probes {
        assert!((0.18..0.3).contains(&(end_s - start_s)), "{start_s} to {end_s}");
    }
}

#[test]
fn two_flows_share_alike() {
    for products in [1.0, 4.0] {
        let result = run_json(&scenario(&["bbr", "bbr"], products, 40.0));
        let [one, other] = ["tcp0", "tcp1"].map(|name| goodput_from(&result, name, 12.0));
        assert!((0.8..1.25).contains(&(one / other)), "{products}: {one} and {other}");
        assert!(one + other > 0.95 * FULL_MBPS, "{products}: {one} and {other}");
    }
}

#[test]
fn in_less_than_a_products_buffer_bbr_takes_most_from_who_heeds_losses() {
    for control in ["cubic", "reno"] {
        let share = |products: f64| {
            let result = run_json(&scenario(&[control, "bbr"], products, 30.0));
            let [other, bbr] = ["tcp0", "tcp1"].map(|name| goodput_from(&result, name, 5.0));
            bbr / (bbr + other)
        };
        let [small, large] = [0.3, 6.0].map(share);
        assert!(small > 0.8, "{control}: {small}");
        assert!(large < 0.6, "{control}: {large}");
    }
}

#[test]
fn losses_that_no_queue_makes_do_not_stop_it() {
    let goodput = |control: &str| {
        let mut scenario = scenario(&[control], 2.0, 10.0);
        scenario["links"][1]["loss_probability"] = json!(0.01);
        goodput_mbps(&run_json(&scenario), "tcp0")
    };
    assert!(goodput("bbr") > 0.85 * FULL_MBPS, "{}", goodput("bbr"));
    assert!(goodput("cubic") < 0.2 * FULL_MBPS, "{}", goodput("cubic"));
}

#[test]
fn a_policer_is_found_and_kept_to() {
    // Its burst makes 100 Mb/s of its 20 for long enough to be believed.
    let mut scenario = scenario(&["bbr"], 8.0, 23.0);
    let meter = json!({"kind": "token_bucket", "rate_bps": 2e7, "burst_bytes": 2_000_000});
    let conditioners = json!([{"class": "x", "meter": meter, "actions": {"red": "drop"}}]);
    scenario["ports"] = common::port(&[("x", 100.0, 100.0, 0)], 2_000_000, &json!([]), &conditioners);
    let result = run_json(&scenario);
    assert!(goodput_from(&result, "tcp0", 2.0) > 0.85 * 20.0 * 1448.0 / 1500.0);
    // For 48 round trips, nearly a second, nothing is lost; then it probes and finds it again.
    let halves = counts(&result, "flow/tcp0/retransmitted_pkts")[300..].chunks(50).map(|half| half.iter().sum::<u64>());
    let calm = halves.clone().filter(|&resent| resent == 0).count();
    assert!(calm >= 10, "{:?}", halves.collect::<Vec<_>>());
}

#[test]
fn segments_leave_no_faster_than_they_are_paced() {
    // The access link is ten times as fast: without pacing a window would leave in a tenth of the time.
    let result = run_json(&scenario(&["bbr"], 8.0, 9.0));
    let settled = (1.0 / INTERVAL_S) as usize;
    let sent = &counts(&result, "link/s0->r/wire_bytes")[settled..];
    // 1.25 times the link's rate, and the part of a buffer of 10 segments that belongs to the interval before.
    let most = sent.iter().copied().max().unwrap_or(0) as f64 / WIRE;
    assert!(most <= 1.25 * RATE_BPS * INTERVAL_S / 8.0 / WIRE + 10.0, "{most}");
    assert!(most >= 1.15 * RATE_BPS * INTERVAL_S / 8.0 / WIRE, "it probes: {most}");
}

#[test]
fn bbr_needs_hosts_of_linux_6() {
    let mut old = scenario(&["bbr"], 1.0, 1.0);
    old["tcp"] = json!({});
    let refusal = hntes_sim_scenario::Scenario::from_json(&old.to_string()).map(|_| ()).map_err(|e| e.to_string());
    let refusal = refusal.expect_err("hosts of 2010 have no BBR");
    assert!(refusal.starts_with("flows[0].traffic.congestion: bbr needs the hosts of Linux 6"), "{refusal}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn books_balance_in_any_network(
        log_rate in 6.0_f64..10.0, delay_us in 0.0_f64..50_000.0, buffer_pkts in 1_u64..500, loss in 0.0_f64..0.1,
        data in prop_oneof![
            Just(json!({"kind": "endless"})),
            Just(json!({"kind": "writes", "bytes": 30_000, "every_ms": 20})),
            Just(json!({"kind": "bursts", "mean_bytes": 200_000, "mean_pause_s": 0.1})),
        ],
        offload in any::<bool>(),
    ) {
        let rate = 10_f64.powf(log_rate);
        let traffic = json!({"kind": "tcp", "congestion": "bbr", "data": data});
        let flows = json!([flow("a", 0, &traffic), flow("b", 1, &json!({"kind": "tcp", "congestion": "cubic"}))]);
        let dumbbell = Dumbbell {
            access_bps: 10.0 * rate, bottleneck_bps: rate, bottleneck_delay_us: delay_us,
            buffer_bytes: buffer_pkts * 1538, duration_s: (4e7 / rate).clamp(0.5, 20.0), ..Dumbbell::default()
        };
        let mut scenario = dumbbell.scenario(&flows);
        scenario["tcp"] = linux_6();
        scenario["tcp"]["segmentation_offload"] = json!(offload);
        scenario["links"][3]["loss_probability"] = json!(loss);
        let result = run_json(&scenario);
        prop_assert!(totals(&result, "a").delivered_pkts > 0);
    }
}
