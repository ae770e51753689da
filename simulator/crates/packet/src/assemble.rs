//! From a scenario to a run.

use crate::event::Agenda;
use crate::flow::{CongestionName, Ends, Flow, PingEnds, TcpEnds, UdpEnds};
use crate::link::{Egress, FifoEgress, Link, Reception};
use crate::meter::{Action, Conditioner, MeterKind, TokenBucket};
use crate::network::{Network, PacketCounts, SackStore};
use crate::port::{NO_CONDITIONER, Port, Treatment};
use crate::queue::{ClassQueue, DisciplineKind, DropCause, DropTail, Wred};
use crate::ring::Ring;
use crate::rng::Random;
use crate::router::Router;
use crate::scheduler::{PriorityWfq, QueueProfile, SchedulerKind, StrictPartition};
use crate::simulation::Simulation;
use crate::stats::Recorder;
use crate::tcp::TcpParameters;
use crate::tcp::congestion::HTcpParameters;
use crate::tcp::receiver::ReceiverParameters;
use crate::time::Time;
use crate::trace::TraceHash;
use crate::traffic::{Greedy, Intervals, Pattern, Ping, SourceKind, Udp};
use crate::units::Rate;
use hntes_sim_scenario::{CongestionSpec, FlowSpec, HostSpec, LinkSpec, OutOfProfile, PolicerSpec, PortSpec};
use hntes_sim_scenario::{Scenario, ScenarioError, Sharing, TcpSpec, TrafficSpec};
use hntes_sim_scenario::{class_number, classify, fragment_sizes, node_names, route_table, used_links};

/// A run that is ready to start.
///
/// # Errors
/// What is wrong with the scenario, with the key.
pub fn assemble(scenario: &Scenario) -> Result<Simulation, ScenarioError> {
    let routes = route_table(scenario)?;
    let mut links = Vec::new();
    for spec in &scenario.links {
        links.push(make_link(scenario, spec, &spec.from, &spec.to, spec.loss_probability));
        links.push(make_link(scenario, spec, &spec.to, &spec.from, 0.0));
    }
    let mut ports = Vec::new();
    for spec in &scenario.ports {
        let name = format!("{}->{}", spec.at, spec.to);
        let link = links.iter().position(|link| link.name == name).unwrap_or_default();
        links[link].egress = Egress::Port(ports.len());
        ports.push(make_port(scenario, spec, link, &links[link]));
    }
    let flows: Vec<Flow> = scenario.flows.iter().map(|spec| make_flow(scenario, spec)).collect();
    let sources = Simulation::source_count(links.len(), scenario.routers.len(), flows.len());
    let hosts = scenario.hosts.len();
    for (number, link) in links.iter_mut().enumerate() {
        link.wakes = if link.to < hosts { number } else { 2 * scenario.links.len() + link.to - hosts };
    }
    let used = used_links(scenario, &routes);
    let all_routers =
        (0..scenario.routers.len()).map(|number| make_router(hosts + number, &links, &ports, &used)).collect();
    let next_links = links_by_flow(&routes, hosts, &flows);
    let network = Network {
        links,
        ports,
        routers: all_routers,
        hosts,
        next_links,
        counts: vec![PacketCounts::default(); flows.len()],
        sacks: SackStore::default(),
        departures: 0,
        agenda: Agenda::new(sources),
        trace: TraceHash::new(),
    };
    let recorder = Recorder::new(Time::from_s(scenario.interval_s));
    Ok(Simulation::new(network, flows, recorder, Time::from_s(scenario.duration_s)))
}

/// For each node and each flow the links its forward and its reverse packets take there.
fn links_by_flow(routes: &[u16], hosts: usize, flows: &[Flow]) -> Vec<[u16; 2]> {
    let at_node = |towards: &[u16]| flows.iter().map(|flow| [towards[flow.hosts[1]], towards[flow.hosts[0]]]).collect();
    routes.chunks(hosts.max(1)).flat_map(|towards| -> Vec<[u16; 2]> { at_node(towards) }).collect()
}

fn stream(scenario: &Scenario, name: &str) -> Random {
    let seed = scenario.seeds.get(name).copied().unwrap_or(scenario.seed);
    Random::named(seed, name)
}

fn host_number(scenario: &Scenario, name: &str) -> usize {
    scenario.hosts.iter().position(|host| host.name == name).unwrap_or_default()
}

