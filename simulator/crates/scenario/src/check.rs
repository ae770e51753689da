//! Checks on a scenario that its types do not make; every message names the key.

use super::limits::{MAX_EVENT_SOURCES, event_sources};
use super::{FlowSpec, HostSpec, LinkSpec, PolicerSpec, PortSpec, Scenario, ScenarioError, TrafficSpec};
use super::{OutOfProfile, Sharing};
use crate::units::Rate;
use std::collections::HashSet;

type Checked = Result<(), ScenarioError>;

/// The longest run: far below what the clock holds, with room for timers set at its end.
const MAX_DURATION_S: f64 = 1e6;

impl Scenario {
    /// Check what the types leave open.
    ///
    /// # Errors
    /// What is wrong, with the key.
    pub fn check(&self) -> Checked {
        within("duration_s", self.duration_s, 1e-9, MAX_DURATION_S)?;
        within("interval_s", self.interval_s, 1e-6, MAX_DURATION_S)?;
        self.check_names()?;
        each("hosts", &self.hosts, check_host)?;
        each("links", &self.links, |key, link| self.check_link(key, link))?;
        each("ports", &self.ports, |key, port| self.check_port(key, port))?;
        each("flows", &self.flows, |key, flow| self.check_flow(key, flow))?;
        self.check_tcp()?;
        self.check_limits()?;
        let sources = event_sources(2 * self.links.len(), self.routers.len(), self.flows.len());
        if sources > MAX_EVENT_SOURCES {
            return Err(ScenarioError::new("flows", format!("{sources} sources of events, at most 65536")));
        }
        Ok(())
    }

    fn check_names(&self) -> Checked {
        let mut seen = HashSet::new();
        for (index, host) in self.hosts.iter().enumerate() {
            unique(format!("hosts[{index}].name"), &host.name, &mut seen)?;
        }
        for (index, router) in self.routers.iter().enumerate() {
            unique(format!("routers[{index}]"), router, &mut seen)?;
        }
        let mut seen = HashSet::new();
        for (index, flow) in self.flows.iter().enumerate() {
            unique(format!("flows[{index}].name"), &flow.name, &mut seen)?;
        }
        Ok(())
    }

    fn check_link(&self, key: &str, link: &LinkSpec) -> Checked {
        self.known(&format!("{key}.from"), &link.from)?;
        self.known(&format!("{key}.to"), &link.to)?;
        if link.from == link.to {
            return Err(ScenarioError::new(format!("{key}.to"), "a link leads to another node"));
        }
        rate(&format!("{key}.rate_bps"), link.rate_bps)?;
        within(&format!("{key}.delay_us"), link.delay_us, 0.0, 1e9)?;
        within(&format!("{key}.framing_bytes"), link.framing_bytes as f64, 0.0, 1e4)?;
        within(&format!("{key}.buffer_bytes"), link.buffer_bytes as f64, 1.0, 1e12)?;
        within(&format!("{key}.loss_probability"), link.loss_probability, 0.0, 1.0)
    }

    fn check_port(&self, key: &str, port: &PortSpec) -> Checked {
        if !self.routers.contains(&port.at) {
            return Err(ScenarioError::new(format!("{key}.at"), format!("no router is called {:?}", port.at)));
        }
        self.known(&format!("{key}.to"), &port.to)?;
        let joins = |l: &&LinkSpec| (l.from == port.at && l.to == port.to) || (l.to == port.at && l.from == port.to);
        if !self.links.iter().any(|link| joins(&link)) {
            let message = format!("no link joins {:?} and {:?}", port.at, port.to);
            return Err(ScenarioError::new(format!("{key}.to"), message));
        }
        within(&format!("{key}.buffer_bytes"), port.buffer_bytes as f64, 1.0, 1e12)?;
        within(&format!("{key}.credit_window_us"), port.credit_window_us, 0.0, 1e9)?;
        check_queues(&format!("{key}.queues"), port)?;
        check_class(port, &format!("{key}.default_class"), &port.default_class)?;
        each(&format!("{key}.classifier"), &port.classifier, |key, rule| {
            check_class(port, &format!("{key}.class"), &rule.class)?;
            for (name, host) in [("from", &rule.from), ("to", &rule.to)] {
                host.as_ref().map_or(Ok(()), |host| self.known(&format!("{key}.{name}"), host))?;
            }
            match &rule.flow {
                Some(flow) if !self.flows.iter().any(|f| f.name == *flow) => {
                    Err(ScenarioError::new(format!("{key}.flow"), format!("no flow is called {flow:?}")))
                }
                _ => Ok(()),
            }
        })?;
        each(&format!("{key}.policers"), &port.policers, |key, policer| check_policer(port, key, policer))
    }

