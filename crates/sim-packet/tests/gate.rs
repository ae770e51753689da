//! What the gate runs: priority queueing, policers, three-colour markers, WRED and marks by the momentary queue. It has to
//! run in a build without the feature `papers`, too.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, flow, port, run_json};
use serde_json::{Value, json};

fn scenario(conditioner: &Value, discipline: &Value) -> Value {
    let flows = json!([
        flow("alpha", 0, &json!({"kind": "tcp", "congestion": "htcp"})),
        flow("beta", 1, &json!({"kind": "udp", "rate_bps": 3e8})),
        flow("ping", 1, &json!({"kind": "ping", "interval_s": 0.01})),
    ]);
    let mut scenario = Dumbbell { duration_s: 0.3, ..Dumbbell::default() }.scenario(&flows);
    let rules = json!([{"class": "x", "flow": "alpha"}]);
    scenario["ports"] = port(&[("x", 60.0, 60.0, 0), ("y", 40.0, 40.0, 1)], 400_000, &rules, conditioner);
    scenario["ports"][0]["queues"][0]["discipline"] = discipline.clone();
    scenario
}

#[test]
fn the_gates_parts_run_and_their_books_balance() {
    let tokens = json!({"kind": "token_bucket", "rate_bps": 2e8, "burst_bytes": 31000});
    let committed = json!({"committed_rate_bps": 1e8, "committed_burst_bytes": 31000});
    let mut single = committed.clone();
    (single["kind"], single["excess_burst_bytes"]) = (json!("srtcm"), json!(62000));
    let mut double = committed;
    (double["kind"], double["peak_rate_bps"], double["peak_burst_bytes"]) = (json!("trtcm"), json!(2e8), json!(62000));
    let marks = json!({"kind": "red", "average_weight": 1.0, "min_pkts": 20, "max_pkts": 60, "max_probability": 1.0,
                       "ecn": true});
    let wred = json!({"kind": "wred", "step_pct": 1, "ramps": {"yellow": {"from_pct": 0, "to_pct": 100}}});
    for (meter, red) in [(tokens.clone(), json!("drop")), (tokens, json!({"to_class": "y"})), (single, json!("pass"))] {
        for discipline in [json!({"kind": "drop_tail"}), json!({"kind": "wred", "step_pct": 1}), marks.clone()] {
            let conditioner = json!([{"class": "x", "aggregate": "flow", "meter": meter, "actions": {"red": red}}]);
            let summary = run_json(&scenario(&conditioner, &discipline)).summary;
            assert_eq!(summary.imbalances, Vec::<String>::new(), "{meter} {red} {discipline}");
            assert!(summary.flows.iter().all(|flow| flow.delivered_pkts > 0), "{meter} {red} {discipline}");
        }
    }
    let coloured = json!([{"class": "x", "meter": double, "colour_series": true}]);
    let result = run_json(&scenario(&coloured, &wred));
    assert_eq!(result.summary.imbalances, Vec::<String>::new());
    let summary = serde_json::to_value(&result.summary).expect("numbers and names");
    let queues = summary["queues"].as_array().expect("queues");
    let alpha = queues.iter().find(|queue| queue["name"] == "r->sink/x").expect("the queue of alpha");
    assert!(alpha["dropped_pkts"]["early"].as_u64() > Some(0), "{alpha}");
}
