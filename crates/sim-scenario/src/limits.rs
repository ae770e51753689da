//! Sizes a run can hold: what would eat the memory, or overflow the arithmetic, is refused with the key to change.

use crate::error::ScenarioError;
use crate::model::{Direction, Port, Scenario, Tcp, Traffic};
use crate::units::Rate;

type Checked = Result<(), ScenarioError>;

/// Routes are found from each node to each host.
const MAX_NODES: usize = 1024;
const MAX_LINKS: usize = 4096;
/// Numbers in all series together: 400 MB.
const MAX_SERIES_VALUES: f64 = 5e7;
/// Segments are numbered in 32 bits, with some room left for what is sent beyond the window.
const MAX_SEGMENTS: f64 = 4e9;
/// The longest time a burst may take at its rate.
const MAX_BURST_S: f64 = 1e6;
/// The most sources of events: the packet engine numbers them in 16 bits.
pub const MAX_EVENT_SOURCES: usize = 1 << 16;
/// Sources of events that each flow has in the packet engine.
pub const TIMERS_PER_FLOW: usize = 3;

/// Check the sizes of everything together; single values have been checked before.
pub(crate) fn check(scenario: &Scenario) -> Checked {
    check_network_size(scenario)?;
    check_series(scenario)?;
    check_rates(scenario)?;
    let sources = event_sources(scenario.links().len(), scenario.routers().len(), scenario.flows().len());
    if sources > MAX_EVENT_SOURCES {
        return Err(error("flows", format!("{sources} sources of events, at most {MAX_EVENT_SOURCES}")));
    }
    Ok(())
}

/// Check that the time of any packet can be computed at any rate.
pub(crate) fn check_rates(scenario: &Scenario) -> Checked {
    let largest = largest_packet_bytes(scenario);
    for link in scenario.links().iter().step_by(2) {
        fits(&format!("links[{}].rate_bps", link.id.entry()), link.rate.bps(), link.framing.wire_bytes(largest))?;
    }
    for port in scenario.ports() {
        check_port(&format!("ports[{}]", port.id.index()), scenario, port, largest)?;
    }
    Ok(())
}

/// Refuse a run in which a flow's segments would have more numbers than there are: as many pass as its slowest link carries.
pub(crate) fn check_segments(scenario: &Scenario) -> Checked {
    for flow in scenario.flows() {
        let Traffic::Tcp { profile, .. } = flow.traffic else { continue };
        let slowest = flow.path(Direction::Forward).iter().map(|&link| scenario.link(link).rate.bps());
        let bytes = slowest.fold(f64::INFINITY, f64::min) * scenario.duration().s() / 8.0;
        if bytes / scenario.tcp_of(profile).segment_ip_bytes() > MAX_SEGMENTS {
            let message = format!("more segments of flow {:?} than 32-bit numbers hold; shorten the run", flow.name);
            return Err(error("duration_s", message));
        }
    }
    Ok(())
}

/// How many sources of events a run of the packet engine has: each link in one direction, each router, the timers of
/// each flow, and the clock that ends intervals.
pub const fn event_sources(links: usize, routers: usize, flows: usize) -> usize {
    links + routers + TIMERS_PER_FLOW * flows + 1
}

fn check_network_size(scenario: &Scenario) -> Checked {
    let hosts = scenario.hosts().len();
    if hosts < 2 {
        return Err(error("hosts", format!("{hosts} hosts; a flow needs two")));
    }
    let nodes = hosts + scenario.routers().len();
    if nodes > MAX_NODES {
        return Err(error("hosts", format!("{nodes} hosts and routers, at most {MAX_NODES}")));
    }
    let links = scenario.links().len() / 2;
    if links > MAX_LINKS {
        return Err(error("links", format!("{links} links, at most {MAX_LINKS}")));
    }
    check_described_once(scenario)
}

