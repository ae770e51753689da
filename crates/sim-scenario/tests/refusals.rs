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
    let meter = json!({"kind": "token_bucket", "rate_bps": 1e8, "burst_bytes": 31000});
    let conditioners = json!([{"class": "a", "meter": meter, "actions": {"red": {"to_class": "b"}}}]);
    let rules = json!([{"class": "a", "protocol": "tcp"}]);
    scenario["flows"][0]["traffic"]["data"] =
        json!({"kind": "web", "objects_per_page": 5, "mean_object_bytes": 1e4, "mean_think_s": 1});
    scenario["flows"][0]["one_way_delays"] = json!(false);
    scenario["interval_s"] = json!(0.1);
    scenario["hosts"][1]["delay_emulator"] = json!({"delay_us": 10, "limit_buffers": 5});
    scenario["hosts"][2]["segmentation_offload"] = json!(true);
    scenario["hosts"][2]["receive"] = json!({"kind": "napi", "interrupt_us": 5, "packet_us": 1, "poll_pkts": 64});
    scenario["windows"] = json!([{"name": "all", "from_s": 0, "to_s": 0.2, "flows": ["tcp"], "queues": ["s0->r"]}]);
    scenario["ports"] = port(&[("a", 60.0, 60.0, 0), ("b", 40.0, 40.0, 1)], 1_000_000, &rules, &conditioners);
    scenario["ports"][0]["token_bucket_bytes"] = json!(30_000);
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
        ("/links/1/framing_bytes", json!(20_000), "links[1].framing_bytes"),
        ("/hosts/2/receive/packet_us", json!(-1), "hosts[2].receive.packet_us"),
        ("/hosts/2/receive/poll_pkts", json!(0), "hosts[2].receive.poll_pkts"),
        ("/hosts/2/receive/kind", json!("napy"), "hosts[2].receive.kind"),
        ("/hosts/2/segmentation_offload", json!(1), "hosts[2].segmentation_offload"),
        ("/ports/0/queues/0/rate_share_pct", json!(70), "ports[0].queues.rate_share_pct"),
        ("/ports/0/queues/1/buffer_share_pct", json!(99), "ports[0].queues.buffer_share_pct"),
        ("/ports/0/classifier/0/class", json!("gold"), "ports[0].classifier[0].class"),
        ("/ports/0/conditioners/0/actions/red/to_class", json!("x"), "ports[0].conditioners[0].actions.red.to_class"),
        ("/ports/0/conditioners/0/actions/red", json!("paint"), "ports[0].conditioners[0].actions.red"),
        ("/ports/0/conditioners/0/meter/burst_bytes", json!(-3), "ports[0].conditioners[0].meter.burst_bytes"),
        ("/ports/0/conditioners/0/meter/burst_bytes", json!(0), "ports[0].conditioners[0].meter.burst_bytes"),
        ("/ports/0/conditioners/0/meter/kind", json!("srtcn"), "ports[0].conditioners[0].meter.kind"),
        ("/ports/0/at", json!("sink"), "ports[0].at"),
        ("/ports/0/token_bucket_bytes", json!(0), "ports[0].token_bucket_bytes"),
        ("/ports/0/default_class", json!("gold"), "ports[0].default_class"),
        ("/flows/1/from", json!("nobody"), "flows[1].from"),
        ("/flows/1/name", json!("tcp"), "flows[1].name"),
        ("/flows/1/traffic/rate_bps", json!(0), "flows[1].traffic.rate_bps"),
        ("/flows/0/intervals_s/0", json!([5, 1]), "flows[0].intervals_s[0]"),
        ("/flows/0/one_way_delays", json!(true), "flows[0].one_way_delays"),
        ("/flows/0/traffic/data/objects_per_page", json!(0), "flows[0].traffic.data.objects_per_page"),
        ("/flows/0/traffic/data/mean_think_s", json!(-1), "flows[0].traffic.data.mean_think_s"),
        ("/windows/0/flows", json!(["nobody"]), "windows[0].flows"),
        ("/windows/0/queues", json!(["gold"]), "windows[0].queues"),
        ("/windows/0/from_s", json!(0.15), "windows[0].to_s"),
        ("/windows/0/to_s", json!(0.3), "windows[0].to_s"),
        ("/duration_s", json!(-1), "duration_s"),
        ("/hosts/0/nic_queue_bytes", json!("many"), "hosts[0].nic_queue_bytes"),
        ("/hosts/1/delay_emulator/delay_us", json!(-1), "hosts[1].delay_emulator.delay_us"),
        ("/hosts/1/delay_emulator/limit_buffers", json!(0), "hosts[1].delay_emulator.limit_buffers"),
    ];
    for (pointer, value, key) in cases {
        let mut scenario = base();
        *scenario.pointer_mut(pointer).expect("a key of the scenario") = value;
        let error = error_of(&scenario);
        assert!(error.starts_with(&format!("{key}: ")), "{pointer}: {error}");
    }
    let cases = [
        (json!({"kind": "hdlc"}), "links[1].framing.kind"),
        (json!({"kind": "atm", "encapsulation_bytes": 20_000}), "links[1].framing.encapsulation_bytes"),
    ];
    for (framing, key) in cases {
        let mut scenario = base();
        scenario["links"][1].as_object_mut().expect("a link").remove("framing_bytes");
        scenario["links"][1]["framing"] = framing;
        let error = error_of(&scenario);
        assert!(error.starts_with(&format!("{key}: ")), "{error}");
    }
    let mut scenario = base();
    scenario["links"][1]["framing"] = json!({"kind": "atm"});
    let error = error_of(&scenario);
    assert!(error.starts_with("links[1].framing: a link has either"), "beside framing_bytes: {error}");
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

