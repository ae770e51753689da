//! What the fluid engine cannot answer honestly: it says so, with the key, and leaves the scenario to the packet engine.

use crate::topology::{datagram_wire_bytes, offered_bps};
use hntes_sim_scenario::{
    Action, Congestion, Data, Direction, Discipline, Flow, Framing, Host, Link, LinkId, LossRecovery, Place, Scenario,
    ScenarioError, Scheduler, Tcp, Traffic,
};
use std::fmt;

/// Below this rate single packets matter: one takes more than a tenth of a millisecond or so.
const SLOWEST_LINK_BPS: f64 = 50e6;

/// Why a scenario was not run: its outcome depends on single packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedsPackets(ScenarioError);

impl fmt::Display for NeedsPackets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for NeedsPackets {}

type Checked = Result<(), NeedsPackets>;

fn needs_packets(key: String, reason: &str) -> Checked {
    Err(NeedsPackets(ScenarioError::new(key, reason)))
}

/// Check that the fluid engine can run a scenario.
///
/// # Errors
/// What needs packets, with the key.
pub fn check(scenario: &Scenario) -> Checked {
    if !scenario.changes().is_empty() {
        return needs_packets("changes".to_owned(), "a fluid's network stays as it is");
    }
    for flow in scenario.flows() {
        check_tcp(scenario, flow)?;
    }
    check_hosts(scenario)?;
    for flow in scenario.flows() {
        check_sleep(flow)?;
        check_data(flow)?;
        check_measures(flow)?;
        check_conditioners(scenario, flow)?;
        check_disciplines(scenario, flow)?;
    }
    for flow in scenario.flows() {
        check_fragments(scenario, flow)?;
        check_framing(scenario, flow)?;
    }
    for flow in scenario.flows().iter().filter(|flow| !flow.traffic.is_ping()) {
        check_rates(scenario, flow)?;
    }
    Ok(())
}

fn check_hosts(scenario: &Scenario) -> Checked {
    scenario.hosts().iter().try_for_each(check_host)
}

fn check_host(host: &Host) -> Checked {
    let key = |name: &str| format!("hosts[{}].{name}", host.id.index());
    if host.delay_emulator.is_some_and(|emulator| emulator.limit_buffers.is_some()) {
        let reason = "how many segments share a buffer goes by single acknowledgements";
        return needs_packets(key("delay_emulator.limit_buffers"), reason);
    }
    if host.polling.is_some() {
        return needs_packets(key("receive"), "how long a poll lasts goes by single packets");
    }
    if host.segmentation_offload == Some(true) {
        return needs_packets(key("segmentation_offload"), "a fluid has no bursts that could be held back");
    }
    Ok(())
}

/// The windows, losses and acknowledgements of a fluid are those of Linux 2.6.3x or 6, the same for all flows.
fn check_tcp(scenario: &Scenario, flow: &Flow) -> Checked {
    let Traffic::Tcp { congestion, profile, .. } = flow.traffic else { return Ok(()) };
    let tcp = scenario.tcp();
    if profile.is_some() {
        let reason = "the fluid knows one TCP for all flows";
        return needs_packets(format!("flows[{}].traffic.profile", flow.id.index()), reason);
    }
    if tcp.loss_recovery != LossRecovery::Sack {
        let reason = "without selective acknowledgements single losses decide how long a recovery lasts";
        return needs_packets("tcp.loss_recovery".to_owned(), reason);
    }
    let missing = match congestion {
        Congestion::Cubic => Some("the fluid engine has no CUBIC"),
        Congestion::Bbr | Congestion::Bbr3 => Some("the fluid engine has no BBR"),
        Congestion::Reno | Congestion::Htcp => None,
    };
    if let Some(reason) = missing {
        return needs_packets(format!("flows[{}].traffic.congestion", flow.id.index()), reason);
    }
    if tcp.offered_window_closes {
        let reason = "how fast the window grows again goes by single runs of segments";
        return needs_packets("tcp.offered_window_closes".to_owned(), reason);
    }
    if tcp.htcp_counts_acks && matches!(congestion, Congestion::Htcp) {
        let reason = "how many segments an acknowledgement covers, single packets decide";
        return needs_packets("tcp.htcp_counts_acks".to_owned(), reason);
    }
    check_kernel(tcp)
}

