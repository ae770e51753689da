//! The run: step by step, sources first, then ports in the order of the paths, then receivers.

use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::flow::{Ends, Flow, TcpEnds, is_on, time_on_s};
use crate::line::DelayLine;
use crate::ping::Probes;
use crate::port::PortState;
use crate::record::{Books, lost_pkts};
use crate::retransmission_loss;
use crate::tcp::Report;
use hntes_sim_scenario::{FlowId, Scenario};

/// One run, from start to end.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The scenario.
    pub scenario: Scenario,
    /// Length of a step.
    pub step_s: f64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Steps of an interval of the series.
    pub steps_per_interval: u64,
    /// Steps done.
    pub done: u64,
    /// Delay lines between hosts and ports.
    pub lines: Vec<DelayLine<Chunk>>,
    /// Links that can hold a queue, each after those that feed it.
    pub ports: Vec<PortState>,
    /// The flows, in the scenario's order.
    pub flows: Vec<Flow>,
    /// Pings.
    pub probes: Probes,
    /// Series.
    pub books: Books,
}

impl Engine {
    /// Have every segment sent again that comes within a step after a queue overflowed be lost, one of a flow in a step.
    ///
    /// Whether it finds room depends on single packets, and whether its flow then times out depends on that. Under Linux 6
    /// `retransmission_loss` loses what begins another recovery.
    pub fn lose_retransmissions(&mut self) {
        for class in self.ports.iter_mut().flat_map(|port| &mut port.queues) {
            class.loses_retransmissions = true;
        }
        for flow in &mut self.flows {
            if let Ends::Tcp(ends) = &mut flow.ends {
                ends.retransmission_loss_due_s = ends.parameters.is_linux_6.then_some(0.0);
            }
        }
    }

    /// Run on until so many steps are done, or to the end if that is earlier.
    pub fn run_until(&mut self, step: u64) {
        while self.done < step.min(self.steps) {
            self.step();
            if self.done % self.steps_per_interval == 0 {
                self.books.tick(&self.scenario, &self.flows, &mut self.ports);
            }
        }
    }

    fn step(&mut self) {
        let (start_s, end_s) = (self.done as f64 * self.step_s, (self.done + 1) as f64 * self.step_s);
        for (of, flow) in self.scenario.flows().iter().zip(&mut self.flows) {
            if matches!(flow.ends, Ends::Ping) {
                continue;
            }
            let chunk = send(of.id, flow, &self.ports, start_s, self.step_s);
            if !flow.has_sent() {
                if chunk.packets() <= 0.0 {
                    continue;
                }
                self.ports.iter_mut().for_each(|port| port.wake(of.id));
            }
            flow.sent_pkts += chunk.packets();
            self.lines[flow.first_line].put(&chunk);
        }
        for port in &mut self.ports {
            port.step(&mut self.lines, self.step_s);
        }
        for flow in &mut self.flows {
            receive(flow, &mut self.lines, &self.ports, self.step_s);
        }
        self.probes.step(&mut self.ports, start_s, end_s);
        self.done += 1;
    }
}

/// What a flow sends in a step.
fn send(id: FlowId, flow: &mut Flow, ports: &[PortState], start_s: f64, step_s: f64) -> Chunk {
    match &mut flow.ends {
        Ends::Udp(ends) => {
            let on_s = time_on_s(&flow.intervals_s, ends.on_off_s, start_s, start_s + step_s);
            Chunk { fresh: ends.pkts_per_s * on_s, ..Chunk::default() }
        }
        Ends::Tcp(ends) => {
            let report = ends.reports.take();
            if !is_on(&flow.intervals_s, start_s, start_s + step_s) {
                ends.close();
            } else if !ends.is_open() {
                let under_way = flow.sent_pkts - flow.delivered_pkts;
                let lost: f64 = lost_pkts(id, ports).total();
                ends.open(under_way - lost, wait_s(ends, ports, step_s), start_s);
            }
            if start_s < ends.established_s {
                return Chunk::default();
            }
            send_segments(ends, &report, ports, start_s)
        }
        Ends::Ping => Chunk::default(),
    }
}