#[test]
fn ramps_rise() {
    let wred = |ramps: Value| json!({"kind": "wred", "step_pct": 1, "ramps": ramps});
    let key = "ports[0].queues[0].discipline";
    for (ramps, problem) in [
        (json!({}), "no error".to_owned()),
        (
            json!({"yellow": {"from_pct": 50, "to_pct": 100}, "red": {"from_pct": 0, "to_pct": 0.1}}),
            "no error".to_owned(),
        ),
        (
            json!({"red": {"from_pct": 50, "to_pct": 50}}),
            format!("{key}.ramps.red.to_pct: 50 is not above from_pct, 50"),
        ),
        (
            json!({"green": {"from_pct": -1, "to_pct": 50}}),
            format!("{key}.ramps.green.from_pct: -1 is not between 0 and 100"),
        ),
        (
            json!({"green": {"from_pct": 0, "to_pct": 101}}),
            format!("{key}.ramps.green.to_pct: 101 is not between 0 and 100"),
        ),
    ] {
        let mut scenario = base();
        scenario["ports"][0]["queues"][0]["discipline"] = wred(ramps);
        assert_eq!(error_of(&scenario), problem);
    }
}

#[test]
fn meters_and_aggregates_make_sense() {
    let two_rate = |committed: f64, peak: f64| {
        json!({"kind": "trtcm", "committed_rate_bps": committed, "committed_burst_bytes": 10_000, "peak_rate_bps": peak,
               "peak_burst_bytes": 10_000})
    };
    let window =
        |peak: f64| json!({"kind": "tsw3cm", "committed_rate_bps": 2e6, "peak_rate_bps": peak, "window_s": 1.0});
    let cases = [
        ("/ports/0/conditioners/0/meter", two_rate(2e6, 3e6), None),
        ("/ports/0/conditioners/0/meter", two_rate(2e6, 1e6), Some("meter.peak_rate_bps: 1000000 is below")),
        ("/ports/0/conditioners/0/meter", window(2e6), None),
        ("/ports/0/conditioners/0/meter", window(1e6), Some("meter.peak_rate_bps: 1000000 is below")),
        (
            "/ports/0/conditioners/0/meter",
            json!({"kind": "tsw2cm", "committed_rate_bps": 2e6, "window_s": 0.0}),
            Some("meter.window_s: 0 is not between"),
        ),
        (
            "/ports/0/conditioners/0/meter",
            json!({"kind": "rtt_rto_aware", "committed_rate_bps": 2e6, "window_s": 1.0, "rto_exponent": 0}),
            Some("meter.rto_exponent: 0 is not between"),
        ),
        ("/ports/0/conditioners/0/aggregate", json!("flow"), None),
        ("/ports/0/conditioners/0/aggregate", json!([["tcp", "udp"]]), None),
        ("/ports/0/conditioners/0/aggregate", json!([["tcp"], ["nobody"]]), Some("aggregate[1][0]: no flow is called")),
        (
            "/ports/0/conditioners/0/aggregate",
            json!([["tcp", "udp"], ["udp"]]),
            Some("aggregate: a flow belongs to two"),
        ),
        ("/ports/0/conditioners/0/aggregate", json!([[]]), Some("aggregate[0]: an aggregate without flows")),
        ("/ports/0/conditioners/0/aggregate", json!("host"), Some("aggregate: \"class\", \"flow\" or lists of flows")),
    ];
    for (pointer, value, refusal) in cases {
        let mut scenario = base();
        scenario["ports"][0]["conditioners"][0]["aggregate"] = json!("class");
        *scenario.pointer_mut(pointer).expect("a key of the scenario") = value;
        let wanted = refusal.map_or("no error".to_owned(), |words| format!("ports[0].conditioners[0].{words}"));
        let error = error_of(&scenario);
        assert!(error.starts_with(&wanted), "{wanted}: {error}");
    }
}