fn check_described_once(scenario: &Scenario) -> Checked {
    let name = |node| scenario.node_name(node);
    for link in scenario.links().iter().step_by(2) {
        let before = &scenario.links()[..link.id.index()];
        if before.iter().any(|other| (other.from, other.to) == (link.from, link.to)) {
            let (from, to) = (name(link.from), name(link.to));
            let message = format!("{from:?} and {to:?} are joined by another link already");
            return Err(error(format!("links[{}].to", link.id.entry()), message));
        }
    }
    for port in scenario.ports() {
        if scenario.ports()[..port.id.index()].iter().any(|other| other.link == port.link) {
            let link = scenario.link(port.link);
            let message = format!("the port of {:?} to {:?} is described twice", name(link.from), name(link.to));
            return Err(error(format!("ports[{}].to", port.id.index()), message));
        }
    }
    Ok(())
}

/// Series grow by one value per column and interval, pings by two numbers per reply.
fn check_series(scenario: &Scenario) -> Checked {
    let queues: usize = scenario.ports().iter().map(|port| port.queues.len()).sum();
    let columns = 5 * scenario.flows().len() + 4 * scenario.links().len() + 6 * queues;
    let duration_s = scenario.duration().s();
    let values = duration_s / scenario.interval().s() * columns as f64;
    if values > MAX_SERIES_VALUES {
        return Err(error("interval_s", format!("{values:.0} values, at most {MAX_SERIES_VALUES:.0}; lengthen it")));
    }
    let mut replies = 0.0;
    for flow in scenario.flows() {
        if let Traffic::Ping { interval, .. } = flow.traffic {
            replies += 2.0 * duration_s / interval.s();
            if replies > MAX_SERIES_VALUES {
                let message = format!("{replies:.0} values, at most {MAX_SERIES_VALUES:.0}; lengthen it");
                return Err(error(format!("flows[{}].traffic.interval_s", flow.id.index()), message));
            }
        }
    }
    Ok(())
}

fn check_port(key: &str, scenario: &Scenario, port: &Port, largest: u64) -> Checked {
    let link = scenario.link(port.link);
    for (index, queue) in port.queues.iter().enumerate() {
        let share_bps = (queue.rate_share.part() * link.rate.bps()).max(Rate::MIN_BPS as f64);
        fits(&format!("{key}.queues[{index}].rate_share_pct"), share_bps, link.framing.wire_bytes(largest))?;
    }
    for (index, conditioner) in port.conditioners.iter().enumerate() {
        for (rate, burst, bucket) in conditioner.meter.buckets() {
            fits(&format!("{key}.conditioners[{index}].meter.{rate}"), bucket.rate.bps(), largest)?;
            let fills_s = bucket.burst_bytes as f64 * 8.0 / bucket.rate.bps();
            if fills_s > MAX_BURST_S {
                let message = format!("the bucket takes {fills_s:.0} s to fill, at most {MAX_BURST_S:.0}");
                return Err(error(format!("{key}.conditioners[{index}].meter.{burst}"), message));
            }
        }
    }
    Ok(())
}

/// Bytes of the largest packet of any flow, from the IP header on; an acknowledgement carries 28 of SACK at most.
fn largest_packet_bytes(scenario: &Scenario) -> u64 {
    let of_tcp = |tcp: &Tcp| u64::from(tcp.header_bytes) + u64::from(tcp.segment_data_bytes).max(28);
    let tcp = scenario.profiles.iter().map(of_tcp).fold(of_tcp(scenario.tcp()), u64::max);
    let pings = scenario.flows().iter().filter_map(|flow| match flow.traffic {
        Traffic::Ping { ip_bytes, .. } => Some(u64::from(ip_bytes)),
        _ => None,
    });
    pings.fold(tcp, u64::max)
}

/// The time of a packet is computed in 64 bits.
fn fits(key: &str, rate_bps: f64, packet_bytes: u64) -> Checked {
    let most = Rate::from_bps(rate_bps.round() as u64).largest_packet_bytes();
    if packet_bytes <= most {
        return Ok(());
    }
    Err(error(key, format!("{rate_bps} bit/s is too slow for packets of {packet_bytes} bytes, at most {most}")))
}

fn error(key: impl Into<String>, message: impl Into<String>) -> ScenarioError {
    ScenarioError::new(key, message)
}
