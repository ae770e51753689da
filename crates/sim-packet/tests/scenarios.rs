//! Scenarios: runs can be repeated, and no random scenario breaks a rule.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, counts, flow, port, run_json, totals};
use hntes_sim_packet::{assemble, summarise};
use hntes_sim_scenario::Scenario;
use proptest::prelude::*;
use serde_json::{Value, json};

fn base() -> Value {
    let flows = json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": "htcp"})),
        flow("udp", 1, &json!({"kind": "udp", "rate_bps": 3e8, "jitter": 0.2})),
    ]);
    let mut scenario = Dumbbell { duration_s: 0.2, ..Dumbbell::default() }.scenario(&flows);
    let meter = json!({"kind": "token_bucket", "rate_bps": 1e8, "burst_bytes": 31000});
    let conditioners = json!([{"class": "a", "meter": meter, "actions": {"red": {"to_class": "b"}}}]);
    let rules = json!([{"class": "a", "protocol": "tcp"}]);
    scenario["ports"] = port(&[("a", 60.0, 60.0, 0), ("b", 40.0, 40.0, 1)], 1_000_000, &rules, &conditioners);
    scenario
}

#[test]
fn the_seed_and_nothing_else_fixes_a_run() {
    let hash = |seed: u64| {
        let mut scenario = base();
        scenario["seed"] = json!(seed);
        run_json(&scenario).summary.trace_hash
    };
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}

#[test]
fn running_in_pieces_changes_nothing() {
    let scenario = Scenario::from_json(&base().to_string()).expect("a sound scenario");
    let mut pieces = assemble(&scenario);
    for n in 1..=2000 {
        pieces.run_until(hntes_sim_scenario::time::Time::from_us(100 * n));
    }
    let whole = run_json(&base()).summary;
    assert_eq!(summarise(&pieces).summary.trace_hash, whole.trace_hash);
}

#[test]
fn a_profile_is_tcp_with_other_values() {
    let plain = |tcp: &Value| {
        let mut scenario = base();
        scenario["tcp"] = tcp.clone();
        scenario
    };
    let mut profiled = plain(&json!({"initial_window_pkts": 10}));
    profiled["profiles"] = json!({"small": {"initial_window_pkts": 2, "window_bytes": 20_000},
                                  "newreno": {"loss_recovery": "newreno"}});
    let hash = |scenario: &Value| run_json(scenario).summary.trace_hash;
    assert_eq!(hash(&profiled), hash(&plain(&json!({"initial_window_pkts": 10}))));
    profiled["flows"][0]["traffic"]["profile"] = json!("small");
    assert_eq!(hash(&profiled), hash(&plain(&json!({"initial_window_pkts": 2, "window_bytes": 20_000}))));
    profiled["flows"][0]["traffic"]["profile"] = json!("newreno");
    let newreno = json!({"initial_window_pkts": 10, "loss_recovery": "newreno"});
    assert_eq!(hash(&profiled), hash(&plain(&newreno)));
    assert_ne!(hash(&profiled), hash(&plain(&json!({"initial_window_pkts": 10}))));
}

fn traffic() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop_oneof![Just("reno"), Just("htcp")].prop_map(|name| json!({"kind": "tcp", "congestion": name})),
        (0.01_f64..1.5, 100_u32..20_000, 0.0_f64..1.0, any::<bool>()).prop_map(|(load, bytes, jitter, poisson)| {
            json!({"kind": "udp", "rate_bps": load, "datagram_bytes": bytes, "jitter": jitter, "poisson": poisson})
        }),
        Just(json!({"kind": "ping", "interval_s": 0.001})),
    ]
}

