//! Names: one that stands for nothing is refused wherever it is used, by the key that uses it.
#![allow(missing_docs)]

use hntes_sim_scenario::{Direction, Scenario, ScenarioError};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Every place where a scenario may name something: its pointer, its key, and the message about a name that stands for
/// nothing.
const REFERENCES: [(&str, &str, &str); 17] = [
    ("/links/0/from", "links[0].from", "no host or router is called"),
    ("/links/2/to", "links[2].to", "no host or router is called"),
    ("/routes/0/at", "routes[0].at", "no such node is known"),
    ("/routes/0/to", "routes[0].to", "no such node is known"),
    ("/routes/0/via", "routes[0].via", "no such node is known"),
    ("/ports/0/at", "ports[0].at", "no router is called"),
    ("/ports/0/to", "ports[0].to", "no host or router is called"),
    ("/ports/0/default_class", "ports[0].default_class", "no queue of this port serves class"),
    ("/ports/0/classifier/0/class", "ports[0].classifier[0].class", "no queue of this port serves class"),
    ("/ports/0/classifier/0/from", "ports[0].classifier[0].from", "no host or router is called"),
    ("/ports/0/classifier/0/to", "ports[0].classifier[0].to", "no host or router is called"),
    ("/ports/0/classifier/0/flow", "ports[0].classifier[0].flow", "no flow is called"),
    ("/ports/0/conditioners/0/class", "ports[0].conditioners[0].class", "no queue of this port serves class"),
    (
        "/ports/0/conditioners/0/actions/yellow/to_class",
        "ports[0].conditioners[0].actions.yellow.to_class",
        "no queue of this port serves class",
    ),
    ("/ports/0/conditioners/0/aggregate/0/0", "ports[0].conditioners[0].aggregate[0][0]", "no flow is called"),
    ("/flows/0/from", "flows[0].from", "no host is called"),
    ("/flows/0/to", "flows[0].to", "no host is called"),
];

/// What may be left out: a rule without it fits all.
const OPTIONAL: [&str; 3] = ["/ports/0/classifier/0/from", "/ports/0/classifier/0/to", "/ports/0/classifier/0/flow"];

/// A scenario that uses a name in every place where it may.
fn complete() -> Value {
    let host = |name| json!({"name": name, "nic_queue_bytes": 1_000_000});
    let link = |from, to| json!({"from": from, "to": to, "rate_bps": 1e9, "delay_us": 10});
    let queue = |class| json!({"class": class, "rate_share_pct": 50, "buffer_share_pct": 50});
    json!({
        "name": "every reference", "duration_s": 0.1, "seed": 1,
        "hosts": [host("alice"), host("bob")],
        "routers": ["left", "right"],
        "links": [link("alice", "left"), link("left", "right"), link("right", "bob")],
        "routes": [{"at": "left", "to": "bob", "via": "right"}],
        "ports": [{
            "at": "left", "to": "right", "buffer_bytes": 1_000_000,
            "queues": [queue("gold"), queue("lead")],
            "classifier": [{"class": "gold", "from": "alice", "to": "bob", "flow": "transfer"}],
            "default_class": "lead",
            "conditioners": [{"class": "gold", "aggregate": [["transfer"]],
                              "meter": {"kind": "token_bucket", "rate_bps": 1e8, "burst_bytes": 31_000},
                              "actions": {"yellow": {"to_class": "lead"}}}],
        }],
        "tcp": {},
        "flows": [{"name": "transfer", "from": "alice", "to": "bob", "intervals_s": [[0, 1]],
                   "traffic": {"kind": "tcp", "congestion": "htcp"}}],
    })
}

fn refusal(scenario: &Value) -> ScenarioError {
    Scenario::from_json(&scenario.to_string()).expect_err("a scenario that is not sound")
}

/// Take away what a pointer leads to.
fn remove(scenario: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match scenario.pointer_mut(parent).expect("a value") {
        Value::Object(entries) => drop(entries.remove(name)),
        Value::Array(items) => drop(items.remove(name.parse().expect("a number"))),
        other => panic!("{other} has no parts"),
    }
}

proptest! {
    #[test]
    fn a_name_that_stands_for_nothing_is_refused_by_its_key(
        (pointer, key, message) in prop::sample::select(REFERENCES.to_vec()),
        name in "\\PC{0,12}",
    ) {
        let mut scenario = complete();
        prop_assume!(!scenario.to_string().contains(&json!(name).to_string()));
        *scenario.pointer_mut(pointer).expect("a key of the scenario") = json!(name);
        let error = refusal(&scenario);
        prop_assert_eq!(&error.key, key);
        prop_assert!(error.message.starts_with(message), "{}", error.message);
        prop_assert!(error.message.contains(&format!("{name:?}")), "{}", error.message);
    }
}

#[test]
fn a_reference_that_is_left_out_is_missed() {
    for (pointer, key, _) in REFERENCES {
        let mut scenario = complete();
        remove(&mut scenario, pointer);
        if OPTIONAL.contains(&pointer) {
            assert!(Scenario::from_json(&scenario.to_string()).is_ok(), "{pointer}");
            continue;
        }
        let (parent, name) = key.rsplit_once('.').expect("a key with parts");
        let error = refusal(&scenario);
        if name == "to_class" {
            assert_eq!(error.key, parent);
        } else if name.starts_with("aggregate") {
            assert_eq!(error.message, "an aggregate without flows");
        } else {
            assert_eq!((error.key.as_str(), error.message.contains(name)), (parent, true), "{pointer}: {error}");
        }
    }
}

#[test]
fn what_is_taken_away_is_missed_where_it_is_named() {
    for (pointer, key) in [
        ("/hosts/0", "links[0].from"),
        ("/routers/1", "links[1].to"),
        ("/links/1", "ports[0].to"),
        ("/ports/0/queues/0", "ports[0].classifier[0].class"),
        ("/flows/0", "ports[0].classifier[0].flow"),
    ] {
        let mut scenario = complete();
        remove(&mut scenario, pointer);
        assert_eq!(refusal(&scenario).key, key, "{pointer}");
    }
}

#[test]
fn names_lead_to_what_bears_them() {
    let scenario = Scenario::from_json(&complete().to_string()).expect("a sound scenario");
    let flow = &scenario.flows()[0];
    assert_eq!((&*scenario.host(flow.from).name, &*scenario.host(flow.to).name), ("alice", "bob"));
    let names = |direction| flow.path(direction).iter().map(|&link| &*scenario.link(link).name).collect::<Vec<_>>();
    assert_eq!(names(Direction::Forward), ["alice->left", "left->right", "right->bob"]);
    assert_eq!(names(Direction::Reverse), ["bob->right", "right->left", "left->alice"]);
    let port = scenario.port_of(flow.path(Direction::Forward)[1]).expect("a port");
    let queue = |direction| &*port.queue(port.queue_of(flow, direction)).name;
    assert_eq!((queue(Direction::Forward), queue(Direction::Reverse)), ("left->right/gold", "left->right/lead"));
    assert!(scenario.port_of(flow.path(Direction::Reverse)[1]).is_none());
}