#[test]
fn what_only_senders_without_selective_acknowledgements_have_is_refused_for_others() {
    for key in ["times_one_segment", "partial_acks_restart_timer"] {
        for (recovery, wanted) in [("newreno", "no error"), ("sack", &*format!("tcp.{key}: only senders"))] {
            let mut scenario = base();
            scenario["tcp"] = json!({"loss_recovery": recovery, "min_timeout_ms": 1000});
            scenario["tcp"][key] = json!(true);
            let error = error_of(&scenario);
            assert!(error.starts_with(wanted), "{wanted}: {error}");
        }
    }
}

#[test]
fn guarantees_and_markers_make_sense() {
    let promised = json!({"delay_ms": 10, "loss_ratio": 2});
    let cases = [
        (json!({"kind": "class_guarantees"}), None, "no error"),
        (json!({"kind": "class_guarantees"}), Some((0, &promised)), "no error"),
        (json!({"kind": "class_guarantees", "credits_at_arrivals": true}), None, "no error"),
        (json!({"kind": "round_robin"}), Some((0, &promised)), "ports[0].queues[0].guarantees: only the"),
        (json!({"kind": "class_guarantees"}), Some((1, &promised)), "ports[0].queues[1].guarantees: a ratio"),
        (
            json!({"kind": "class_guarantees", "marking": {"kind": "drop_tail"}}),
            None,
            "ports[0].scheduler.marking: is no marking",
        ),
        (
            json!({"kind": "class_guarantees", "marking": {"kind": "reference_marking", "rounds": {"round_trip_memory": 2}}}),
            None,
            "ports[0].scheduler.marking.rounds.round_trip_memory: 2 is not between",
        ),
    ];
    for (scheduler, guarantees, wanted) in cases {
        let mut scenario = base();
        scenario["ports"][0]["scheduler"] = scheduler;
        if let Some((queue, guarantees)) = guarantees {
            scenario["ports"][0]["queues"][queue]["guarantees"] = guarantees.clone();
        }
        let error = error_of(&scenario);
        assert!(error.starts_with(wanted), "{wanted}: {error}");
    }
}

