//! Which queue of a port a packet goes to.

use super::{FlowSpec, PortSpec, Protocol, RuleSpec, TrafficSpec};

/// The queue of a flow's packets in one direction: the first rule that fits counts.
pub fn classify(spec: &PortSpec, flow: &FlowSpec, reverse: bool) -> u8 {
    let (source, goal) = if reverse { (&flow.to, &flow.from) } else { (&flow.from, &flow.to) };
    let protocol = match flow.traffic {
        TrafficSpec::Tcp { .. } => Protocol::Tcp,
        TrafficSpec::Udp { .. } => Protocol::Udp,
        TrafficSpec::Ping { .. } => Protocol::Icmp,
    };
    let fits = |rule: &&RuleSpec| {
        rule.from.as_ref().is_none_or(|from| from == source)
            && rule.to.as_ref().is_none_or(|to| to == goal)
            && rule.protocol.is_none_or(|wanted| wanted == protocol)
            && rule.flow.as_ref().is_none_or(|name| *name == flow.name)
    };
    let class = spec.classifier.iter().find(fits).map_or(&spec.default_class, |rule| &rule.class);
    class_number(spec, class)
}

/// The number of the queue that serves a class.
pub fn class_number(spec: &PortSpec, class: &str) -> u8 {
    spec.queues.iter().position(|queue| queue.class == class).unwrap_or_default() as u8
}
