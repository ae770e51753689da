//! Paths through the scenario's network, and which links on them can ever hold a queue.

use hntes_sim_scenario::fragment_sizes;
use hntes_sim_scenario::{
    FlowSpec, HostSpec, LinkSpec, PortSpec, Scenario, ScenarioError, TrafficSpec, node_names, route_table,
};

/// A view of a scenario by its directed links: link n leads from `from` to `to` as 2n, and back as 2n + 1.
pub struct Topology<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    routes: Vec<u16>,
    nodes: Vec<&'a str>,
}

impl<'a> Topology<'a> {
    /// The view.
    ///
    /// # Errors
    /// A route that leads nowhere, with the key.
    pub fn new(scenario: &'a Scenario) -> Result<Self, ScenarioError> {
        Ok(Self { scenario, routes: route_table(scenario)?, nodes: node_names(scenario) })
    }

    /// The links a flow's packets take, there or back.
    pub fn path(&self, flow: &FlowSpec, reverse: bool) -> Vec<usize> {
        let number = |name: &str| self.nodes.iter().position(|node| *node == name).unwrap_or_default();
        let (start, goal) = if reverse { (&flow.to, &flow.from) } else { (&flow.from, &flow.to) };
        let (mut node, goal) = (number(start), number(goal));
        let mut links = Vec::new();
        while node != goal {
            let link = usize::from(self.routes[node * self.scenario.hosts.len() + goal]);
            links.push(link);
            node = number(self.end(link));
        }
        links
    }

    /// What the scenario says about a link.
    pub fn spec(&self, link: usize) -> &'a LinkSpec {
        &self.scenario.links[link / 2]
    }

    /// The node a link leads from.
    pub fn start(&self, link: usize) -> &'a str {
        let spec = self.spec(link);
        if link % 2 == 0 { &spec.from } else { &spec.to }
    }

    /// The node a link leads to.
    pub fn end(&self, link: usize) -> &'a str {
        let spec = self.spec(link);
        if link % 2 == 0 { &spec.to } else { &spec.from }
    }

    /// What results call it.
    pub fn name(&self, link: usize) -> String {
        format!("{}->{}", self.start(link), self.end(link))
    }

    /// The port before a link, if it has one, with its number.
    pub fn port(&self, link: usize) -> Option<(usize, &'a PortSpec)> {
        let (start, end) = (self.start(link), self.end(link));
        self.scenario.ports.iter().enumerate().find(|(_, port)| port.at == start && port.to == end)
    }

    /// The host of this name, if it is one.
    pub fn host(&self, name: &str) -> Option<&'a HostSpec> {
        self.scenario.hosts.iter().find(|host| host.name == name)
    }

    /// The time a packet of so many IP bytes needs for a link: transmission and propagation.
    pub fn crossing_s(&self, link: usize, ip_bytes: f64) -> f64 {
        let spec = self.spec(link);
        (ip_bytes + spec.framing_bytes as f64) * 8.0 / spec.rate_bps + spec.delay_us * 1e-6
    }

    /// Chance that a link loses a packet: only the direction its description names.
    pub fn loss_probability(&self, link: usize) -> f64 {
        if link % 2 == 0 { self.spec(link).loss_probability } else { 0.0 }
    }

    /// IP packet sizes of a datagram.
    pub fn fragments(&self, datagram_bytes: u32) -> Vec<u16> {
        let tcp = &self.scenario.tcp;
        fragment_sizes(datagram_bytes, tcp.segment_data_bytes + tcp.header_bytes)
    }

    /// Link time of a datagram, in bytes, at the host that sends it.
    pub fn datagram_wire_bytes(&self, flow: &FlowSpec, datagram_bytes: u32) -> f64 {
        let framing = self.spec(self.path(flow, false)[0]).framing_bytes as f64;
        self.fragments(datagram_bytes).iter().map(|&bytes| f64::from(bytes) + framing).sum()
    }

    /// The share of a link, in bits a second, that a flow's data would take while it is on; TCP takes what it gets.
    pub fn offered_bps(&self, flow: &FlowSpec) -> f64 {
        match flow.traffic {
            TrafficSpec::Tcp { .. } => f64::INFINITY,
            TrafficSpec::Udp { rate_bps, datagram_bytes, .. } => {
                rate_bps * self.datagram_wire_bytes(flow, datagram_bytes) / f64::from(datagram_bytes)
            }
            TrafficSpec::Ping { .. } => 0.0,
        }
    }

    /// Which links can hold a queue of data: those with a port, with random loss, or fed faster than they send.
    pub fn busy_links(&self) -> Vec<bool> {
        let mut feeders: Vec<Vec<usize>> = vec![Vec::new(); 2 * self.scenario.links.len()];
        let mut from_hosts = vec![0.0; feeders.len()];
        let mut crossed = vec![false; feeders.len()];
        for flow in &self.scenario.flows {
            if matches!(flow.traffic, TrafficSpec::Ping { .. }) {
                continue;
            }
            let path = self.path(flow, false);
            from_hosts[path[0]] += self.offered_bps(flow);
            for pair in path.windows(2) {
                feeders[pair[1]].push(pair[0]);
            }
            for link in path {
                crossed[link] = true;
            }
        }
        let rate = |link: usize| self.spec(link).rate_bps;
        let carried = |link: usize| rate(link).min(if from_hosts[link] > 0.0 { from_hosts[link] } else { rate(link) });
        (0..feeders.len())
            .map(|link| {
                feeders[link].sort_unstable();
                feeders[link].dedup();
                let fed = from_hosts[link] + feeders[link].iter().map(|&feeder| carried(feeder)).sum::<f64>();
                crossed[link]
                    && (self.port(link).is_some() || self.loss_probability(link) > 0.0 || fed > rate(link) * 1.0001)
            })
            .collect()
    }

    /// Busy links, each after those that feed it; where paths form a circle, in some order.
    pub fn in_order(&self, busy: &[bool]) -> Vec<usize> {
        let paths: Vec<Vec<usize>> = self.scenario.flows.iter().map(|flow| self.path(flow, false)).collect();
        let mut rank = vec![0_usize; busy.len()];
        for _ in 0..busy.len() {
            for pair in paths.iter().flat_map(|path| path.windows(2)) {
                rank[pair[1]] = rank[pair[1]].max(rank[pair[0]] + 1).min(busy.len());
            }
        }
        let mut links: Vec<usize> = (0..busy.len()).filter(|&link| busy[link]).collect();
        links.sort_by_key(|&link| rank[link]);
        links
    }
}