fn make_link(scenario: &Scenario, spec: &LinkSpec, from: &str, to: &str, loss_probability: f64) -> Link {
    let name = format!("{from}->{to}");
    let host_of = |node: &str| -> Option<&HostSpec> { scenario.hosts.iter().find(|host| host.name == node) };
    let rate = Rate::from_bps(spec.rate_bps.round() as u64);
    let room = host_of(from).map_or(spec.buffer_bytes, |host| host.nic_queue_bytes);
    let reopen = if host_of(from).is_some() { 0 } else { spec.reopen_bytes };
    let reception = host_of(to).map(|host| {
        let random = stream(scenario, &format!("stalls/{name}"));
        Reception::new(micros(host.interrupt_gap_us), micros(host.stall_us), host.stalls_per_s, random)
    });
    Link {
        to: node_names(scenario).iter().position(|node| *node == to).unwrap_or_default(),
        wakes: 0,
        rate,
        delay: micros(spec.delay_us),
        framing_bytes: spec.framing_bytes,
        pipe: Ring::new(),
        egress: Egress::Fifo(FifoEgress {
            limit: rate.time_of(room),
            tail: DropTail::new(rate.time_of(reopen).ps()),
            peak: Time::ZERO,
        }),
        reception,
        loss_probability,
        random: stream(scenario, &format!("loss/{name}")),
        busy_until: Time::ZERO,
        entered_pkts: 0,
        left_pkts: 0,
        wire_bytes: 0,
        dropped_pkts: [0; DropCause::ALL.len()],
        name,
    }
}

fn make_router(node: usize, links: &[Link], ports: &[Port], used: &[bool]) -> Router {
    let in_links: Vec<usize> = (0..links.len()).filter(|&link| used[link] && links[link].to == node).collect();
    let lookahead = in_links.iter().map(|&link| links[link].delay).min().unwrap_or_default();
    // The other direction of a link has its neighbour's number, and leads to where the port stands.
    let own = (0..ports.len()).filter(|&port| links[ports[port].link ^ 1].to == node);
    Router::new(in_links, own.collect(), lookahead)
}

fn make_port(scenario: &Scenario, spec: &PortSpec, number: usize, link: &Link) -> Port {
    let random = stream(scenario, &format!("queues/{}", link.name));
    let mut port = Port::new(number, link.framing_bytes, make_scheduler(spec, link.rate), random);
    for queue in &spec.queues {
        let limit_bytes = (queue.buffer_share_pct / 100.0 * spec.buffer_bytes as f64) as u64;
        let discipline = match queue.wred_step_pct {
            Some(step) => DisciplineKind::Wred(Wred::new(step, spec.reopen_bytes)),
            None => DisciplineKind::DropTail(DropTail::new(spec.reopen_bytes)),
        };
        port.queues.push(ClassQueue::new(limit_bytes, discipline));
        port.queue_names.push(format!("{}/{}", link.name, queue.class));
    }
    add_treatments(scenario, spec, &mut port);
    port
}

fn make_scheduler(spec: &PortSpec, link: Rate) -> SchedulerKind {
    let share = |pct: f64| ((pct / 100.0 * link.bps() as f64) as u64).max(Rate::MIN_BPS);
    if spec.sharing == Sharing::StrictlyPartitioned {
        let rates = spec.queues.iter().map(|queue| Rate::from_bps(share(queue.rate_share_pct))).collect();
        return SchedulerKind::StrictPartition(StrictPartition::new(rates));
    }
    if spec.queues.len() == 1 {
        return SchedulerKind::First;
    }
    let profiles: Vec<QueueProfile> = spec
        .queues
        .iter()
        .map(|queue| QueueProfile {
            guarantee: (queue.rate_share_pct > 0.0).then(|| Rate::from_bps(share(queue.rate_share_pct))),
            priority: queue.priority,
            excess_priority: queue.excess_priority.unwrap_or(queue.priority),
            weight: (queue.rate_share_pct * 100.0).round().max(1.0) as u32,
        })
        .collect();
    SchedulerKind::PriorityWfq(PriorityWfq::new(&profiles, micros(spec.credit_window_us)))
}

fn add_treatments(scenario: &Scenario, spec: &PortSpec, port: &mut Port) {
    let mut shared: Vec<Option<u16>> = vec![None; spec.policers.len()];
    for flow in &scenario.flows {
        let treatments = [false, true].map(|reverse| {
            let queue = classify(spec, flow, reverse);
            let policer = spec.policers.iter().position(|policer| class_number(spec, &policer.class) == queue);
            let conditioner = policer.map_or(NO_CONDITIONER, |index| {
                let policer = &spec.policers[index];
                let existing = if policer.per_flow { None } else { shared[index] };
                existing.unwrap_or_else(|| {
                    port.conditioners.push(make_conditioner(spec, policer));
                    let number = (port.conditioners.len() - 1) as u16;
                    shared[index] = Some(number);
                    number
                })
            });
            Treatment { conditioner, queue }
        });
        port.treatments.push(treatments);
    }
}

