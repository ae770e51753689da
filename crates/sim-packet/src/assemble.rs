//! From a scenario to a run.

mod change;
mod conditioner;
#[cfg(feature = "papers")]
mod promised;
mod tcp;

use crate::bucket::TokenBucket;
use crate::emulator::DelayEmulator;
use crate::event::Agenda;
use crate::flow::{Ends, Flow, PingEnds, TcpEnds, UdpEnds};
use crate::link::{Egress, FifoEgress, Link};
use crate::meter::Conditioner;
use crate::network::{LinkNumber, Network, PacketCounts, SackStore};
use crate::port::{NO_CONDITIONER, ONLY_GUARANTEES, Port, Treatment};
use crate::queue::{Average, ClassQueue, Curve, Delays, DisciplineKind, DropTail, Gred, Ramp, Wred};
#[cfg(feature = "papers")]
use crate::queue::{Projecting, ProportionalIntegral};
use crate::reception::{Interrupts, Polling, Reception};
use crate::ring::Ring;
use crate::router::Router;
#[cfg(feature = "papers")]
use crate::scheduler::RoundRobin;
use crate::scheduler::{PriorityWfq, QueueProfile, SchedulerKind, StrictPartition};
use crate::senders::Senders;
use crate::simulation::Simulation;
use crate::simulation::sleep::Sleep;
use crate::sources::Sources;
use crate::trace::TraceHash;
use crate::traffic::{Connections, Intervals, Ping, SourceKind, Supply, Udp};
pub use change::change_port;
use conditioner::make_conditioner;
use hntes_sim_scenario::results::ByCause;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::{Percent, Rate};
use hntes_sim_scenario::{self as scenario, Direction, Place, QueueId, Scenario, Scheduler, Traffic};
use hntes_sim_scenario::{Aggregate, ConditionerId, Data, Discipline, FlowId, NodeId};
#[cfg(feature = "papers")]
use promised::{make_guarantees, make_marker};
use std::collections::HashMap;
use tcp::tcp_parameters;

/// A run that is ready to start.
pub fn assemble(scenario: &Scenario) -> Simulation {
    let flows: Vec<Flow> = scenario.flows().iter().map(|flow| make_flow(scenario, flow)).collect();
    let sources = Sources::new(scenario.links().len(), scenario.routers().len(), flows.len());
    let is_metered = scenario.ports().iter().any(|port| !port.conditioners.is_empty());
    let received_bytes = is_metered.then(Box::default);
    let mut senders = Senders::default();
    let network = Network {
        links: scenario.links().iter().map(|link| make_link(scenario, link, sources)).collect(),
        ports: scenario.ports().iter().map(|port| make_port(scenario, port, &mut senders)).collect(),
        senders,
        routers: make_routers(scenario),
        hosts: scenario.hosts().len(),
        next_links: next_links(scenario),
        counts: vec![PacketCounts { received_bytes, ..PacketCounts::default() }; flows.len()],
        sacks: SackStore::default(),
        departures: 0,
        agenda: Agenda::new(sources.count()),
        sources,
        trace: TraceHash::new(),
    };
    Simulation::new(scenario.clone(), network, flows)
}

/// For each node and each flow the links its forward and its reverse packets take there.
fn next_links(scenario: &Scenario) -> Vec<[LinkNumber; 2]> {
    let (nodes, flows) = (scenario.hosts().len() + scenario.routers().len(), scenario.flows().len());
    let mut next = vec![[LinkNumber::NONE; 2]; nodes * flows];
    for flow in scenario.flows() {
        for direction in Direction::BOTH {
            for &link in flow.path(direction) {
                let node = scenario.link(link).from.index();
                next[node * flows + flow.id.index()][direction as usize] = link.into();
            }
        }
    }
    next
}

fn make_link(scenario: &Scenario, link: &scenario::Link, sources: Sources) -> Link {
    let rate = link.rate.rate();
    let reception = match scenario.place(link.to) {
        Place::Host(host) => Some(make_reception(scenario, scenario.host(host), &link.name)),
        Place::Router(_) => None,
    };
    Link {
        wakes: match scenario.place(link.to) {
            Place::Host(_) => sources.link(link.id),
            Place::Router(router) => sources.router(router),
        },
        rate,
        delay: link.delay.time(),
        framing: link.framing,
        pipe: Ring::new(),
        head: Time::NEVER,
        egress: match link.port {
            Some(port) => Egress::Port(port),
            None => Egress::Fifo(FifoEgress {
                limit: rate.time_of(link.queue.limit_bytes),
                tail: DropTail::new(rate.time_of(link.queue.reopen_bytes).ps()),
                peak: Time::ZERO,
                emulator: make_emulator(scenario, link),
            }),
        },
        reception,
        loss_probability: link.loss_probability,
        random: scenario.stream(&format!("loss/{}", link.name)),
        busy_until: Time::ZERO,
        entered_pkts: 0,
        left_pkts: 0,
        wire_bytes: 0,
        dropped_pkts: ByCause::default(),
        earlier: (0, Time::ZERO),
    }
}

