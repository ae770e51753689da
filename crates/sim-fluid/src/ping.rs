//! Pings: probes that take a fixed time from queue to queue and wait in each for the bytes before them.

use crate::port::{PortState, QueuePlace};
use hntes_sim_scenario::FlowId;
use hntes_sim_scenario::rng::Random;

/// A stretch of a probe's way: time, then perhaps a queue.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Time up to the queue or the end, in seconds.
    pub delay_s: f64,
    /// The queue at its end; none at the end of the way.
    pub queue: Option<QueuePlace>,
}

/// A ping: its way there and back, its probes, and the replies.
#[derive(Clone, Debug)]
pub struct Ping {
    /// The flow.
    pub flow: FlowId,
    /// The way.
    pub way: Vec<Stretch>,
    /// Bytes of request and reply from the IP header on.
    pub ip_bytes: f64,
    /// Seconds between requests, or their mean.
    pub gap_s: f64,
    /// Requests go out as a Poisson process.
    pub poisson: bool,
    /// When it is on.
    pub intervals_s: Vec<[f64; 2]>,
    /// When the next request goes out.
    pub next_s: Option<f64>,
    /// Requests sent.
    pub sent: u64,
    /// For each reply when its request was sent, and the round-trip time, in seconds.
    pub replies: Vec<(f64, f64)>,
    /// Probes lost.
    pub lost: u64,
}

#[derive(Clone, Copy, Debug)]
struct Traveller {
    ping: usize,
    sent_s: f64,
    stretch: usize,
    /// When it reaches the end of its stretch.
    due_s: f64,
    waiting: bool,
    alive: bool,
}

/// All pings of a run.
#[derive(Clone, Debug)]
pub struct Probes {
    /// The pings.
    pub pings: Vec<Ping>,
    travellers: Vec<Traveller>,
    gone: Vec<(usize, f64)>,
    random: Random,
    /// When the next request of all goes out.
    next_s: f64,
}

impl Probes {
    /// Pings that have sent nothing yet.
    pub fn new(pings: Vec<Ping>, random: Random) -> Self {
        let next_s = first_request_s(&pings);
        Self { pings, travellers: Vec::new(), gone: Vec::new(), random, next_s }
    }

    /// Send what is due before `end_s`, and let probes join queues; call it after the ports have served the step.
    pub fn step(&mut self, ports: &mut [PortState], start_s: f64, end_s: f64) {
        if self.next_s < end_s {
            self.send(end_s);
            self.next_s = first_request_s(&self.pings);
        }
        if self.travellers.is_empty() {
            return;
        }
        for number in 0..self.travellers.len() {
            self.advance(number, ports, start_s, end_s);
        }
        // A probe's turn may come in the step in which it joined.
        for port in ports.iter_mut() {
            for class in &mut port.queues {
                class.queue.departed(start_s, end_s - start_s, class.served_bytes, &mut self.gone);
            }
        }
        while let Some((number, left_s)) = self.gone.pop() {
            let traveller = &mut self.travellers[number];
            let way = &self.pings[traveller.ping].way;
            traveller.waiting = false;
            traveller.stretch += 1;
            traveller.due_s = left_s + way[traveller.stretch].delay_s;
            self.advance(number, ports, start_s, end_s);
        }
        while self.travellers.last().is_some_and(|traveller| !traveller.alive) {
            self.travellers.pop();
        }
    }

    fn send(&mut self, end_s: f64) {
        for (number, ping) in self.pings.iter_mut().enumerate() {
            while let Some(at) = ping.next_s.filter(|&at| at < end_s) {
                ping.sent += 1;
                let due_s = at + ping.way[0].delay_s;
                let new = Traveller { ping: number, sent_s: at, stretch: 0, due_s, waiting: false, alive: true };
                match self.travellers.iter().position(|old| !old.alive) {
                    Some(place) => self.travellers[place] = new,
                    None => self.travellers.push(new),
                }
                let gap_s = if ping.poisson { self.random.exponential(ping.gap_s) } else { ping.gap_s };
                ping.next_s = next_on(&ping.intervals_s, at + gap_s);
            }
        }
    }

    fn advance(&mut self, number: usize, ports: &mut [PortState], start_s: f64, end_s: f64) {
        let traveller = &mut self.travellers[number];
        if !traveller.alive || traveller.waiting || traveller.due_s >= end_s {
            return;
        }
        let ping = &mut self.pings[traveller.ping];
        let Some(QueuePlace { port, queue }) = ping.way[traveller.stretch].queue else {
            ping.replies.push((traveller.sent_s, traveller.due_s - traveller.sent_s));
            traveller.alive = false;
            return;
        };
        let class = &mut ports[port].queues[queue];
        if self.random.chance(class.probe_loss(ping.ip_bytes)) {
            traveller.alive = false;
            ping.lost += 1;
            return;
        }
        let passed = ((traveller.due_s - start_s) / (end_s - start_s)).clamp(0.0, 1.0);
        let still_to_come = class.entered_bytes * (1.0 - passed);
        class.queue.probe(number, traveller.due_s, still_to_come);
        traveller.waiting = true;
    }
}

/// When the next request of some pings goes out.
fn first_request_s(pings: &[Ping]) -> f64 {
    pings.iter().filter_map(|ping| ping.next_s).fold(f64::INFINITY, f64::min)
}

/// The first time at or after `from` at which a flow is on.
pub fn next_on(intervals_s: &[[f64; 2]], from_s: f64) -> Option<f64> {
    intervals_s.iter().find(|interval| interval[1] > from_s).map(|interval| interval[0].max(from_s))
}
