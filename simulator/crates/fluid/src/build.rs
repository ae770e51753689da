//! From a scenario to a run.

use crate::applicable::NotApplicable;
use crate::drop::Bucket;
use crate::engine::Engine;
use crate::flow::{Ends, Flow, TcpEnds, UdpEnds, sender_parameters};
use crate::line::DelayLine;
use crate::ping::{Ping, Probes, Stretch, next_on};
use crate::queue::FluidQueue;
use crate::record::{LinkBook, Recorder};
use crate::share::{Profile, Sharing};
use crate::station::{ClassQueue, Policer, Slot, Station};
use crate::tcp::Receiver;
use crate::topology::Topology;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::{self as scenario, FlowSpec, OutOfProfile, PortSpec, Scenario, TrafficSpec, classify};

/// Steps in the shortest round-trip time, and the range of a step in seconds.
const STEPS_A_ROUND_TRIP: f64 = 8.0;
const SHORTEST_STEP_S: f64 = 50e-6;
const LONGEST_STEP_S: f64 = 1e-3;

/// How a flow's packets look.
struct Packets {
    ip_bytes: f64,
    pieces: f64,
}

struct Builder<'a> {
    topology: Topology<'a>,
    busy: Vec<bool>,
    order: Vec<usize>,
    step_s: f64,
    lines: Vec<DelayLine<crate::chunk::Chunk>>,
    stations: Vec<Station>,
}

/// A run that is ready to start; the scenario has been found applicable.
///
/// # Errors
/// What is wrong with the scenario, with the key.
pub fn build(scenario: &Scenario) -> Result<Engine, NotApplicable> {
    let topology = Topology::new(scenario)?;
    let busy = topology.busy_links();
    let order = topology.in_order(&busy);
    let step_s = step_length(&topology);
    let mut builder = Builder { topology, busy, order, step_s, lines: Vec::new(), stations: Vec::new() };
    for link in builder.order.clone() {
        let station = builder.station(link);
        builder.stations.push(station);
    }
    let flows = scenario.flows.iter().enumerate().map(|(number, spec)| builder.flow(number, spec)).collect();
    builder.finish_stations();
    let pings = builder.pings();
    let links = (0..2 * scenario.links.len()).map(|link| builder.book(link)).collect();
    let segment_bytes = f64::from(scenario.tcp.segment_data_bytes);
    Ok(Engine {
        step_s,
        steps: (scenario.duration_s / step_s).round() as u64,
        steps_an_interval: (scenario.interval_s / step_s).round() as u64,
        done: 0,
        lines: builder.lines,
        stations: builder.stations,
        flows,
        probes: Probes::new(pings, Random::named(scenario.seed, "fluid/probes")),
        recorder: Recorder::new(links, segment_bytes),
    })
}

/// A whole number of steps an interval, each a fraction of the shortest round trip.
fn step_length(topology: &Topology<'_>) -> f64 {
    let scenario = topology.scenario;
    let shortest = scenario
        .flows
        .iter()
        .filter(|flow| matches!(flow.traffic, TrafficSpec::Tcp { .. }))
        .map(|flow| round_trip_s(topology, flow))
        .fold(LONGEST_STEP_S * STEPS_A_ROUND_TRIP, f64::min);
    let wanted = (shortest / STEPS_A_ROUND_TRIP).clamp(SHORTEST_STEP_S, LONGEST_STEP_S);
    scenario.interval_s / (scenario.interval_s / wanted).ceil()
}

/// The round trip of a segment and its acknowledgement through empty queues, and how long hosts take to look at them.
fn round_trip_s(topology: &Topology<'_>, flow: &FlowSpec) -> f64 {
    let tcp = &topology.scenario.tcp;
    let header = f64::from(tcp.header_bytes);
    let there = topology
        .path(flow, false)
        .iter()
        .map(|&link| topology.crossing_s(link, header + f64::from(tcp.segment_data_bytes)))
        .sum::<f64>();
    let back = topology.path(flow, true).iter().map(|&link| topology.crossing_s(link, header)).sum::<f64>();
    there + back + interrupt_gap_s(topology, &flow.to) / 2.0
}

fn interrupt_gap_s(topology: &Topology<'_>, host: &str) -> f64 {
    topology.host(host).map_or(0.0, |host| host.interrupt_gap_us * 1e-6)
}

