//! Scenarios for the tests, built in code; the engines' tests use them too.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use serde_json::{Value, json};

/// Senders `s0`, `s1`, ... to a router `r`, and from there over the bottleneck to `sink`.
pub struct Dumbbell {
    pub senders: usize,
    pub access_bps: f64,
    pub bottleneck_bps: f64,
    pub access_delay_us: f64,
    pub bottleneck_delay_us: f64,
    pub framing_bytes: u64,
    pub buffer_bytes: u64,
    pub duration_s: f64,
}

impl Default for Dumbbell {
    fn default() -> Self {
        Self {
            senders: 3,
            access_bps: 1e9,
            bottleneck_bps: 1e9,
            access_delay_us: 5.0,
            bottleneck_delay_us: 1110.0,
            framing_bytes: 38,
            buffer_bytes: 12_500_000,
            duration_s: 1.0,
        }
    }
}

impl Dumbbell {
    /// The scenario, with plain hosts: no interrupt throttling, no stalls, endless host queues.
    pub fn scenario(&self, flows: &Value) -> Value {
        let sender = |n: usize| format!("s{n}");
        let host = |name: String| json!({"name": name, "nic_queue_bytes": 1_000_000_000_000_u64});
        let hosts: Vec<Value> = (0..self.senders).map(sender).chain(["sink".to_owned()]).map(host).collect();
        let link = |from: String, to: &str, rate: f64, delay: f64| {
            json!({"from": from, "to": to, "rate_bps": rate, "delay_us": delay,
                   "framing_bytes": self.framing_bytes, "buffer_bytes": self.buffer_bytes})
        };
        let mut links: Vec<Value> =
            (0..self.senders).map(|n| link(sender(n), "r", self.access_bps, self.access_delay_us)).collect();
        links.push(link("r".to_owned(), "sink", self.bottleneck_bps, self.bottleneck_delay_us));
        json!({"name": "dumbbell", "duration_s": self.duration_s, "seed": 1, "hosts": hosts, "routers": ["r"],
               "links": links, "tcp": {"initial_window_pkts": 10}, "flows": flows})
    }
}

/// A flow from sender `n` that is on all the time.
pub fn flow(name: &str, n: usize, traffic: &Value) -> Value {
    json!({"name": name, "from": format!("s{n}"), "to": "sink", "intervals_s": [[0.0, 1e5]], "traffic": traffic})
}

/// One port with work-conserving queues (class, rate share, buffer share, priority) before the bottleneck.
pub fn port(queues: &[(&str, f64, f64, u8)], buffer_bytes: u64, classifier: &Value, conditioners: &Value) -> Value {
    let queues: Vec<Value> = queues
        .iter()
        .map(|(class, rate, buffer, priority)| {
            json!({"class": class, "rate_share_pct": rate, "buffer_share_pct": buffer, "priority": priority})
        })
        .collect();
    json!([{"at": "r", "to": "sink", "buffer_bytes": buffer_bytes,
            "queues": queues, "classifier": classifier, "default_class": queues[0]["class"], "conditioners": conditioners}])
}