/// Senders, rates, delays, buffers, queues and conditioners of all kinds.
fn scenario() -> impl Strategy<Value = Value> {
    let network = (6.0_f64..11.0, 0.0_f64..3000.0, 1_u64..500);
    let loss = prop_oneof![Just(0.0), 0.0_f64..0.05];
    let gap_us = prop_oneof![Just(0.0), 1.0_f64..50.0];
    let hosts = (loss, gap_us, 1_u32..50);
    (prop::collection::vec(traffic(), 1..5), network, treatment(), hosts, any::<u32>()).prop_map(
        |(traffics, (rate_exponent, delay_us, buffer_pkts), treat, (loss, gap_us, merge), seed)| {
            let rate = 10_f64.powf(rate_exponent);
            let dumbbell = Dumbbell {
                access_bps: rate,
                bottleneck_bps: rate,
                bottleneck_delay_us: delay_us,
                buffer_bytes: buffer_pkts * 1538,
                duration_s: (20_000.0 * 12_000.0 / rate).min(5.0),
                ..Dumbbell::default()
            };
            let mut scenario = dumbbell.scenario(&flows(&traffics, rate));
            scenario["ports"] = treat.ports(rate, buffer_pkts * 1538);
            scenario["links"][3]["loss_probability"] = json!(loss);
            scenario["hosts"][3]["interrupt_gap_us"] = json!(gap_us);
            scenario["hosts"][0]["segmentation_offload"] = json!(seed % 2 == 0);
            if seed % 5 < 2 {
                let packet_us = f64::from(seed % 7) * 3000.0 * 8.0 / rate * 1e6 / 14.0;
                let receive = json!({"kind": "napi", "interrupt_us": gap_us, "packet_us": packet_us, "poll_pkts": 20});
                scenario["hosts"][3]["receive"] = receive;
            }
            let recovery = ["sack", "newreno", "reno"][seed as usize % 3];
            scenario["tcp"] = json!({"merge_segments": merge, "loss_recovery": recovery});
            scenario["interval_s"] = json!(dumbbell.duration_s / 20.0);
            scenario["seed"] = json!(seed);
            scenario
        },
    )
}

/// Flows whose UDP loads are shares of `rate`.
fn flows(traffics: &[Value], rate: f64) -> Value {
    let flow_of = |(n, traffic): (usize, &Value)| {
        let mut traffic = traffic.clone();
        if let Some(load) = traffic["rate_bps"].as_f64() {
            traffic["rate_bps"] = json!((load * rate).max(2e3));
        }
        flow(&format!("f{n}"), n % 3, &traffic)
    };
    traffics.iter().enumerate().map(flow_of).collect()
}

/// What a port does: the shares of its two queues, its conditioner, early drop.
#[derive(Clone, Copy, Debug)]
struct Treatment {
    shares: (f64, f64),
    conditioned: usize,
    discipline: usize,
}

fn treatment() -> impl Strategy<Value = Treatment> {
    ((1.0_f64..50.0, 1.0_f64..50.0), 0..8_usize, 0..6_usize).prop_map(|(shares, conditioned, discipline)| Treatment {
        shares,
        conditioned,
        discipline,
    })
}

impl Treatment {
    fn ports(self, rate: f64, buffer_bytes: u64) -> Value {
        let bucket = json!({"kind": "token_bucket", "rate_bps": rate / 10.0, "burst_bytes": 31000});
        let two_rate = json!({"kind": "trtcm", "committed_rate_bps": rate / 10.0, "committed_burst_bytes": 31000,
                              "peak_rate_bps": rate / 5.0, "peak_burst_bytes": 31000});
        let window = json!({"kind": "tsw3cm", "committed_rate_bps": rate / 10.0, "peak_rate_bps": rate / 5.0,
                            "window_s": 0.1});
        let by_round_trip = json!({"kind": "rtt_aware", "committed_rate_bps": rate / 10.0, "peak_rate_bps": rate / 5.0,
                            "window_s": 0.1, "small_window_pkts": 3});
        let by_timeout = json!({"kind": "rtt_rto_aware", "committed_rate_bps": rate / 10.0, "window_s": 0.1});
        let away = json!({"yellow": {"to_class": "b"}, "red": "drop"});
        let conditioners = match self.conditioned {
            0 => json!([]),
            1 => json!([{"class": "a", "meter": bucket, "aggregate": "flow", "actions": {"red": "drop"}}]),
            2 => json!([{"class": "a", "meter": bucket, "actions": {"red": {"to_class": "b"}}}]),
            3 => json!([{"class": "a", "meter": bucket}]),
            4 => json!([{"class": "a", "meter": two_rate, "actions": away}]),
            5 => json!([{"class": "a", "meter": by_round_trip, "actions": away}]),
            6 => json!([{"class": "a", "meter": by_timeout, "aggregate": "flow", "actions": away}]),
            _ => json!([{"class": "a", "meter": window, "aggregate": "flow", "actions": away}]),
        };
        let queues = [("a", self.shares.0, self.shares.1, 0), ("b", self.shares.1, self.shares.0, 1)];
        let mut ports = port(&queues, buffer_bytes, &json!([{"class": "b", "protocol": "udp"}]), &conditioners);
        ports[0]["queues"][0]["discipline"] = self.discipline();
        ports[0]["scheduler"] = match self.conditioned % 3 {
            0 => json!({"kind": "priority_wfq"}),
            1 => json!({"kind": "strict_partition"}),
            _ => json!({"kind": "round_robin"}),
        };
        ports
    }

