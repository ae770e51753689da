//! What the fluid engine cannot answer honestly: it says so, with the key, and leaves the scenario to the packet engine.

use crate::topology::Topology;
use hntes_sim_scenario::ScenarioError;
use hntes_sim_scenario::{FlowSpec, OutOfProfile, Scenario, TrafficSpec, classify};
use std::fmt;

/// Below this rate single packets matter: one takes more than a tenth of a millisecond or so.
const SLOWEST_LINK_BPS: f64 = 50e6;

/// Why a scenario was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotApplicable {
    /// The scenario is not sound.
    Unsound(ScenarioError),
    /// It needs packets.
    NeedsPackets(ScenarioError),
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unsound(error) | Self::NeedsPackets(error)) = self;
        error.fmt(f)
    }
}

impl std::error::Error for NotApplicable {}

impl From<ScenarioError> for NotApplicable {
    fn from(error: ScenarioError) -> Self {
        Self::Unsound(error)
    }
}

fn needs_packets(key: String, reason: &str) -> NotApplicable {
    NotApplicable::NeedsPackets(ScenarioError::new(key, reason))
}

/// Whether the fluid engine can run a sound scenario.
///
/// # Errors
/// What needs packets, with the key.
pub fn check(scenario: &Scenario) -> Result<(), NotApplicable> {
    let topology = Topology::new(scenario)?;
    check_policers(&topology)?;
    check_fragments(&topology)?;
    for flow in &scenario.flows {
        if matches!(flow.traffic, TrafficSpec::Ping { .. }) {
            continue;
        }
        for link in topology.path(flow, false) {
            if topology.spec(link).rate_bps < SLOWEST_LINK_BPS {
                let reason = "at less than 50 Mb/s single packets matter, which a fluid does not have";
                return Err(needs_packets(format!("links[{}].rate_bps", link / 2), reason));
            }
        }
    }
    Ok(())
}

/// A queue without reopening that gets more UDP than its share cuts one fragment out of a datagram or none, as fragments
/// of unlike sizes and the packets between them happen to fit.
fn check_fragments(topology: &Topology<'_>) -> Result<(), NotApplicable> {
    for flow in &topology.scenario.flows {
        let TrafficSpec::Udp { datagram_bytes, .. } = flow.traffic else { continue };
        if topology.fragments(datagram_bytes).len() < 2 {
            continue;
        }
        let wire_bytes = topology.datagram_wire_bytes(flow, datagram_bytes);
        for link in topology.path(flow, false) {
            let (key, reopen_bytes) = reopening(topology, link);
            if (reopen_bytes as f64) < wire_bytes && udp_share(topology, link, flow) > 1.0 {
                let reason = "a full queue that takes packets again before a whole datagram fits cuts fragments out of \
                              datagrams, and how many datagrams that breaks hangs on single packets";
                return Err(needs_packets(key, reason));
            }
        }
    }
    Ok(())
}

/// What must be free before a full queue takes anything, and its key.
fn reopening(topology: &Topology<'_>, link: usize) -> (String, u64) {
    if let Some((number, port)) = topology.port(link) {
        return (format!("ports[{number}].reopen_bytes"), port.reopen_bytes);
    }
    match topology.scenario.hosts.iter().position(|host| host.name == topology.start(link)) {
        Some(number) => (format!("hosts[{number}].nic_queue_bytes"), 0),
        None => (format!("links[{}].reopen_bytes", link / 2), topology.spec(link).reopen_bytes),
    }
}

/// The UDP that a flow's queue at a link is offered, relative to what the queue gets at least.
fn udp_share(topology: &Topology<'_>, link: usize, flow: &FlowSpec) -> f64 {
    let queue = |flow: &FlowSpec| topology.port(link).map(|(_, port)| classify(port, flow, false));
    let offered_bps: f64 = topology
        .scenario
        .flows
        .iter()
        .filter(|other| matches!(other.traffic, TrafficSpec::Udp { .. }))
        .filter(|other| topology.path(other, false).contains(&link) && queue(other) == queue(flow))
        .map(|other| topology.offered_bps(other))
        .sum();
    let share_pct = topology
        .port(link)
        .map_or(100.0, |(_, port)| port.queues[usize::from(classify(port, flow, false))].rate_share_pct);
    offered_bps / (share_pct / 100.0 * topology.spec(link).rate_bps)
}

fn check_policers(topology: &Topology<'_>) -> Result<(), NotApplicable> {
    for flow in &topology.scenario.flows {
        for link in topology.path(flow, false) {
            let Some((number, port)) = topology.port(link) else { continue };
            let class = &port.queues[usize::from(classify(port, flow, false))].class;
            let Some(at) = port.policers.iter().position(|policer| policer.class == *class) else { continue };
            let tcp = matches!(flow.traffic, TrafficSpec::Tcp { .. });
            let reason = match port.policers[at].out_of_profile {
                OutOfProfile::Reclass => {
                    "packets moved to another queue overtake one another, which a fluid cannot show"
                }
                OutOfProfile::Mark | OutOfProfile::Drop if tcp => {
                    "single losses and the bursts of packets decide what TCP reaches behind a policer"
                }
                OutOfProfile::Mark | OutOfProfile::Drop => continue,
            };
            return Err(needs_packets(format!("ports[{number}].policers[{at}].out_of_profile"), reason));
        }
    }
    Ok(())
}