    fn check_flow(&self, key: &str, flow: &FlowSpec) -> Checked {
        for (name, host) in [("from", &flow.from), ("to", &flow.to)] {
            if !self.hosts.iter().any(|h| h.name == *host) {
                return Err(ScenarioError::new(format!("{key}.{name}"), format!("no host is called {host:?}")));
            }
        }
        if flow.from == flow.to {
            return Err(ScenarioError::new(format!("{key}.to"), "a flow leads to another host"));
        }
        let mut end_before = 0.0;
        for (index, &[start, end]) in flow.intervals_s.iter().enumerate() {
            let key = format!("{key}.intervals_s[{index}]");
            within(&key, start, end_before, MAX_DURATION_S)?;
            within(&key, end, start, MAX_DURATION_S)?;
            end_before = end;
        }
        check_traffic(&format!("{key}.traffic"), &flow.traffic)
    }

    fn check_tcp(&self) -> Checked {
        let tcp = &self.tcp;
        let packet = f64::from(tcp.segment_data_bytes) + f64::from(tcp.header_bytes);
        within("tcp.segment_data_bytes", f64::from(tcp.segment_data_bytes), 1.0, 65_000.0)?;
        within("tcp.header_bytes", f64::from(tcp.header_bytes), 40.0, 120.0)?;
        within("tcp.syn_bytes", f64::from(tcp.syn_bytes), 40.0, 120.0)?;
        within("tcp.initial_window_pkts", f64::from(tcp.initial_window_pkts), 1.0, 1e6)?;
        within("tcp.window_bytes", tcp.window_bytes as f64, f64::from(tcp.segment_data_bytes), 1e11)?;
        within("tcp.reordering_pkts", f64::from(tcp.reordering_pkts), 1.0, 1e6)?;
        within("tcp.merge_segments", f64::from(tcp.merge_segments), 1.0, 1e4)?;
        within("tcp.min_rto_ms", tcp.min_rto_ms, 1.0, 1e6)?;
        within("tcp.initial_rto_ms", tcp.initial_rto_ms, 1.0, 1e6)?;
        within("tcp.stamp_step_us", tcp.stamp_step_us, 0.0, 1e6)?;
        within("tcp.delayed_ack_ms", tcp.delayed_ack_ms, 0.0, 1e6)?;
        within("tcp.disorder_burst_pkts", f64::from(tcp.disorder_burst_pkts), 0.0, 1e6)?;
        within("tcp.reordering_limit_pkts", f64::from(tcp.reordering_limit_pkts), 1.0, 1e6)?;
        let fastest = self.links.iter().map(|link| link.rate_bps).fold(0.0, f64::max);
        if fastest * self.duration_s / 8.0 / packet > 4e9 {
            return Err(ScenarioError::new("duration_s", "more segments than 32-bit numbers hold; shorten the run"));
        }
        Ok(())
    }

    fn known(&self, key: &str, name: &String) -> Checked {
        if self.routers.contains(name) || self.hosts.iter().any(|host| host.name == *name) {
            return Ok(());
        }
        Err(ScenarioError::new(key, format!("no host or router is called {name:?}")))
    }
}

fn check_host(key: &str, host: &HostSpec) -> Checked {
    within(&format!("{key}.nic_queue_bytes"), host.nic_queue_bytes as f64, 1.0, 1e12)?;
    within(&format!("{key}.interrupt_gap_us"), host.interrupt_gap_us, 0.0, 1e6)?;
    within(&format!("{key}.stalls_per_s"), host.stalls_per_s, 0.0, 1e6)?;
    within(&format!("{key}.stall_us"), host.stall_us, 0.0, 1e9)
}