/// Of a link that leads from a host whose emulator has a limit.
fn make_emulator(scenario: &Scenario, link: &scenario::Link) -> Option<Box<DelayEmulator>> {
    let Place::Host(host) = scenario.place(link.from) else { return None };
    let scenario::DelayEmulator { delay, limit_buffers } = scenario.host(host).delay_emulator?;
    limit_buffers.map(|limit| Box::new(DelayEmulator::new(delay.time(), limit as usize)))
}

fn make_reception(scenario: &Scenario, host: &scenario::Host, link_name: &str) -> Reception {
    let random = scenario.stream(&format!("stalls/{link_name}"));
    let interrupts = Interrupts::new(host.interrupt_gap.time(), host.stall.time(), host.stalls_per_s, random);
    match host.polling {
        Some(scenario::Polling { interrupt, packet, poll_pkts }) => {
            Reception::Polls(Box::new(Polling::new(interrupts, interrupt.time(), packet.time(), poll_pkts)))
        }
        None => Reception::Interrupts(interrupts),
    }
}

fn make_routers(scenario: &Scenario) -> Vec<Router> {
    let mut used = vec![false; scenario.links().len()];
    for flow in scenario.flows() {
        for &link in Direction::BOTH.iter().flat_map(|&direction| flow.path(direction)) {
            used[link.index()] = true;
        }
    }
    let is_used = |link: &&scenario::Link| used[link.id.index()];
    scenario.router_nodes().map(|node| make_router(scenario, node, is_used)).collect()
}

fn make_router(scenario: &Scenario, node: NodeId, is_used: impl Fn(&&scenario::Link) -> bool) -> Router {
    let in_links = || scenario.links().iter().filter(|link| link.to == node).filter(&is_used);
    // Without a link that is used, no packet asks how far the router may run ahead.
    // Who sleeps until a port hands a packet over asks when that will be.
    let is_watched = scenario.flows().iter().any(|flow| slack_of(flow).is_some());
    let least_delay = in_links().map(|link| link.delay.time()).min();
    let lookahead = least_delay.filter(|_| !is_watched).unwrap_or(Time::ZERO);
    let own_ports = scenario.ports().iter().filter(|port| scenario.link(port.link).from == node);
    Router::new(in_links().map(|link| link.id).collect(), own_ports.map(|port| port.id).collect(), lookahead)
}

fn make_port(scenario: &Scenario, port: &scenario::Port, senders: &mut Senders) -> Port {
    let link = scenario.link(port.link);
    let random = scenario.stream(&format!("queues/{}", link.name));
    let mut made = Port::new(port.link, link.framing, make_scheduler(port, link.rate.rate()), random);
    made.bucket = port.token_bucket_bytes.map(TokenBucket::new);
    for queue in &port.queues {
        let discipline = make_discipline(&queue.discipline, port.reopen_bytes, link);
        let delays = queue.delay_bound.map(|bound| Delays::new(bound.time()));
        let mut of_class = ClassQueue::new(queue.limit_bytes, discipline, delays);
        of_class.is_watched |= port.scheduler.has_guarantees();
        made.queues.push(of_class);
    }
    add_treatments(scenario, port, senders, &mut made);
    made
}