impl Builder<'_> {
    fn packets(&self, spec: &FlowSpec) -> Packets {
        let tcp = &self.topology.scenario.tcp;
        match spec.traffic {
            TrafficSpec::Udp { datagram_bytes, .. } => {
                let sizes = self.topology.fragments(datagram_bytes);
                let sum: f64 = sizes.iter().map(|&bytes| f64::from(bytes)).sum();
                Packets { ip_bytes: sum / sizes.len() as f64, pieces: sizes.len() as f64 }
            }
            _ => Packets { ip_bytes: f64::from(tcp.segment_data_bytes) + f64::from(tcp.header_bytes), pieces: 0.0 },
        }
    }

    fn station_of(&self, link: usize) -> Option<usize> {
        self.order.iter().position(|&busy| busy == link)
    }

    fn station(&self, link: usize) -> Station {
        let spec = self.topology.spec(link);
        let bytes_a_step = spec.rate_bps / 8.0 * self.step_s;
        let random = Random::named(self.topology.scenario.seed, &format!("fluid/{}", self.topology.name(link)));
        let queues = if let Some((_, port)) = self.topology.port(link) {
            port.queues.iter().map(|queue| self.port_queue(link, port, queue)).collect()
        } else {
            let host = self.topology.host(self.topology.start(link));
            let (limit, reopen) = host.map_or((spec.buffer_bytes, spec.reopen_bytes), |host| (host.nic_queue_bytes, 0));
            let queue = FluidQueue::new(Vec::new(), limit as f64, reopen as f64);
            vec![ClassQueue::new(self.topology.name(link), queue, Vec::new(), None)]
        };
        let mut station = Station::new(link, bytes_a_step, queues, random);
        station.loss_probability = self.topology.loss_probability(link);
        if let Some((_, port)) = self.topology.port(link) {
            station.sharing = sharing(port);
        }
        station
    }

    fn port_queue(&self, link: usize, port: &PortSpec, queue: &scenario::QueueSpec) -> ClassQueue {
        let limit = (queue.buffer_share_pct / 100.0 * port.buffer_bytes as f64).floor();
        let fluid = FluidQueue::new(Vec::new(), limit, port.reopen_bytes as f64);
        ClassQueue::new(format!("{}/{}", self.topology.name(link), queue.class), fluid, Vec::new(), queue.wred_step_pct)
    }

    /// A flow, with its lines and its slots at the stations on its way.
    fn flow(&mut self, number: usize, spec: &FlowSpec) -> Flow {
        let mut flow = Flow {
            name: spec.name.clone(),
            intervals_s: spec.intervals_s.clone(),
            ends: Ends::Ping,
            first_line: 0,
            last_line: 0,
            sent_pkts: 0.0,
            delivered_pkts: 0.0,
        };
        match &spec.traffic {
            TrafficSpec::Tcp { congestion, window_bytes } => {
                let steps = self.lay_path(number, spec, &mut flow);
                flow.ends = Ends::Tcp(Box::new(self.tcp_ends(spec, *congestion, *window_bytes, steps)));
            }
            TrafficSpec::Udp { rate_bps, datagram_bytes, on_off_s, .. } => {
                self.lay_path(number, spec, &mut flow);
                let pieces = self.packets(spec).pieces;
                let payload_bytes = f64::from(*datagram_bytes);
                let pkts_a_second = rate_bps / 8.0 / payload_bytes * pieces;
                flow.ends = Ends::Udp(UdpEnds {
                    pkts_a_second,
                    pieces,
                    payload_bytes,
                    on_off_s: *on_off_s,
                    received: 0.0,
                    owed: 0.0,
                });
            }
            TrafficSpec::Ping { .. } => {}
        }
        flow
    }

    /// Lay the lines of a flow's data; the steps they take together.
    fn lay_path(&mut self, number: usize, spec: &FlowSpec, flow: &mut Flow) -> f64 {
        let packets = self.packets(spec);
        let (mut way_s, mut laid) = (0.0, 0.0);
        let mut from: Option<(usize, usize, usize)> = None;
        flow.first_line = self.lines.len();
        for link in self.topology.path(spec, false) {
            if let Some(station) = self.station_of(link) {
                let input = self.lay_line(way_s, &mut laid);
                if let Some((station, queue, slot)) = from {
                    self.stations[station].queues[queue].slots[slot].output = input;
                }
                let queue = self.topology.port(link).map_or(0, |(_, port)| usize::from(classify(port, spec, false)));
                let slot = self.slot(number, spec, link, &packets, input);
                let class = &mut self.stations[station].queues[queue];
                class.slots.push(slot);
                from = Some((station, queue, class.slots.len() - 1));
            }
            way_s += self.topology.crossing_s(link, packets.ip_bytes);
        }
        flow.last_line = self.lay_line(way_s, &mut laid);
        if let Some((station, queue, slot)) = from {
            self.stations[station].queues[queue].slots[slot].output = flow.last_line;
        }
        laid
    }

    /// A line up to a point so far from the start; whole steps, so that errors do not add up.
    fn lay_line(&mut self, way_s: f64, laid: &mut f64) -> usize {
        let steps = (way_s / self.step_s).round();
        self.lines.push(DelayLine::new(steps - *laid));
        *laid = steps;
        self.lines.len() - 1
    }

    fn slot(&self, number: usize, spec: &FlowSpec, link: usize, packets: &Packets, input: usize) -> Slot {
        let first = self.topology.path(spec, false)[0];
        let host_pps = self.topology.spec(first).rate_bps
            / 8.0
            / (packets.ip_bytes + self.topology.spec(first).framing_bytes as f64);
        let gap_s = interrupt_gap_s(&self.topology, &spec.to);
        Slot {
            flow: number,
            input,
            output: 0,
            policer: self.policer(link, number, spec),
            ip_bytes: packets.ip_bytes,
            whole_losses: matches!(spec.traffic, TrafficSpec::Tcp { .. }),
            pieces: packets.pieces,
            piece_span: (packets.pieces - 1.0).max(0.0) / host_pps / self.step_s,
            looks_a_step: if gap_s > 0.0 { self.step_s / gap_s } else { f64::INFINITY },
            round_trip_s: match spec.traffic {
                TrafficSpec::Tcp { .. } => round_trip_s(&self.topology, spec),
                _ => f64::INFINITY,
            },
            lost: [0.0; 4],
        }
    }

    /// The number of the policer a flow passes at a link; numbers are those of `policers_of`.
    fn policer(&self, link: usize, number: usize, spec: &FlowSpec) -> Option<usize> {
        let (_, port) = self.topology.port(link)?;
        let class = &port.queues[usize::from(classify(port, spec, false))].class;
        let policer = port.policers.iter().position(|policer| policer.class == *class)?;
        // Each policer has one bucket for the class, and then one for each flow.
        let flows = self.topology.scenario.flows.len();
        Some(policer * (flows + 1) + if port.policers[policer].per_flow { number + 1 } else { 0 })
    }

    fn finish_stations(&mut self) {
        let flows = self.topology.scenario.flows.len();
        for station in &mut self.stations {
            let framing = self.topology.spec(station.link).framing_bytes as f64;
            for class in &mut station.queues {
                class.queue.packet_bytes = class.slots.iter().map(|slot| slot.ip_bytes + framing).collect();
                class.make_room();
            }
            let Some((_, port)) = self.topology.port(station.link) else { continue };
            for policer in &port.policers {
                let bucket = Bucket::new(policer.rate_bps, policer.burst_bytes as f64);
                let drops = policer.out_of_profile == OutOfProfile::Drop;
                station.policers.extend((0..=flows).map(|_| Policer { bucket, drops }));
            }
        }
    }

    fn tcp_ends(
        &self,
        spec: &FlowSpec,
        congestion: scenario::CongestionSpec,
        window_bytes: Option<u64>,
        laid_steps: f64,
    ) -> TcpEnds {
        let tcp = &self.topology.scenario.tcp;
        let path = self.topology.path(spec, false);
        // What is sent in one step is answered in the next at the earliest.
        let round_trip_s = round_trip_s(&self.topology, spec);
        let report_steps = (round_trip_s / self.step_s - laid_steps - 1.0).max(0.0);
        let slowest_bps = path.iter().map(|&link| self.topology.spec(link).rate_bps).fold(f64::INFINITY, f64::min);
        let framing = self.topology.spec(path[0]).framing_bytes as f64;
        let wire_bytes = f64::from(tcp.segment_data_bytes) + f64::from(tcp.header_bytes) + framing;
        let at_once = slowest_bps / 8.0 / wire_bytes * interrupt_gap_s(&self.topology, &spec.to);
        TcpEnds {
            parameters: sender_parameters(tcp, window_bytes),
            congestion,
            htcp: [tcp.htcp_rtt_scaling, tcp.htcp_bandwidth_switch],
            sender: None,
            receiver: Receiver::default(),
            established_s: 0.0,
            round_trip_s,
            reports: DelayLine::new(report_steps),
            report_steps,
            forward_queues: self.queues_on(spec, false),
            reverse_queues: self.queues_on(spec, true),
            card: self.station_of(path[0]),
            segment_s: wire_bytes * 8.0 / self.topology.spec(path[0]).rate_bps,
            a_look: at_once.min(f64::from(tcp.merge_segments)).max(1.0),
            clamp_held: (tcp.clamp_held_bytes as f64 / f64::from(tcp.segment_data_bytes)).max(1.0),
            stale_pkts: 0.0,
            earlier_pkts: 0.0,
            earlier_out_of_sequence: 0.0,
            acks: 0.0,
            quick_acks: f64::from(tcp.quick_acks),
            quick_left: 0.0,
            delayed_ack_s: tcp.delayed_ack_ms * 1e-3,
            flights: 0.0,
        }
    }

    fn queues_on(&self, spec: &FlowSpec, reverse: bool) -> Vec<(usize, usize)> {
        let path = self.topology.path(spec, reverse);
        path.into_iter().filter_map(|link| Some((self.station_of(link)?, self.queue_at(link, spec, reverse)))).collect()
    }

    fn queue_at(&self, link: usize, spec: &FlowSpec, reverse: bool) -> usize {
        self.topology.port(link).map_or(0, |(_, port)| usize::from(classify(port, spec, reverse)))
    }

    fn pings(&self) -> Vec<Ping> {
        let flows = self.topology.scenario.flows.iter().enumerate();
        flows
            .filter_map(|(number, spec)| {
                let TrafficSpec::Ping { interval_s, ip_bytes, poisson } = spec.traffic else { return None };
                let mut way = vec![Stretch { delay_s: 0.0, queue: None }];
                for reverse in [false, true] {
                    for link in self.topology.path(spec, reverse) {
                        if let Some(station) = self.station_of(link) {
                            if let Some(last) = way.last_mut() {
                                last.queue = Some((station, self.queue_at(link, spec, reverse)));
                            }
                            way.push(Stretch { delay_s: 0.0, queue: None });
                        }
                        if let Some(last) = way.last_mut() {
                            last.delay_s += self.topology.crossing_s(link, f64::from(ip_bytes));
                        }
                    }
                }
                let intervals_s = spec.intervals_s.clone();
                let next_s = next_on(&intervals_s, 0.0);
                Some(Ping {
                    flow: number,
                    way,
                    ip_bytes: f64::from(ip_bytes),
                    gap_s: interval_s,
                    poisson,
                    intervals_s,
                    next_s,
                    sent: 0,
                    replies: Vec::new(),
                    lost: 0,
                })
            })
            .collect()
    }

    fn book(&self, link: usize) -> LinkBook {
        let framing = self.topology.spec(link).framing_bytes as f64;
        let mut book = LinkBook {
            name: self.topology.name(link),
            station: self.station_of(link),
            before_queues: Vec::new(),
            after_queues: Vec::new(),
            acks: Vec::new(),
            has_port: self.topology.port(link).is_some(),
        };
        for (number, spec) in self.topology.scenario.flows.iter().enumerate() {
            let path = self.topology.path(spec, false);
            if let (Some(at), false) =
                (path.iter().position(|&l| l == link), matches!(spec.traffic, TrafficSpec::Ping { .. }))
            {
                let entry = (number, self.packets(spec).ip_bytes + framing);
                let list = if path[..at].iter().any(|&l| self.busy[l]) {
                    &mut book.after_queues
                } else {
                    &mut book.before_queues
                };
                list.push(entry);
            }
            if matches!(spec.traffic, TrafficSpec::Tcp { .. }) && self.topology.path(spec, true).contains(&link) {
                book.acks.push((number, f64::from(self.topology.scenario.tcp.header_bytes) + framing));
            }
        }
        book
    }
}

fn sharing(port: &PortSpec) -> Option<Sharing> {
    let profiles = port
        .queues
        .iter()
        .map(|queue| Profile {
            guarantee: queue.rate_share_pct / 100.0,
            priority: queue.priority,
            excess_priority: queue.excess_priority.unwrap_or(queue.priority),
            weight: queue.rate_share_pct.max(0.01),
        })
        .collect();
    match port.sharing {
        scenario::Sharing::StrictlyPartitioned => Some(Sharing::Partitioned(profiles)),
        scenario::Sharing::WorkConserving if port.queues.len() == 1 => None,
        scenario::Sharing::WorkConserving => Some(Sharing::WorkConserving(profiles)),
    }
}