    fn discipline(self) -> Value {
        let curve = |min: f64, max: f64| json!({"min_pkts": min, "max_pkts": max, "max_probability": 0.1});
        let curves = json!({"green": curve(10.0, 30.0), "yellow": curve(5.0, 15.0), "red": curve(2.0, 6.0)});
        let gred = |averages| json!({"kind": "gred", "average_weight": 0.02, "averages": averages, "curves": curves});
        match self.discipline {
            0 => json!({"kind": "drop_tail"}),
            1 => json!({"kind": "wred", "step_pct": 1.0, "ramps": {"yellow": {"from_pct": 20, "to_pct": 60},
                        "red": {"from_pct": 0, "to_pct": 100}}}),
            2 => json!({"kind": "red", "average_weight": 0.002, "min_pkts": 5, "max_pkts": 15, "max_probability": 0.1,
                        "gentle": true}),
            3 => gred("own"),
            4 => gred("better"),
            _ => json!({"kind": "pi", "a": 0.002, "b": 0.0019, "reference_pkts": 10, "frequency_hz": 160}),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_random_scenario_breaks_a_rule(scenario in scenario()) {
        let (rate, duration_s) = (scenario["links"][3]["rate_bps"].as_f64().unwrap_or_default(),
            scenario["duration_s"].as_f64().unwrap_or_default());
        let result = run_json(&scenario);
        let most = rate * duration_s / 20.0 / 8.0;
        for &sent in counts(&result, "link/r->sink/wire_bytes") {
            prop_assert!(sent as f64 <= most * (1.0 + 1e-6) + 1600.0, "{sent} bytes in an interval that holds {most}");
        }
        let goodput: u64 = result.summary.flows.iter().map(|flow| flow.goodput_bytes).sum();
        prop_assert!(goodput as f64 <= rate * duration_s / 8.0);
        // Where waits are counted, each packet is looked at by itself.
        let mut counted = scenario.clone();
        for queue in counted["ports"][0]["queues"].as_array_mut().into_iter().flatten() {
            queue["delay_bound_ms"] = json!(1.0);
        }
        let again = run_json(&counted);
        prop_assert_eq!(&result.summary.trace_hash, &again.summary.trace_hash);
        prop_assert_eq!(result.summary.events, again.summary.events);
        prop_assert_eq!(&result.columns, &again.columns);
    }
}

#[test]
fn data_waits_for_the_handshake_and_a_late_answer_is_asked_for_again() {
    // Round-trip time 4 s, first timeout 3 s: at 4.5 s two requests, one answer, its answer and ten segments are out.
    let after = |duration_s: f64| {
        let dumbbell = Dumbbell { bottleneck_delay_us: 2e6, access_delay_us: 0.0, duration_s, ..Dumbbell::default() };
        let result =
            run_json(&dumbbell.scenario(&json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno"}))])));
        let totals = totals(&result, "tcp");
        (totals.sent_pkts, totals.goodput_bytes / 1448)
    };
    assert_eq!(after(2.9), (2, 0));
    assert_eq!(after(4.5), (14, 0));
    assert_eq!(after(6.1).1, 10);
}
