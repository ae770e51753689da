//! What BBR version 3 promises (draft-ietf-ccwg-bbr), over networks of 100 Mb/s with a round trip of 20 ms: 163 segments
//! make a bandwidth-delay product.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, run_json, totals};
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
    let made = |(number, control): (usize, &&str)| {
        let mut made = flow(&format!("tcp{number}"), number, &json!({"kind": "tcp", "congestion": control}));
        made["intervals_s"] = json!([[number, 1e5]]);
        made
    };
    let flows: Vec<Value> = controls.iter().enumerate().map(made).collect();
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

/// Goodput in Mb/s from a time on.
fn goodput_from(result: &RunResult, name: &str, from_s: f64) -> f64 {
    let bytes = counts(result, &format!("flow/{name}/goodput_bytes"));
    let first = (from_s / INTERVAL_S) as usize;
    bytes[first..].iter().sum::<u64>() as f64 * 8.0 / ((bytes.len() - first) as f64 * INTERVAL_S) / 1e6
}

fn resent(result: &RunResult, name: &str) -> u64 {
    totals(result, name).tcp.as_ref().map_or(0, |tcp| tcp.retransmitted_pkts)
}

#[test]
fn one_flow_fills_the_link_and_loses_nothing_where_two_products_fit() {
    let result = run_json(&scenario(&["bbr3"], 8.0, 9.0));
    assert!(goodput_from(&result, "tcp0", 1.0) > 0.95 * FULL_MBPS, "{}", goodput_from(&result, "tcp0", 1.0));
    assert_eq!(resent(&result, "tcp0"), 0);
}

#[test]
fn the_round_trip_is_probed_every_five_seconds_with_half_a_product_in_flight() {
    let result = run_json(&scenario(&["bbr3"], 8.0, 23.0));
    let windows = counts(&result, "flow/tcp0/cwnd_pkts");
    let half = PRODUCT_PKTS / 2.0;
    let small = windows.iter().enumerate().skip(100).filter(|(_, cwnd)| (**cwnd as f64) < 1.1 * half);
    let mut probes: Vec<(f64, f64)> = Vec::new();
    for (number, &cwnd) in small {
        assert!(cwnd as f64 > 0.9 * half, "{cwnd}, not {half}");
        let at_s = number as f64 * INTERVAL_S;
        match probes.last_mut().filter(|(_, end_s)| at_s - *end_s < 1.0) {
            Some((_, end_s)) => *end_s = at_s,
            None => probes.push((at_s, at_s)),
        }
    }
    assert_eq!(probes.len(), 4, "{probes:?}");
    for pair in probes.windows(2) {
        assert_close("from one probe to the next", pair[1].0 - pair[0].1, 5.0, 0.02);
    }
    for (start_s, end_s) in probes {
        assert!((0.18..0.3).contains(&(end_s - start_s)), "{start_s} to {end_s}");
    }
}

#[test]
fn in_a_small_buffer_it_loses_less_than_version_1_and_leaves_cubic_more() {
    let run = |version: &str| {
        let result = run_json(&scenario(&["cubic", version], 0.3, 30.0));
        let [cubic, bbr] = ["tcp0", "tcp1"].map(|name| goodput_from(&result, name, 5.0));
        (cubic / (cubic + bbr), resent(&result, "tcp1"))
    };
    let ([left_by_1, left_by_3], [resent_by_1, resent_by_3]) = {
        let [one, three] = ["bbr", "bbr3"].map(run);
        ([one.0, three.0], [one.1, three.1])
    };
    assert!(left_by_3 > 1.5 * left_by_1, "{left_by_3}, {left_by_1}");
    assert!(4 * resent_by_3 < resent_by_1, "{resent_by_3}, {resent_by_1}");
}

#[test]
fn two_flows_share_alike() {
    for products in [1.0, 4.0] {
        let result = run_json(&scenario(&["bbr3", "bbr3"], products, 40.0));
        let [one, other] = ["tcp0", "tcp1"].map(|name| goodput_from(&result, name, 12.0));
        assert!((0.6..1.6).contains(&(one / other)), "{products}: {one} and {other}");
        assert!(one + other > 0.93 * FULL_MBPS, "{products}: {one} and {other}");
    }
}

#[test]
fn losses_below_a_fiftieth_do_not_stop_it_and_more_do() {
    let goodput = |probability: f64| {
        let mut scenario = scenario(&["bbr3"], 2.0, 15.0);
        scenario["links"][1]["loss_probability"] = json!(probability);
        goodput_from(&run_json(&scenario), "tcp0", 2.0)
    };
    let [few, many] = [0.005, 0.1].map(goodput);
    assert!(few > 0.8 * FULL_MBPS, "{few}");
    assert!(many < 0.5 * FULL_MBPS, "{many}");
}

#[test]
fn it_needs_hosts_of_linux_6() {
    let mut old = scenario(&["bbr3"], 1.0, 1.0);
    old["tcp"] = json!({});
    let refusal = hntes_sim_scenario::Scenario::from_json(&old.to_string()).map(|_| ()).map_err(|e| e.to_string());
    let refusal = refusal.expect_err("hosts of 2010 have no BBR");
    assert!(refusal.starts_with("flows[0].traffic.congestion: bbr3 needs the hosts of Linux 6"), "{refusal}");
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
        let traffic = json!({"kind": "tcp", "congestion": "bbr3", "data": data});
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
