//! Sizes that would eat the memory or overflow the arithmetic are refused by their key.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, flow, port};
use hntes_sim_scenario::Scenario;
use serde_json::{Value, json};

fn base(duration_s: f64) -> Value {
    let flows = json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": "htcp"})),
        flow("ping", 1, &json!({"kind": "ping", "interval_s": 0.1})),
    ]);
    let mut scenario = Dumbbell { duration_s, ..Dumbbell::default() }.scenario(&flows);
    let meter = json!({"kind": "token_bucket", "rate_bps": 1e8, "burst_bytes": 31000});
    let conditioners = json!([{"class": "a", "meter": meter, "actions": {"red": "drop"}}]);
    scenario["ports"] = port(&[("a", 100.0, 100.0, 0)], 1_000_000, &json!([]), &conditioners);
    scenario
}

fn assert_refused(scenario: &Value, key: &str) {
    let error = Scenario::from_json(&scenario.to_string()).expect_err(key).to_string();
    assert!(error.starts_with(&format!("{key}: ")), "{key}: {error}");
}

#[test]
fn series_have_to_fit_into_memory() {
    let mut scenario = base(30.0);
    scenario["interval_s"] = json!(1e-6);
    assert_refused(&scenario, "interval_s");
    let mut scenario = base(30.0);
    scenario["flows"][1]["traffic"]["interval_s"] = json!(1e-6);
    assert_refused(&scenario, "flows[1].traffic.interval_s");
}

#[test]
fn a_packet_has_to_fit_its_link_and_a_burst_its_rate() {
    let mut scenario = base(1.0);
    scenario["flows"][1]["traffic"]["ip_bytes"] = json!(65_000);
    scenario["links"][2]["rate_bps"] = json!(1e3);
    assert_refused(&scenario, "links[2].rate_bps");
    let mut scenario = base(1.0);
    scenario["flows"][1]["traffic"]["ip_bytes"] = json!(65_000);
    scenario["ports"][0]["conditioners"][0]["meter"]["rate_bps"] = json!(1e3);
    assert_refused(&scenario, "ports[0].conditioners[0].meter.rate_bps");
    let mut scenario = base(1.0);
    scenario["ports"][0]["conditioners"][0]["meter"]["rate_bps"] = json!(1e4);
    scenario["ports"][0]["conditioners"][0]["meter"]["burst_bytes"] = json!(10_000_000_000_u64);
    assert_refused(&scenario, "ports[0].conditioners[0].meter.burst_bytes");
}

#[test]
fn segments_have_numbers_for_what_the_slowest_link_carries() {
    // 4e9 segments of 1500 bytes take 4,800 s at 10 Gb/s
    let run = |access_bps: f64, bottleneck_bps: f64, duration_s: f64| {
        let mut scenario = base(duration_s);
        scenario["interval_s"] = json!(duration_s / 100.0);
        scenario["flows"][1]["traffic"]["interval_s"] = json!(duration_s / 100.0);
        scenario["links"][0]["rate_bps"] = json!(access_bps);
        scenario["links"][3]["rate_bps"] = json!(bottleneck_bps);
        scenario
    };
    assert_refused(&run(1e11, 1e11, 500.0), "duration_s");
    let slower = run(1e11, 1e10, 500.0);
    Scenario::from_json(&slower.to_string()).expect("10 Gb/s are slow enough");
    assert_refused(&run(1e11, 1e10, 5000.0), "duration_s");
}

#[test]
fn links_and_ports_are_described_once() {
    for (list, key) in [("links", "links[4].to"), ("ports", "ports[1].to")] {
        let mut scenario = base(1.0);
        let last = scenario[list].as_array().and_then(|items| items.last()).cloned().expect("an item");
        scenario[list].as_array_mut().expect("a list").push(last);
        assert_refused(&scenario, key);
    }
}

#[test]
fn a_network_has_two_hosts_and_not_thousands() {
    let empty = json!({"name": "", "duration_s": 1, "seed": 1, "hosts": [], "routers": [], "links": [], "tcp": {},
                       "flows": []});
    assert_refused(&empty, "hosts");
    let mut scenario = base(1.0);
    let many = (0..2000).map(|n| json!({"name": format!("h{n}"), "nic_queue_bytes": 1e6 as u64}));
    scenario["hosts"].as_array_mut().expect("a list").extend(many);
    assert_refused(&scenario, "hosts");
}