fn make_discipline(discipline: &Discipline, reopen_bytes: u64, link: &scenario::Link) -> DisciplineKind {
    let tail = DropTail::new(reopen_bytes);
    match *discipline {
        Discipline::DropTail => DisciplineKind::DropTail(tail),
        Discipline::ByOccupancy { step } => {
            let ramps = [None, Some(Ramp::WHOLE), Some(Ramp::WHOLE)];
            DisciplineKind::Wred(Wred::new(step.pct(), ramps, reopen_bytes))
        }
        Discipline::ByColour { step, ramps } => {
            let ramp = |ramp: scenario::Ramp| Ramp { from: ramp.from.part(), to: ramp.to.part() };
            DisciplineKind::Wred(Wred::new(step.pct(), ramps.map(|each| each.map(ramp)), reopen_bytes))
        }
        Discipline::ByAverage { weight, mean_packet_bytes, counted, curves, marks_below } => {
            let wire_bytes = link.framing.wire_bytes(u64::from(mean_packet_bytes));
            let average = Average::new(weight, link.rate.rate().packet_time(wire_bytes));
            let curve = |curve: scenario::Curve| Curve {
                min_pkts: curve.min_pkts,
                max_pkts: curve.max_pkts,
                most: curve.max_probability,
                is_gentle: curve.is_gentle,
            };
            DisciplineKind::Gred(Box::new(Gred::new(&average, counted, curves.map(curve), marks_below, tail)))
        }
        #[cfg(feature = "papers")]
        Discipline::ProportionalIntegral { gains, reference_pkts, pace, marks } => {
            let controller = ProportionalIntegral::new(gains, reference_pkts, pace.time(), marks, tail);
            DisciplineKind::ProportionalIntegral(Box::new(controller))
        }
        #[cfg(feature = "papers")]
        Discipline::Projecting(marking) => {
            DisciplineKind::Projecting(Box::new(Projecting::new(make_marker(&marking), link.rate.rate(), tail)))
        }
        #[cfg(not(feature = "papers"))]
        _ => unreachable!("a scenario is refused if a discipline is not built in"),
    }
}

fn make_scheduler(port: &scenario::Port, link: Rate) -> SchedulerKind {
    let share = |share: Percent| ((share.part() * link.bps() as f64) as u64).max(Rate::MIN_BPS);
    let credit_window = match port.scheduler {
        Scheduler::PriorityWfq { .. } | Scheduler::RoundRobin { .. } if port.queues.len() == 1 => {
            return SchedulerKind::First;
        }
        Scheduler::StrictPartition => {
            let rates = port.queues.iter().map(|queue| Rate::from_bps(share(queue.rate_share))).collect();
            return SchedulerKind::StrictPartition(StrictPartition::new(rates));
        }
        #[cfg(feature = "papers")]
        Scheduler::RoundRobin { quantum_bytes } => {
            let least = port.queues.iter().map(|queue| queue.rate_share.pct()).fold(100.0, f64::min);
            let quantum = |queue: &scenario::Queue| (queue.rate_share.pct() / least * quantum_bytes as f64) as i64;
            return SchedulerKind::RoundRobin(RoundRobin::new(port.queues.iter().map(quantum).collect()));
        }
        #[cfg(feature = "papers")]
        Scheduler::ClassGuarantees { marking, credits_at_arrivals } => {
            let marker = marking.as_ref().map(make_marker);
            return SchedulerKind::ClassGuarantees(Box::new(make_guarantees(port, link, credits_at_arrivals, marker)));
        }
        Scheduler::PriorityWfq { credit_window } => credit_window,
        #[cfg(not(feature = "papers"))]
        _ => unreachable!("a scenario is refused if a scheduler is not built in"),
    };
    let profile = |queue: &scenario::Queue| QueueProfile {
        guarantee: (queue.rate_share.pct() > 0.0).then(|| Rate::from_bps(share(queue.rate_share))),
        priority: queue.priority,
        excess_priority: queue.excess_priority,
        weight: (queue.rate_share.pct() * 100.0).round().max(1.0) as u32,
    };
    let profiles: Vec<QueueProfile> = port.queues.iter().map(profile).collect();
    SchedulerKind::PriorityWfq(PriorityWfq::new(&profiles, credit_window.time()))
}

fn add_treatments(scenario: &Scenario, port: &scenario::Port, senders: &mut Senders, made: &mut Port) {
    let mut meters = HashMap::new();
    for flow in scenario.flows() {
        let treatments = Direction::BOTH.map(|direction| {
            let queue = port.queue_of(flow, direction);
            let unmetered = if port.scheduler.has_guarantees() { ONLY_GUARANTEES } else { NO_CONDITIONER };
            let conditioner = port.conditioner_of(queue).map_or(unmetered, |id| {
                let key = metered_together(&port.conditioner(id).aggregate, id, flow.id, direction);
                *meters.entry(key).or_insert_with(|| {
                    let number = made.conditioners.len() as u16;
                    made.conditioner_ids.push(id);
                    made.conditioners.push(make_conditioner(scenario, port, id, number, senders));
                    number
                })
            });
            let asks_about = made.conditioners.get(usize::from(conditioner)).and_then(Conditioner::asks_about);
            let sends_here = direction == Direction::Forward && flow.path(direction).contains(&port.link);
            if let Some(aggregate) = asks_about.filter(|_| sends_here) {
                senders.join(aggregate, flow.id.into());
            }
            Treatment { conditioner, queue: queue_number(queue) }
        });
        made.treatments.push(treatments);
    }
}

