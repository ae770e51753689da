//! From a scenario to a run.

mod books;
mod flows;
mod paths;
mod pings;
mod ports;

use crate::chunk::Chunk;
use crate::engine::Engine;
use crate::line::DelayLine;
use crate::ping::Probes;
use crate::port::{PortState, QueuePlace};
use crate::record::Books;
use crate::topology::{busy_links, crossing_s, in_order};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::{Direction, Flow, LinkId, Scenario, Traffic};

/// Steps in the shortest round-trip time, and the range of a step in seconds.
const STEPS_PER_ROUND_TRIP: f64 = 8.0;
const SHORTEST_STEP_S: f64 = 50e-6;
const LONGEST_STEP_S: f64 = 1e-3;

/// A run that is ready to start, in steps `longer` times as long as its own; the scenario has been found applicable.
pub fn build(scenario: &Scenario, longer: f64) -> Engine {
    let plan = Plan::new(scenario, longer);
    let mut parts = Parts {
        lines: Vec::new(),
        ports: plan.order.iter().map(|&link| ports::port(&plan, scenario.link(link))).collect(),
    };
    let flows = scenario.flows().iter().map(|flow| flows::flow(&plan, &mut parts, flow)).collect();
    ports::finish(&plan, &mut parts.ports);
    let probes = Probes::new(pings::pings(&plan), Random::named(scenario.seed(), "fluid/probes"));
    let books = scenario.links().iter().map(|link| books::book(&plan, link)).collect();
    Engine {
        scenario: scenario.clone(),
        step_s: plan.step_s,
        steps: (scenario.duration().s() / plan.step_s).round() as u64,
        steps_per_interval: (scenario.interval().s() / plan.step_s).round() as u64,
        done: 0,
        lines: parts.lines,
        ports: parts.ports,
        flows,
        probes,
        books: Books::new(books, f64::from(scenario.tcp().segment_data_bytes)),
    }
}

/// What is known before anything is built.
struct Plan<'a> {
    scenario: &'a Scenario,
    /// For each link whether it can hold a queue.
    busy: Vec<bool>,
    /// Those that can, each after the links that feed it: the ports.
    order: Vec<LinkId>,
    step_s: f64,
}

/// What grows while flows are laid.
struct Parts {
    lines: Vec<DelayLine<Chunk>>,
    ports: Vec<PortState>,
}

/// How a flow's packets look.
struct Packets {
    ip_bytes: f64,
    /// Packets per datagram; none for TCP.
    pieces: f64,
}

impl<'a> Plan<'a> {
    fn new(scenario: &'a Scenario, longer: f64) -> Self {
        let busy = busy_links(scenario);
        let order = in_order(scenario, &busy);
        Self { scenario, busy, order, step_s: step_length_s(scenario, longer) }
    }

    fn station_of(&self, link: LinkId) -> Option<usize> {
        self.order.iter().position(|&busy| busy == link)
    }

    /// The queue of a flow's packets at a link, among those of its port.
    fn queue_at(&self, link: LinkId, flow: &Flow, direction: Direction) -> usize {
        self.scenario.port_of(link).map_or(0, |port| port.queue_of(flow, direction).index())
    }

    fn place_at(&self, link: LinkId, flow: &Flow, direction: Direction) -> Option<QueuePlace> {
        Some(QueuePlace { port: self.station_of(link)?, queue: self.queue_at(link, flow, direction) })
    }

    fn packets(&self, flow: &Flow) -> Packets {
        if let Traffic::Udp { datagram_bytes, .. } = flow.traffic {
            let sizes = self.scenario.fragments(datagram_bytes);
            let (sum, pieces) = (sizes.iter().map(|&bytes| f64::from(bytes)).sum::<f64>(), sizes.len() as f64);
            return Packets { ip_bytes: sum / pieces, pieces };
        }
        Packets { ip_bytes: self.scenario.tcp().segment_ip_bytes(), pieces: 0.0 }
    }
}

/// A whole number of steps per interval, each a fraction of the shortest round trip, or `longer` times that.
fn step_length_s(scenario: &Scenario, longer: f64) -> f64 {
    let tcp_flows = scenario.flows().iter().filter(|flow| flow.traffic.is_tcp());
    let shortest_s =
        tcp_flows.map(|flow| round_trip_s(scenario, flow)).fold(LONGEST_STEP_S * STEPS_PER_ROUND_TRIP, f64::min);
    let wanted_s = (shortest_s / STEPS_PER_ROUND_TRIP).clamp(SHORTEST_STEP_S, LONGEST_STEP_S) * longer;
    let interval_s = scenario.interval().s();
    interval_s / (interval_s / wanted_s).ceil()
}

/// The round trip of a segment and its acknowledgement through empty queues, and how long hosts take to look at them: on
/// average half the least time between two looks.
fn round_trip_s(scenario: &Scenario, flow: &Flow) -> f64 {
    let header = f64::from(scenario.tcp().header_bytes);
    let crossing = |direction, ip_bytes| {
        flow.path(direction).iter().map(|&link| crossing_s(scenario.link(link), ip_bytes)).sum::<f64>()
    };
    let there_s = crossing(Direction::Forward, scenario.tcp().segment_ip_bytes());
    let back_s = crossing(Direction::Reverse, header);
    there_s + back_s + interrupt_gap_s(scenario, flow) / 2.0
}

/// The least time between two looks of the receiving host.
fn interrupt_gap_s(scenario: &Scenario, flow: &Flow) -> f64 {
    scenario.host(flow.to).interrupt_gap.s()
}