#[test]
fn profiles_are_checked_as_tcp_is() {
    let cases = [
        (json!({"old": {"loss_recovery": "newreno", "min_rto_ms": 1000}}), json!("old"), "no error"),
        (json!({"old": {}}), json!("new"), "flows[0].traffic.profile: no profile is called \"new\""),
        (json!({"old": {"min_rto_ms": 0}}), json!("old"), "profiles.old.min_rto_ms: 0 is not between"),
        (json!({"old": {"min_rto": 1}}), json!("old"), "profiles.old.min_rto: unknown field"),
        (
            json!({"old": {"rack": true, "rate_halving": false, "fack": false, "loss_recovery": "reno"}}),
            json!("old"),
            "profiles.old.loss_recovery: tcp.rack needs selective",
        ),
        (
            json!({"old": {"offered_window_closes": true, "offered_window_grows": true}}),
            json!("old"),
            "profiles.old.offered_window_closes: one kernel's receiver",
        ),
        (json!({"old": {"loss_recovery": "tahoe"}}), json!("old"), "profiles.old.loss_recovery: unknown variant"),
    ];
    for (profiles, chosen, wanted) in cases {
        let mut scenario = base();
        scenario["profiles"] = profiles;
        scenario["flows"][0]["traffic"]["profile"] = chosen;
        let error = error_of(&scenario);
        assert!(error.starts_with(wanted), "{wanted}: {error}");
    }
    let mut scenario = base();
    scenario["profiles"] = json!({"old": {}});
    scenario["flows"][1]["traffic"]["profile"] = json!("old");
    assert!(error_of(&scenario).starts_with("flows[1].traffic"), "{}", error_of(&scenario));
}

#[test]
fn changes_are_checked_as_the_network_is() {
    let link = json!({"kind": "link_rate", "at_s": 0.1, "from": "r", "to": "sink", "rate_bps": 5e8});
    let share = json!({"kind": "rate_share", "at_s": 0.1, "at": "r", "to": "sink", "class": "a", "rate_share_pct": 10});
    let meter = json!({"kind": "meter_rate", "at_s": 0.1, "at": "r", "to": "sink", "class": "a", "rate_bps": 5e7});
    let with = |change: &Value, key: &str, value: Value| {
        let mut scenario = base();
        let mut change = change.clone();
        change[key] = value;
        scenario["changes"] = json!([share, change]);
        error_of(&scenario)
    };
    assert_eq!(with(&link, "rate_bps", json!(2e9)), "no error");
    let cases = [
        (&link, "at_s", json!(0.05), "changes[1].at_s: 0.05 is not between 0.1 and 0.2"),
        (&link, "at_s", json!(0.3), "changes[1].at_s"),
        (&link, "kind", json!("links"), "changes[1].kind"),
        (&link, "to", json!("nowhere"), "changes[1].to: no link joins"),
        (&link, "rate_bps", json!(0), "changes[1]: from then on links[3].rate_bps"),
        (&link, "burst_bytes", json!(0), "changes[1]"),
        (&share, "to", json!("s0"), "changes[1].to: no port leads from"),
        (&share, "class", json!("gold"), "changes[1].class: no queue of this port"),
        (&share, "rate_share_pct", json!(70), "changes[1]: from then on ports[0].queues.rate_share_pct"),
        (&meter, "class", json!("b"), "changes[1].class: no conditioner"),
        (&meter, "peak_rate_bps", json!(1e9), "changes[1].peak_rate_bps: the meter of this class has no such rate"),
        (&meter, "rate_bps", Value::Null, "changes[1]: give the rate"),
        (&meter, "rate_bps", json!(-1), "changes[1]: from then on ports[0].conditioners[0].meter.rate_bps"),
    ];
    for (change, key, value, message) in cases {
        let told = with(change, key, value.clone());
        assert!(told.starts_with(message), "{key} = {value}: {told}");
    }
}

#[test]
fn what_is_made_for_one_rate_of_its_link_keeps_it() {
    let mut scenario = base();
    scenario["changes"] = json!([{"kind": "link_rate", "at_s": 0.1, "from": "r", "to": "sink", "rate_bps": 5e8}]);
    let red = json!({"kind": "red", "average_weight": 0.002, "min_pkts": 5, "max_pkts": 15, "max_probability": 0.1});
    scenario["ports"][0]["queues"][1]["discipline"] = red;
    assert!(error_of(&scenario).starts_with("changes[0]: from then on ports[0].queues[1].discipline"));
    scenario["changes"][0]["from"] = json!("s0");
    scenario["changes"][0]["to"] = json!("r");
    assert_eq!(error_of(&scenario), "no error");
    scenario["tcp"]["small_queues"] = json!(true);
    assert!(error_of(&scenario).starts_with("changes[0]: from then on links[0].rate_bps: with tcp.small_queues"));
}