fn check_queues(key: &str, port: &PortSpec) -> Checked {
    if port.queues.is_empty() || port.queues.len() > 32 {
        return Err(ScenarioError::new(key, format!("{} queues; a port has 1 to 32", port.queues.len())));
    }
    let mut seen = HashSet::new();
    for (index, queue) in port.queues.iter().enumerate() {
        let key = format!("{key}[{index}]");
        unique(format!("{key}.class"), &queue.class, &mut seen)?;
        within(&format!("{key}.rate_share_pct"), queue.rate_share_pct, 0.0, 100.0)?;
        within(&format!("{key}.buffer_share_pct"), queue.buffer_share_pct, 0.0, 100.0)?;
        if let Some(step) = queue.wred_step_pct {
            within(&format!("{key}.wred_step_pct"), step, 0.0, 100.0)?;
        }
        if port.sharing == Sharing::StrictlyPartitioned && queue.rate_share_pct <= 0.0 {
            let message = "a strictly partitioned queue without a share would never be served";
            return Err(ScenarioError::new(format!("{key}.rate_share_pct"), message));
        }
    }
    for (name, sum) in [
        ("rate_share_pct", port.queues.iter().map(|queue| queue.rate_share_pct).sum::<f64>()),
        ("buffer_share_pct", port.queues.iter().map(|queue| queue.buffer_share_pct).sum::<f64>()),
    ] {
        if sum > 100.0 + 1e-9 {
            return Err(ScenarioError::new(
                format!("{key}.{name}"),
                format!("the shares add up to {sum} %, above 100 %"),
            ));
        }
    }
    Ok(())
}

fn check_class(port: &PortSpec, key: &str, class: &String) -> Checked {
    if port.queues.iter().any(|queue| queue.class == *class) {
        return Ok(());
    }
    Err(ScenarioError::new(key, format!("no queue of this port serves class {class:?}")))
}

fn check_policer(port: &PortSpec, key: &str, policer: &PolicerSpec) -> Checked {
    check_class(port, &format!("{key}.class"), &policer.class)?;
    rate(&format!("{key}.rate_bps"), policer.rate_bps)?;
    within(&format!("{key}.burst_bytes"), policer.burst_bytes as f64, 1.0, 1e10)?;
    match (policer.out_of_profile, &policer.to_class) {
        (OutOfProfile::Reclass, Some(class)) => check_class(port, &format!("{key}.to_class"), class),
        (OutOfProfile::Reclass, None) => Err(ScenarioError::new(format!("{key}.to_class"), "reclass needs a class")),
        _ => Ok(()),
    }
}

fn check_traffic(key: &str, traffic: &TrafficSpec) -> Checked {
    match traffic {
        TrafficSpec::Tcp { window_bytes, .. } => {
            window_bytes.map_or(Ok(()), |bytes| within(&format!("{key}.window_bytes"), bytes as f64, 1.0, 1e11))
        }
        TrafficSpec::Udp { rate_bps, datagram_bytes, jitter, on_off_s, .. } => {
            rate(&format!("{key}.rate_bps"), *rate_bps)?;
            within(&format!("{key}.datagram_bytes"), f64::from(*datagram_bytes), 1.0, 65_507.0)?;
            within(&format!("{key}.jitter"), *jitter, 0.0, 1.0)?;
            let [on, off] = on_off_s.unwrap_or([1.0, 1.0]);
            within(&format!("{key}.on_off_s"), on, 1e-9, MAX_DURATION_S)?;
            within(&format!("{key}.on_off_s"), off, 0.0, MAX_DURATION_S)
        }
        TrafficSpec::Ping { interval_s, ip_bytes, .. } => {
            within(&format!("{key}.interval_s"), *interval_s, 1e-6, MAX_DURATION_S)?;
            within(&format!("{key}.ip_bytes"), f64::from(*ip_bytes), 28.0, 65_000.0)
        }
    }
}

fn each<T>(key: &str, items: &[T], check: impl Fn(&str, &T) -> Checked) -> Checked {
    items.iter().enumerate().try_for_each(|(index, item)| check(&format!("{key}[{index}]"), item))
}

fn unique<'a>(key: String, name: &'a String, seen: &mut HashSet<&'a String>) -> Checked {
    if seen.insert(name) { Ok(()) } else { Err(ScenarioError::new(key, format!("{name:?} is used twice"))) }
}

fn within(key: &str, value: f64, least: f64, most: f64) -> Checked {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ScenarioError::new(key, format!("{value} is not between {least} and {most}")))
}

fn rate(key: &str, bps: f64) -> Checked {
    within(key, bps, Rate::MIN_BPS as f64, Rate::MAX_BPS as f64)
}
