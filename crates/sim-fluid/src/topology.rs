//! What flows ask of the links on their paths, and which links can ever hold a queue.

use hntes_sim_scenario::{Direction, Flow, Framing, Link, LinkId, Scenario, Traffic};

/// A link that is fed this much faster than it sends can hold a queue; less is rounding.
const FED_FASTER: f64 = 1.0001;

/// Link time of a packet of so many IP bytes, in bytes; their mean where a link puts the same around all, else whole.
pub fn wire_bytes(link: &Link, ip_bytes: f64) -> f64 {
    match link.framing {
        Framing::Constant { bytes } => ip_bytes + f64::from(bytes),
        other => other.wire_bytes(ip_bytes as u64) as f64,
    }
}

/// The time a packet of so many IP bytes needs for a link: transmission and propagation.
pub fn crossing_s(link: &Link, ip_bytes: f64) -> f64 {
    wire_bytes(link, ip_bytes) * 8.0 / link.rate.bps() + link.delay.s()
}

/// The first link on a flow's path.
pub fn first_link<'a>(scenario: &'a Scenario, flow: &Flow) -> &'a Link {
    scenario.link(flow.path(Direction::Forward)[0])
}

/// Link time of a datagram, in bytes, at the host that sends it.
pub fn datagram_wire_bytes(scenario: &Scenario, flow: &Flow, datagram_bytes: u32) -> f64 {
    let first = first_link(scenario, flow);
    scenario.fragments(datagram_bytes).iter().map(|&bytes| wire_bytes(first, f64::from(bytes))).sum()
}

/// The share of a link, in bits per second, that a flow's data would take while it is on; TCP takes what it gets.
pub fn offered_bps(scenario: &Scenario, flow: &Flow) -> f64 {
    match flow.traffic {
        Traffic::Tcp { .. } => f64::INFINITY,
        Traffic::Udp { rate, datagram_bytes, .. } => {
            rate.bps() * datagram_wire_bytes(scenario, flow, datagram_bytes) / f64::from(datagram_bytes)
        }
        Traffic::Ping { .. } => 0.0,
    }
}

/// Which links can hold a queue of data: those with a port, with random loss, or fed faster than they send.
pub fn busy_links(scenario: &Scenario) -> Vec<bool> {
    let mut feeds: Vec<Feed> = scenario.links().iter().map(|_| Feed::default()).collect();
    for flow in scenario.flows().iter().filter(|flow| !flow.traffic.is_ping()) {
        let path = flow.path(Direction::Forward);
        feeds[path[0].index()].from_hosts_bps += offered_bps(scenario, flow);
        for pair in path.windows(2) {
            feeds[pair[1].index()].feeders.push(pair[0]);
        }
        for link in path {
            feeds[link.index()].crossed = true;
        }
    }
    for feed in &mut feeds {
        feed.feeders.sort_unstable();
        feed.feeders.dedup();
    }
    scenario.links().iter().map(|link| feeds[link.id.index()].crossed && is_busy(scenario, link, &feeds)).collect()
}

/// What comes to a link.
#[derive(Default)]
struct Feed {
    /// Links that lead to it.
    feeders: Vec<LinkId>,
    /// What flows that start here offer.
    from_hosts_bps: f64,
    /// Some flow takes it.
    crossed: bool,
}

fn is_busy(scenario: &Scenario, link: &Link, feeds: &[Feed]) -> bool {
    let rate_bps = |link: LinkId| scenario.link(link).rate.bps();
    // A link after hosts carries no more than they offer; any other may be full.
    let carried_bps = |link: LinkId| {
        let offered_bps = feeds[link.index()].from_hosts_bps;
        rate_bps(link).min(if offered_bps > 0.0 { offered_bps } else { rate_bps(link) })
    };
    let feed = &feeds[link.id.index()];
    let fed_bps = feed.from_hosts_bps + feed.feeders.iter().map(|&feeder| carried_bps(feeder)).sum::<f64>();
    link.port.is_some() || link.loss_probability > 0.0 || fed_bps > link.rate.bps() * FED_FASTER
}

/// Busy links, each after those that feed it; where paths form a circle, in some order.
pub fn in_order(scenario: &Scenario, busy: &[bool]) -> Vec<LinkId> {
    let paths = || scenario.flows().iter().map(|flow| flow.path(Direction::Forward));
    let mut rank = vec![0_usize; busy.len()];
    for _ in 0..busy.len() {
        for pair in paths().flat_map(|path| path.windows(2)) {
            let (before, after) = (pair[0].index(), pair[1].index());
            rank[after] = rank[after].max(rank[before] + 1).min(busy.len());
        }
    }
    let mut links: Vec<LinkId> =
        scenario.links().iter().map(|link| link.id).filter(|link| busy[link.index()]).collect();
    links.sort_by_key(|link| rank[link.index()]);
    links
}