/// What packets have in common that one meter counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Metered {
    Class(ConditionerId),
    List(ConditionerId, usize),
    Flow(ConditionerId, FlowId, Direction),
}

fn metered_together(aggregate: &Aggregate, id: ConditionerId, flow: FlowId, direction: Direction) -> Metered {
    let list = match aggregate {
        Aggregate::Class => return Metered::Class(id),
        Aggregate::Flow => None,
        Aggregate::Lists(lists) => lists.iter().position(|list| list.contains(&flow)),
    };
    list.map_or(Metered::Flow(id, flow, direction), |list| Metered::List(id, list))
}

/// A port has at most 32 queues.
fn queue_number(queue: QueueId) -> u8 {
    queue.index() as u8
}

fn make_flow(scenario: &Scenario, flow: &scenario::Flow) -> Flow {
    let spans = flow.intervals.iter().map(|interval| (interval.start.time(), interval.end.time()));
    let intervals = Intervals::new(spans.collect());
    let delays = flow.has_one_way_delays.then(Vec::new);
    let (source, ends) = match flow.traffic {
        Traffic::Tcp { congestion, window_bytes, profile, data } => {
            let tcp = scenario.tcp_of(profile);
            let mut parameters = tcp_parameters(tcp, window_bytes);
            parameters.waits_for_bursts =
                scenario.host(flow.from).segmentation_offload.unwrap_or(tcp.segmentation_offload);
            let supply = supply(data, parameters.segment_data_bytes);
            let random = scenario.stream(&format!("congestion/{}", flow.name));
            let ends = TcpEnds::new(parameters, congestion, supply.is_sized(), random);
            (SourceKind::Connections(Connections::new(intervals, supply)), Ends::Tcp(Box::new(ends)))
        }
        Traffic::Udp { rate, datagram_bytes, spacing, on_off, .. } => {
            let gap = Time::from_s(f64::from(datagram_bytes) * 8.0 / rate.bps());
            let on_off = on_off.map(|cycle| (cycle.on.time(), cycle.off.time()));
            let ends = UdpEnds::new(datagram_bytes, scenario.fragments(datagram_bytes), delays);
            (SourceKind::Udp(Udp::new(intervals, gap, spacing, on_off)), Ends::Udp(ends))
        }
        Traffic::Ping { interval, ip_bytes, poisson, .. } => {
            let ends = PingEnds { ip_bytes, delays, ..PingEnds::default() };
            (SourceKind::Ping(Ping::new(intervals, interval.time(), poisson)), Ends::Ping(ends))
        }
    };
    let random = scenario.stream(&format!("traffic/{}", flow.name));
    let sleep = slack_of(flow).map(|slack| Box::new(Sleep::new(slack)));
    Flow { hosts: [flow.from, flow.to], source, ends, random, sleep }
}

/// How much longer than asked for the process sleeps that sends datagrams or echo requests.
fn slack_of(flow: &scenario::Flow) -> Option<Time> {
    let (Traffic::Udp { wakeup_slack, .. } | Traffic::Ping { wakeup_slack, .. }) = flow.traffic else { return None };
    Some(wakeup_slack.time()).filter(|&slack| slack > Time::ZERO)
}

fn supply(data: Data, segment_data_bytes: u16) -> Supply {
    let segment_bytes = u64::from(segment_data_bytes);
    match data {
        Data::Endless => Supply::Endless,
        Data::Transfer { bytes } => Supply::Transfer(bytes.div_ceil(segment_bytes) as u32),
        Data::Writes { bytes, every } => Supply::Writes { bytes, every: every.time(), segment_bytes },
        Data::Bursts { mean_bytes, mean_pause, distribution, count } => Supply::Bursts {
            mean_segments: mean_bytes / f64::from(segment_data_bytes),
            mean_pause: mean_pause.time(),
            distribution,
            count: count.unwrap_or(u32::MAX),
        },
        Data::Web { objects_per_page, mean_object_bytes, distribution, mean_think, pages } => Supply::Web {
            objects_per_page,
            mean_segments: mean_object_bytes / f64::from(segment_data_bytes),
            distribution,
            mean_think: mean_think.time(),
            pages: pages.unwrap_or(u32::MAX),
        },
    }
}
