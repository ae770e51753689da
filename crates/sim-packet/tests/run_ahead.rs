//! Senders that leave little in their hosts' queues run ahead of what does not concern them; a run made in short pieces
//! leaves them no time to, and has to be the same.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, flow, run_json};
use hntes_sim_packet::{assemble, summarise};
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::time::Time;
use serde_json::{Value, json};

/// Two flows of Linux 6 from one host, which answers pings as well, and a third beside them; the second may pace.
fn scenario(seed: u64, gap_us: f64, policed: bool) -> Value {
    let tcp = json!({"kind": "tcp", "congestion": "htcp"});
    let second = json!({"kind": "tcp", "congestion": if seed > 5 { "bbr" } else { "htcp" }});
    let flows = json!([
        flow("a", 0, &tcp),
        flow("b", 0, &second),
        flow("c", 1, &tcp),
        flow("udp", 1, &json!({"kind": "udp", "rate_bps": 2e8, "jitter": 0.2})),
        flow("ping", 0, &json!({"kind": "ping", "interval_s": 0.0005})),
    ]);
    let mut scenario = Dumbbell { duration_s: 0.3, ..Dumbbell::default() }.scenario(&flows);
    scenario["seed"] = json!(seed);
    scenario["interval_s"] = json!(0.01);
    scenario["tcp"] = json!({"rack": true, "small_queues": true, "slow_start_doubles": true, "growth_counts_segments": true,
                             "compressed_sacks": true, "merge_segments": 44, "initial_window_pkts": 10, "fack": false,
                             "rate_halving": false, "disorder_burst_pkts": 0, "limited_burst_bytes": 0});
    for host in scenario["hosts"].as_array_mut().expect("hosts") {
        host["interrupt_gap_us"] = json!(gap_us);
        host["segmentation_offload"] = json!(seed % 2 == 0);
    }
    if policed {
        let meter = json!({"kind": "token_bucket", "rate_bps": 3e8, "burst_bytes": 31000});
        let conditioners = json!([{"class": "x", "meter": meter, "actions": {"red": "drop"}}]);
        let rules = json!([{"class": "x", "flow": "a"}]);
        scenario["ports"] = common::port(&[("x", 60.0, 60.0, 0), ("y", 40.0, 40.0, 1)], 400_000, &rules, &conditioners);
    }
    scenario
}

#[test]
fn a_run_in_pieces_of_microseconds_is_the_whole_run() {
    for (seed, gap_us, policed) in [
        (1, 25.0, false),
        (2, 25.0, false),
        (3, 0.0, false),
        (4, 60.0, true),
        (5, 25.0, true),
        (6, 25.0, false),
        (7, 0.0, true),
    ] {
        let text = scenario(seed, gap_us, policed);
        let parsed = Scenario::from_json(&text.to_string()).expect("a sound scenario");
        let mut pieces = assemble(&parsed);
        let mut at = Time::ZERO;
        while at < pieces.end() {
            at += Time::from_us(2);
            pieces.run_until(at);
        }
        let (pieces, whole) = (summarise(&pieces).summary, run_json(&text).summary);
        assert_eq!(pieces.trace_hash, whole.trace_hash, "seed {seed}");
        assert_eq!(pieces.events, whole.events, "seed {seed}");
    }
}