fn make_conditioner(spec: &PortSpec, policer: &PolicerSpec) -> Conditioner {
    let rate = Rate::from_bps(policer.rate_bps.round() as u64);
    let action = match (policer.out_of_profile, &policer.to_class) {
        (OutOfProfile::Drop, _) => Action::Drop,
        (OutOfProfile::Reclass, Some(class)) => Action::Requeue(class_number(spec, class)),
        (OutOfProfile::Reclass, None) | (OutOfProfile::Mark, _) => Action::Mark,
    };
    Conditioner::new(MeterKind::TokenBucket(TokenBucket::new(rate, policer.burst_bytes)), action)
}

fn make_flow(scenario: &Scenario, spec: &FlowSpec) -> Flow {
    let spans = spec.intervals_s.iter().map(|&[start, end]| (Time::from_s(start), Time::from_s(end)));
    let intervals = Intervals::new(spans.collect());
    let (source, ends) = match &spec.traffic {
        TrafficSpec::Tcp { congestion, window_bytes } => {
            let congestion = match congestion {
                CongestionSpec::Reno => CongestionName::Reno,
                CongestionSpec::Htcp => CongestionName::HTcp,
            };
            let parameters = tcp_parameters(&scenario.tcp, *window_bytes);
            (SourceKind::Greedy(Greedy::new(intervals)), Ends::Tcp(Box::new(TcpEnds::new(parameters, congestion))))
        }
        TrafficSpec::Udp { rate_bps, datagram_bytes, jitter, poisson, on_off_s } => {
            let gap = Time::from_s(f64::from(*datagram_bytes) * 8.0 / rate_bps);
            let pattern = if *poisson { Pattern::Poisson } else { Pattern::Even { jitter: *jitter } };
            let on_off = on_off_s.map(|[on, off]| (Time::from_s(on), Time::from_s(off)));
            let mtu = scenario.tcp.segment_data_bytes + scenario.tcp.header_bytes;
            let fragments = fragment_sizes(*datagram_bytes, mtu);
            let ends = UdpEnds::new(*datagram_bytes, fragments);
            (SourceKind::Udp(Udp::new(intervals, gap, pattern, on_off)), Ends::Udp(ends))
        }
        TrafficSpec::Ping { interval_s, ip_bytes, poisson } => {
            let ends = PingEnds { ip_bytes: *ip_bytes, ..PingEnds::default() };
            (SourceKind::Ping(Ping::new(intervals, Time::from_s(*interval_s), *poisson)), Ends::Ping(ends))
        }
    };
    Flow {
        name: spec.name.clone(),
        hosts: [host_number(scenario, &spec.from), host_number(scenario, &spec.to)],
        source,
        ends,
        random: stream(scenario, &format!("traffic/{}", spec.name)),
    }
}

fn tcp_parameters(spec: &TcpSpec, window_bytes: Option<u64>) -> TcpParameters {
    let window = window_bytes.unwrap_or(spec.window_bytes);
    let segments = |bytes: u64| (bytes / u64::from(spec.segment_data_bytes)).clamp(1, 1 << 26) as u32;
    TcpParameters {
        segment_data_bytes: spec.segment_data_bytes,
        header_bytes: spec.header_bytes,
        syn_bytes: spec.syn_bytes,
        initial_window: spec.initial_window_pkts,
        initial_ssthresh: spec.initial_ssthresh_pkts,
        window_limit: segments(window),
        clamped_window_limit: segments(spec.clamped_window_bytes),
        reordering: spec.reordering_pkts,
        reordering_limit: spec.reordering_limit_pkts,
        fack: spec.fack,
        undo: spec.undo,
        disorder_burst: spec.disorder_burst_pkts,
        burst_follows_reordering: spec.burst_follows_reordering,
        rate_halving: spec.rate_halving,
        limited_burst_bytes: spec.limited_burst_bytes,
        stamp_step: micros(spec.stamp_step_us),
        initial_rto: micros(spec.initial_rto_ms * 1e3),
        min_rto: micros(spec.min_rto_ms * 1e3),
        htcp: HTcpParameters { rtt_scaling: spec.htcp_rtt_scaling, bandwidth_switch: spec.htcp_bandwidth_switch },
        receiver: ReceiverParameters {
            quick_acks: spec.quick_acks,
            delayed_ack: micros(spec.delayed_ack_ms * 1e3),
            merge_segments: spec.merge_segments,
            clamp_held: segments(spec.clamp_held_bytes),
        },
    }
}

fn micros(us: f64) -> Time {
    Time::from_s(us * 1e-6)
}
