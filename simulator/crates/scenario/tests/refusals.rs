//! Scenarios that are not sound are refused, and the mistake is named by its key.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, flow, port};
use hntes_sim_scenario::Scenario;
use serde_json::{Value, json};

fn base() -> Value {
    let flows = json!([
        flow("tcp", 0, &json!({"kind": "tcp", "congestion": "htcp"})),
        flow("udp", 1, &json!({"kind": "udp", "rate_bps": 3e8, "jitter": 0.2})),
    ]);
    let mut scenario = Dumbbell { duration_s: 0.2, ..Dumbbell::default() }.scenario(&flows);
    let policers =
        json!([{"class": "a", "rate_bps": 1e8, "burst_bytes": 31000, "out_of_profile": "reclass", "to_class": "b"}]);
    let rules = json!([{"class": "a", "protocol": "tcp"}]);
    scenario["ports"] = port(&[("a", 60.0, 60.0, 0), ("b", 40.0, 40.0, 1)], 1_000_000, &rules, &policers);
    scenario
}

fn error_of(scenario: &Value) -> String {
    match Scenario::from_json(&scenario.to_string()) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn mistakes_are_named_by_their_key() {
    assert_eq!(error_of(&base()), "no error");
    let cases = [
        ("/links/0/rate_bps", json!(-1e9), "links[0].rate_bps"),
        ("/links/1/to", json!("nowhere"), "links[1].to"),
        ("/ports/0/queues/0/rate_share_pct", json!(70), "ports[0].queues.rate_share_pct"),
        ("/ports/0/queues/1/buffer_share_pct", json!(99), "ports[0].queues.buffer_share_pct"),
        ("/ports/0/classifier/0/class", json!("gold"), "ports[0].classifier[0].class"),
        ("/ports/0/policers/0/to_class", json!("gold"), "ports[0].policers[0].to_class"),
        ("/ports/0/policers/0/burst_bytes", json!(-3), "ports[0].policers[0].burst_bytes"),
        ("/ports/0/at", json!("sink"), "ports[0].at"),
        ("/ports/0/default_class", json!("gold"), "ports[0].default_class"),
        ("/flows/1/from", json!("nobody"), "flows[1].from"),
        ("/flows/1/name", json!("tcp"), "flows[1].name"),
        ("/flows/1/traffic/rate_bps", json!(0), "flows[1].traffic.rate_bps"),
        ("/flows/0/intervals_s/0", json!([5, 1]), "flows[0].intervals_s[0]"),
        ("/duration_s", json!(-1), "duration_s"),
        ("/hosts/0/nic_queue_bytes", json!("many"), "hosts[0].nic_queue_bytes"),
    ];
    for (pointer, value, key) in cases {
        let mut scenario = base();
        *scenario.pointer_mut(pointer).expect("a key of the scenario") = value;
        let error = error_of(&scenario);
        assert!(error.starts_with(&format!("{key}: ")), "{pointer}: {error}");
    }
    let mut scenario = base();
    scenario["bandwith"] = json!(3);
    assert!(error_of(&scenario).contains("bandwith"), "{}", error_of(&scenario));
}

#[test]
fn routes_that_form_a_loop_are_refused() {
    let mut scenario = base();
    scenario["routers"] = json!(["r", "q"]);
    scenario["links"]
        .as_array_mut()
        .expect("links")
        .push(json!({"from": "r", "to": "q", "rate_bps": 1e9, "delay_us": 1}));
    scenario["routes"] = json!([{"at": "r", "to": "sink", "via": "q"}, {"at": "q", "to": "sink", "via": "r"}]);
    let error = error_of(&scenario);
    assert!(error.starts_with("routes[0].via: ") && error.contains("loop"), "{error}");
    scenario["routes"] = json!([{"at": "r", "to": "sink", "via": "s0"}]);
    assert!(error_of(&scenario).contains("no route"), "{}", error_of(&scenario));
}