/// A process that sleeps longer than asked for wakes with a timer of the network's queues, which single packets set.
fn check_sleep(flow: &Flow) -> Checked {
    let (Traffic::Udp { wakeup_slack, .. } | Traffic::Ping { wakeup_slack, .. }) = flow.traffic else { return Ok(()) };
    if wakeup_slack.s() > 0.0 {
        let key = format!("flows[{}].traffic.wakeup_slack_us", flow.id.index());
        return needs_packets(key, "when a process wakes, single packets decide");
    }
    Ok(())
}

/// Linux 6 as a whole, or none of it: what a part of its mechanisms makes was never compared with packets.
fn check_kernel(tcp: &Tcp) -> Checked {
    let of_linux_6 = [
        ("rack", tcp.rack),
        ("growth_counts_segments", tcp.growth_counts_segments),
        ("slow_start_doubles", tcp.slow_start_doubles),
        ("small_queues", tcp.small_queues),
        ("segmentation_offload", tcp.segmentation_offload),
        ("quick_acks_while_window_grows", tcp.quick_acks_while_window_grows),
        ("quick_acks_after_duplicate", tcp.quick_acks_after_duplicate > 0),
        ("compressed_sacks", tcp.compressed_sacks),
        ("offered_window_grows", tcp.offered_window_grows),
        ("offered_window_shrinks", tcp.offered_window_shrinks),
        ("early_write_bytes", tcp.early_write_bytes > 0),
        ("pushed_buffers", tcp.pushed_buffers),
        ("partial_segments", tcp.partial_segments),
        ("paws", tcp.paws),
        ("shared_timer", tcp.shared_timer),
        ("rto_holds_deviation", tcp.rto_holds_deviation),
        ("rtt_in_us", tcp.rtt_in_us),
    ];
    match of_linux_6.iter().find(|(_, is_on)| *is_on != tcp.rack) {
        Some((key, _)) => {
            let reason =
                "the fluid engine has hosts of Linux 2.6.3x and of Linux 6; this is one's, and tcp.rack the other's";
            needs_packets(format!("tcp.{key}"), reason)
        }
        None => Ok(()),
    }
}

fn check_data(flow: &Flow) -> Checked {
    match flow.traffic {
        Traffic::Tcp { data, .. } if data != Data::Endless => {
            let reason = "how long a connection lasts that is short of data, single packets decide";
            needs_packets(format!("flows[{}].traffic.data", flow.id.index()), reason)
        }
        _ => Ok(()),
    }
}

fn check_measures(flow: &Flow) -> Checked {
    if flow.has_one_way_delays {
        let key = format!("flows[{}].one_way_delays", flow.id.index());
        return needs_packets(key, "it knows round-trip times of pings and no delays of packets");
    }
    Ok(())
}

fn check_conditioners(scenario: &Scenario, flow: &Flow) -> Checked {
    for &link in flow.path(Direction::Forward) {
        let Some(port) = scenario.port_of(link) else { continue };
        let Some(id) = port.conditioner_of(port.queue_of(flow, Direction::Forward)) else { continue };
        let conditioner = port.conditioner(id);
        let key = |part: &str| format!("ports[{}].conditioners[{}].{part}", port.id.index(), id.index());
        if conditioner.meter.token_bucket().is_none() {
            return needs_packets(key("meter"), "which packets have which colour, single packets decide");
        }
        if conditioner.actions.green != Action::Pass {
            return needs_packets(key("actions.green"), "what becomes of packets in profile, a fluid cannot show");
        }
        let reason = match conditioner.actions.red {
            Action::Requeue(_) => "packets moved to another queue overtake one another, which a fluid cannot show",
            Action::Pass | Action::Drop if flow.traffic.is_tcp() => {
                "single losses and the bursts of packets decide what TCP reaches behind a policer"
            }
            Action::Pass | Action::Drop => continue,
        };
        return needs_packets(key("actions.red"), reason);
    }
    Ok(())
}

