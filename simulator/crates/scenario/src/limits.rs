//! Sizes a run can hold: what would eat the memory, or overflow the arithmetic, is refused with the key to change.

use super::{PortSpec, Scenario, ScenarioError, TrafficSpec};
use crate::units::Rate;

type Checked = Result<(), ScenarioError>;

/// Routes are found from each node to each host.
const MAX_NODES: usize = 1024;
const MAX_LINKS: usize = 4096;
/// Numbers in all series together: 400 MB.
const MAX_SERIES_VALUES: f64 = 5e7;
/// The packet engine's agenda numbers its sources of events in 16 bits.
pub(super) const MAX_EVENT_SOURCES: usize = 1 << 16;
/// The longest time a burst may take at its rate.
const MAX_BURST_S: f64 = 1e6;

/// How many sources of events a run of this size has: one a directed link, one a router, three a flow, and the clock.
pub const fn event_sources(links: usize, routers: usize, flows: usize) -> usize {
    links + routers + 3 * flows + 1
}

impl Scenario {
    /// Check the sizes of everything together; single values are checked before.
    pub(super) fn check_limits(&self) -> Checked {
        self.check_network_size()?;
        self.check_series()?;
        let largest = self.largest_packet_bytes();
        for (index, link) in self.links.iter().enumerate() {
            fits(&format!("links[{index}].rate_bps"), link.rate_bps, largest + link.framing_bytes)?;
        }
        for (index, port) in self.ports.iter().enumerate() {
            self.check_port_limits(&format!("ports[{index}]"), port, largest)?;
        }
        Ok(())
    }

    fn check_network_size(&self) -> Checked {
        if self.hosts.len() < 2 {
            return Err(error("hosts", format!("{} hosts; a flow needs two", self.hosts.len())));
        }
        let nodes = self.hosts.len() + self.routers.len();
        if nodes > MAX_NODES {
            return Err(error("hosts", format!("{nodes} hosts and routers, at most {MAX_NODES}")));
        }
        if self.links.len() > MAX_LINKS {
            return Err(error("links", format!("{} links, at most {MAX_LINKS}", self.links.len())));
        }
        for (index, link) in self.links.iter().enumerate() {
            let same = |other: &&super::LinkSpec| {
                (&other.from, &other.to) == (&link.from, &link.to) || (&other.to, &other.from) == (&link.from, &link.to)
            };
            if self.links[..index].iter().any(|other| same(&other)) {
                let message = format!("{:?} and {:?} are joined by another link already", link.from, link.to);
                return Err(error(format!("links[{index}].to"), message));
            }
        }
        for (index, port) in self.ports.iter().enumerate() {
            if self.ports[..index].iter().any(|other| other.at == port.at && other.to == port.to) {
                let message = format!("the port of {:?} to {:?} is described twice", port.at, port.to);
                return Err(error(format!("ports[{index}].to"), message));
            }
        }
        Ok(())
    }

    /// Series grow by one value a column and interval, pings by two numbers a reply.
    fn check_series(&self) -> Checked {
        let queues: usize = self.ports.iter().map(|port| port.queues.len()).sum();
        let columns = 5 * self.flows.len() + 8 * self.links.len() + 6 * queues;
        let values = self.duration_s / self.interval_s * columns as f64;
        if values > MAX_SERIES_VALUES {
            return Err(error(
                "interval_s",
                format!("{values:.0} values, at most {MAX_SERIES_VALUES:.0}; lengthen it"),
            ));
        }
        let mut replies = 0.0;
        for (index, flow) in self.flows.iter().enumerate() {
            if let TrafficSpec::Ping { interval_s, .. } = flow.traffic {
                replies += 2.0 * self.duration_s / interval_s;
                if replies > MAX_SERIES_VALUES {
                    let message = format!("{replies:.0} values, at most {MAX_SERIES_VALUES:.0}; lengthen it");
                    return Err(error(format!("flows[{index}].traffic.interval_s"), message));
                }
            }
        }
        Ok(())
    }

    fn check_port_limits(&self, key: &str, port: &PortSpec, largest: u64) -> Checked {
        let joins = |(from, to): (&String, &String)| {
            (from == &port.at && to == &port.to) || (to == &port.at && from == &port.to)
        };
        let Some(link) = self.links.iter().find(|link| joins((&link.from, &link.to))) else { return Ok(()) };
        for (index, queue) in port.queues.iter().enumerate() {
            let share = (queue.rate_share_pct / 100.0 * link.rate_bps).max(Rate::MIN_BPS as f64);
            fits(&format!("{key}.queues[{index}].rate_share_pct"), share, largest + link.framing_bytes)?;
        }
        for (index, policer) in port.policers.iter().enumerate() {
            fits(&format!("{key}.policers[{index}].rate_bps"), policer.rate_bps, largest)?;
            let burst_s = policer.burst_bytes as f64 * 8.0 / policer.rate_bps;
            if burst_s > MAX_BURST_S {
                let message = format!("the bucket takes {burst_s:.0} s to fill, at most {MAX_BURST_S:.0}");
                return Err(error(format!("{key}.policers[{index}].burst_bytes"), message));
            }
        }
        Ok(())
    }

    /// Bytes of the largest packet of any flow, from the IP header on; an acknowledgement carries 28 of SACK at most.
    fn largest_packet_bytes(&self) -> u64 {
        let header = u64::from(self.tcp.header_bytes);
        let tcp = header + u64::from(self.tcp.segment_data_bytes).max(28);
        let pings = self.flows.iter().map(|flow| match flow.traffic {
            TrafficSpec::Ping { ip_bytes, .. } => u64::from(ip_bytes),
            _ => 0,
        });
        pings.max().unwrap_or_default().max(tcp)
    }
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