/// How long what goes out now waits in queues, there and back.
fn wait_s(ends: &TcpEnds, ports: &[PortState], step_s: f64) -> f64 {
    let queues = ends.forward_queues.iter().chain(&ends.reverse_queues);
    queues.map(|place| ports[place.port].wait_s(place.queue, step_s)).sum()
}

fn send_segments(ends: &mut TcpEnds, report: &Report, ports: &[PortState], now_s: f64) -> Chunk {
    let card = ends.card.map(|card| (&ports[card.port], card.slot));
    let Some(sender) = &mut ends.sender else { return Chunk::default() };
    sender.on_report(report, now_s);
    ends.flights = (ends.flights - report.clumps).at_least(0.0);
    if sender.is_timed_out(now_s) {
        let lost_twice = ends.receiver.revive();
        sender.on_timeout(ends.receiver.missing(), lost_twice, now_s);
    }
    let (again, fresh) = sender.wanted();
    if again + fresh <= 0.0 {
        sender.note_use(0.0);
        return Chunk::default();
    }
    let full = card.map_or(f64::INFINITY, |(card, _)| card_room(card));
    // Segments for which the host's own queue has no room stay where they are, and the window as it is.
    let own = card.zip(sender.queue_limit()).map(|((card, slot), limit)| own_room(card, slot, limit));
    let room = own.map_or(full, |own| own.at_most(full));
    let (again_sent, fresh_sent) = (again.at_most(room), fresh.at_most((room - again).at_least(0.0)));
    let bursts = sender.on_sent(again_sent, fresh_sent, now_s);
    sender.note_use((again + fresh - room).at_least(0.0));
    if again + fresh > room && room >= full {
        sender.on_local_congestion(now_s);
    }
    let sent = again_sent + fresh_sent;
    // Each flight answers one; only the first of a slow start answers none.
    let answers = sender.in_slow_start() && report.clumps > 0.0;
    let clumps = if answers { report.clumps } else { sender.clumps(sent) };
    ends.flights += clumps;
    // A flight is spaced as the acknowledgements that let it out, but no closer than the first link sends it.
    let spread_s = if clumps > 0.0 { report.spread_s.at_least(sent * ends.segment_s) } else { 0.0 };
    let stamps = sent * now_s;
    // What a burst becomes that no queue spaces: as many acknowledgements as there are looks at it.
    let acks = bursts.at_least(sent / ends.segments_per_ack);
    let mut chunk =
        Chunk { fresh: fresh_sent, again: again_sent, bursts, acks, clumps, spread_s, stamps, ..Chunk::default() };
    if ends.retransmission_loss_due_s.is_some() {
        retransmission_loss::lose_retransmission(ends, &mut chunk, ports, now_s);
    }
    chunk
}

/// Segments for which the queue of a host's network card has room: what is free, and what it sends during the step.
fn card_room(card: &PortState) -> f64 {
    let queue = &card.queues[0].queue;
    (queue.limit_bytes - queue.backlog_bytes() + card.bytes_per_step).at_least(0.0) / queue.packet_bytes()[0]
}

/// Segments that a flow may add to the queue of its host's card, of which no more than `limit` wait there.
fn own_room(card: &PortState, slot: usize, limit: f64) -> f64 {
    let queue = &card.queues[0].queue;
    (limit - queue.inside_of(slot) + card.bytes_per_step / queue.packet_bytes()[slot]).at_least(0.0)
}

fn receive(flow: &mut Flow, lines: &mut [DelayLine<Chunk>], ports: &[PortState], step_s: f64) {
    if !flow.has_sent() {
        return;
    }
    let chunk = *lines[flow.last_line].take();
    flow.delivered_pkts += chunk.packets();
    match &mut flow.ends {
        Ends::Tcp(ends) => {
            if chunk.is_empty() {
                return;
            }
            let mut report = ends.receive(chunk);
            let wait_s: f64 =
                ends.reverse_queues.iter().map(|place| ports[place.port].wait_s(place.queue, step_s)).sum();
            let way_back = ends.report_steps + wait_s / step_s;
            if let Some(late) = ends.keep_waiting(&mut report) {
                ends.reports.put_after(late, way_back + ends.delayed_ack_s / step_s);
            }
            if report != Report::default() {
                ends.reports.put_after(report, way_back);
            }
        }
        Ends::Udp(ends) => ends.receive(&chunk),
        Ends::Ping => {}
    }
}