fn check_disciplines(scenario: &Scenario, flow: &Flow) -> Checked {
    for direction in Direction::BOTH {
        for &link in flow.path(direction) {
            let Some(port) = scenario.port_of(link) else { continue };
            if port.token_bucket_bytes.is_some() {
                let key = format!("ports[{}].token_bucket_bytes", port.id.index());
                return needs_packets(key, "what goes out at once is a few packets");
            }
            if matches!(port.scheduler, Scheduler::ClassGuarantees { .. }) {
                return needs_packets(
                    format!("ports[{}].scheduler", port.id.index()),
                    "rates that follow promises move with each packet",
                );
            }
            let queue = port.queue_of(flow, direction);
            let reason = match port.queue(queue).discipline {
                Discipline::DropTail | Discipline::ByOccupancy { .. } => continue,
                Discipline::ByColour { .. } => "which packets have which colour, single packets decide",
                _ => "averages move with each packet, and so do the single losses that keep a queue short",
            };
            return needs_packets(format!("ports[{}].queues[{}].discipline", port.id.index(), queue.index()), reason);
        }
    }
    Ok(())
}

/// A queue without reopening that gets more UDP than its share cuts one fragment out of a datagram or none, as fragments
/// of unlike sizes and the packets between them happen to fit.
fn check_fragments(scenario: &Scenario, flow: &Flow) -> Checked {
    let Traffic::Udp { datagram_bytes, .. } = flow.traffic else { return Ok(()) };
    if scenario.fragments(datagram_bytes).len() < 2 {
        return Ok(());
    }
    let wire_bytes = datagram_wire_bytes(scenario, flow, datagram_bytes);
    for &link in flow.path(Direction::Forward) {
        let (key, reopen_bytes) = reopening(scenario, scenario.link(link));
        if (reopen_bytes as f64) < wire_bytes && udp_share(scenario, link, flow) > 1.0 {
            let reason = "a full queue that takes packets again before a whole datagram fits cuts fragments out of \
                          datagrams, and how many datagrams that breaks depends on single packets";
            return needs_packets(key, reason);
        }
    }
    Ok(())
}

/// Fragments count by their mean size, which has no link time of its own where that does not grow evenly with size.
fn check_framing(scenario: &Scenario, flow: &Flow) -> Checked {
    let Traffic::Udp { datagram_bytes, .. } = flow.traffic else { return Ok(()) };
    let sizes = scenario.fragments(datagram_bytes);
    let is_uneven = |&&link: &&LinkId| !matches!(scenario.link(link).framing, Framing::Constant { .. });
    match flow.path(Direction::Forward).iter().find(is_uneven) {
        Some(link) if sizes.iter().any(|size| *size != sizes[0]) => needs_packets(
            format!("links[{}].framing", link.entry()),
            "fragments of unlike sizes fill frames or cells unlike, and the fluid knows their mean size alone",
        ),
        _ => Ok(()),
    }
}

/// What must be free before a full queue takes anything, and its key.
fn reopening(scenario: &Scenario, link: &Link) -> (String, u64) {
    if let Some(port) = scenario.port_of(link.id) {
        return (format!("ports[{}].reopen_bytes", port.id.index()), port.reopen_bytes);
    }
    let key = match scenario.place(link.from) {
        Place::Host(host) => format!("hosts[{}].nic_queue_bytes", host.index()),
        Place::Router(_) => format!("links[{}].reopen_bytes", link.id.entry()),
    };
    (key, link.queue.reopen_bytes)
}

/// The UDP that a flow's queue at a link is offered, relative to what the queue gets at least.
fn udp_share(scenario: &Scenario, link: LinkId, flow: &Flow) -> f64 {
    let port = scenario.port_of(link);
    let queue = |flow: &Flow| port.map(|port| port.queue_of(flow, Direction::Forward));
    let shares_queue = |other: &&Flow| {
        let is_udp = matches!(other.traffic, Traffic::Udp { .. });
        is_udp && other.path(Direction::Forward).contains(&link) && queue(other) == queue(flow)
    };
    let others = scenario.flows().iter().filter(shares_queue);
    let offered_bps: f64 = others.map(|other| offered_bps(scenario, other)).sum();
    let share = port.map_or(1.0, |port| port.queue(port.queue_of(flow, Direction::Forward)).rate_share.part());
    offered_bps / (share * scenario.link(link).rate.bps())
}

fn check_rates(scenario: &Scenario, flow: &Flow) -> Checked {
    let slow = flow.path(Direction::Forward).iter().find(|&&link| scenario.link(link).rate.bps() < SLOWEST_LINK_BPS);
    match slow {
        Some(link) => needs_packets(
            format!("links[{}].rate_bps", link.entry()),
            "at less than 50 Mb/s single packets matter, which a fluid does not have",
        ),
        None => Ok(()),
    }
}
