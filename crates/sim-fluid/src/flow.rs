//! Flows: what they send in a step, and what has become of it.

use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::line::LooseLine;
use crate::port::QueuePlace;
use crate::tcp::{Congestion, HTcp, Receiver, Report, Sender, SenderCounts, SenderParameters};
use hntes_sim_scenario::Congestion as CongestionName;

/// Flights of less than this are not followed: flights of flights of flights would go on for ever.
const LEAST: f64 = 1e-6;

/// The queue of a host's network card.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The port.
    pub port: usize,
    /// The flow's slot there.
    pub slot: usize,
}

/// A TCP flow: one connection per interval.
#[derive(Clone, Debug)]
pub struct TcpEnds {
    /// For every connection.
    pub parameters: SenderParameters,
    /// For every connection.
    pub congestion: CongestionName,
    /// H-TCP's switches: growth scaled by round-trip time, gentle back-off only at steady rates.
    pub htcp: [bool; 2],
    /// The present connection, if one has been opened.
    pub sender: Option<Sender>,
    /// Its receiving end.
    pub receiver: Receiver,
    /// When the handshake of the present connection is over.
    pub established_s: f64,
    /// A round trip through empty queues.
    pub round_trip_s: f64,
    /// Acknowledgements on their way.
    pub reports: LooseLine<Report>,
    /// Steps they take when no queue holds them up.
    pub report_steps: f64,
    /// Queues on the way of data.
    pub forward_queues: Vec<QueuePlace>,
    /// Queues on the way of acknowledgements.
    pub reverse_queues: Vec<QueuePlace>,
    /// The queue of the host's network card, if it can fill.
    pub card: Option<Card>,
    /// Seconds a segment takes to be sent on the first link.
    pub segment_s: f64,
    /// Segments that the receiving host finds at most when it looks.
    pub segments_per_look: f64,
    /// Segments that an acknowledgement of evenly spaced ones covers.
    pub segments_per_ack: f64,
    /// Segments held beyond a hole that exhaust the receiver's memory.
    pub clamp_held: f64,
    /// Segments of earlier connections still under way.
    pub stale_pkts: f64,
    /// Segments in order over all earlier connections.
    pub earlier_pkts: f64,
    /// Segments out of sequence over all earlier connections.
    pub earlier_out_of_sequence: f64,
    /// Acknowledgements sent so far.
    pub acks: f64,
    /// Segments at the start of every connection of which each look is acknowledged.
    pub quick_acks: f64,
    /// How many of the present connection are left.
    pub quick_left: f64,
    /// Longest wait of an acknowledgement.
    pub delayed_ack_s: f64,
    /// Flights of a slow start that are under way, with their acknowledgements.
    pub flights: f64,
    /// In a run that loses retransmissions, when the next one may be lost.
    pub retransmission_loss_due_s: Option<f64>,
}

impl TcpEnds {
    /// Ask for a connection; the handshake takes a round trip and waits `wait_s` in queues.
    pub fn open(&mut self, under_way_pkts: f64, wait_s: f64, now_s: f64) {
        let congestion = match self.congestion {
            CongestionName::Reno => Congestion::Reno,
            CongestionName::Htcp => Congestion::HTcp(HTcp::new(self.htcp[0], self.htcp[1], now_s)),
            CongestionName::Cubic | CongestionName::Bbr | CongestionName::Bbr3 => {
                unreachable!("refused before the run")
            }
        };
        let counts = self.sender.as_ref().map_or_else(SenderCounts::default, |sender| sender.counts);
        self.earlier_pkts += self.receiver.in_order();
        self.earlier_out_of_sequence += self.receiver.out_of_sequence;
        self.stale_pkts = under_way_pkts;
        let handshake_s = self.round_trip_s + wait_s;
        self.established_s = now_s + handshake_s;
        self.sender = Some(Sender::new(self.parameters, congestion, counts, handshake_s));
        self.receiver = Receiver::default();
        self.quick_left = self.quick_acks;
        self.flights = 0.0;
        self.reports = LooseLine::new(self.report_steps as usize);
    }

    /// Whether a connection is open.
    pub fn is_open(&self) -> bool {
        self.sender.as_ref().is_some_and(Sender::is_open)
    }

    /// The application has no more data.
    pub const fn close(&mut self) {
        if let Some(sender) = &mut self.sender {
            sender.close();
        }
    }

    /// Take in what arrives; what it makes the sender know, once acknowledgements have travelled back.
    pub fn receive(&mut self, mut chunk: Chunk) -> Report {
        if self.stale_pkts > 0.0 {
            let all = chunk.packets() + chunk.fresh_lost + chunk.again_lost;
            let stale = self.stale_pkts.at_most(all);
            self.stale_pkts -= stale;
            if stale >= all {
                return Report::default();
            }
            chunk = chunk * (1.0 - stale / all);
        }
        let resent_under_way = self.sender.as_ref().filter(|_| self.finds_lost_again()).map(Sender::resent_under_way);
        let advance = self.receiver.take(&chunk, resent_under_way);
        let acks = self.acknowledgements(&chunk);
        self.acks += acks;
        if self.receiver.held() > self.clamp_held {
            if let Some(sender) = &mut self.sender {
                sender.clamp_window();
            }
        }
        Report {
            arrived: chunk.packets(),
            missing: chunk.fresh_lost + if self.finds_lost_again() { chunk.again_lost } else { 0.0 },
            resent: if self.finds_lost_again() { chunk.again + chunk.again_lost } else { 0.0 },
            acks,
            advance,
            clumps: chunk.clumps,
            spread_s: chunk.spread_s,
            stamps: chunk.stamps,
        }
    }

    /// Whether the sender notices when what it sent again is lost (RACK, RFC 8985).
    const fn finds_lost_again(&self) -> bool {
        self.parameters.is_linux_6
    }

    /// Acknowledgements of what has just been taken in. While something is missing, and for the first segments of a
    /// connection, each look is acknowledged (RFC 5681, 4.2; Linux's quick acknowledgements); else no less than two
    /// segments are.
    fn acknowledgements(&mut self, chunk: &Chunk) -> f64 {
        let pkts = chunk.packets();
        let every_look = chunk.bursts.at_least(pkts / self.segments_per_look).at_most(pkts);
        let delayed = chunk.acks.at_most(pkts / 2.0);
        let quick = self.quick_left.at_most(pkts);
        self.quick_left -= quick;
        let quick_share = if self.receiver.missing() > 0.0 { 1.0 } else { quick / pkts.at_least(f64::MIN_POSITIVE) };
        every_look * quick_share + delayed * (1.0 - quick_share)
    }

    /// Take out of a report the segments whose acknowledgement waits for the timer: what is put back comes so much later.
    ///
    /// The last look at a flight may find a single segment. Where nothing more comes before the timer runs out, the late
    /// acknowledgement lets out the first segments of a flight of its own (`docs/reference/simulator-fluid.md`, "The last
    /// look at a flight"). How many flights there are is a mean, in parts of a flight.
    pub fn keep_waiting(&mut self, report: &mut Report) -> Option<Report> {
        let sender = self.sender.as_ref()?;
        let at_once = self.delayed_ack_s <= 0.0 || self.quick_left > 0.0 || self.receiver.missing() > 0.0;
        if at_once || report.clumps <= 0.0 || report.acks <= 0.0 {
            return None;
        }
        let flights = self.flights.at_least(1.0);
        let idle_s = sender.srtt_s() - report.spread_s / report.clumps;
        let room = room_for_flights(idle_s, self.delayed_ack_s, flights);
        let waiting = (report.clumps / flights * chance_of_a_single(report) * room).at_most(report.acks / 2.0);
        if waiting < LEAST {
            return None;
        }
        let sent_s = report.stamps / report.arrived;
        // Its round-trip time is one sample of many: in the shares of one report it would count as much as a flight's.
        let late = Report {
            arrived: waiting,
            acks: waiting,
            advance: waiting.at_most(report.advance),
            clumps: waiting,
            stamps: waiting * (sent_s + self.delayed_ack_s),
            ..Report::default()
        };
        report.arrived -= late.arrived;
        report.acks -= late.acks;
        report.advance -= late.advance;
        report.stamps -= waiting * sent_s;
        self.flights += waiting;
        Some(late)
    }

    /// Segments out of sequence, over all connections.
    pub fn out_of_sequence(&self) -> f64 {
        self.earlier_out_of_sequence + self.receiver.out_of_sequence
    }

    /// Segments in order, over all connections.
    pub fn segments_in_order(&self) -> f64 {
        self.earlier_pkts + self.receiver.in_order()
    }
}

/// How many more flights a round trip has room for, from 0 to 1: 1 + floor(i / w) - f. There is room for one, and for one
/// more for each wait w of the timer that fits into the time i during which nothing comes; f there are already.
fn room_for_flights(idle_s: f64, wait_s: f64, flights: f64) -> f64 {
    (1.0 + (idle_s / wait_s).floor() - flights).clamp(0.0, 1.0)
}

/// The chance that the last look at a flight finds a single segment: 1 / m, as it finds any number up to the m that a look
/// finds on average equally often.
fn chance_of_a_single(report: &Report) -> f64 {
    report.acks / report.arrived
}

/// A flow of datagrams at a rate.
#[derive(Clone, Debug)]
pub struct UdpEnds {
    /// Packets per second while on.
    pub pkts_per_s: f64,
    /// Packets of a datagram.
    pub pieces: f64,
    /// Payload bytes of a datagram.
    pub payload_bytes: f64,
    /// Time on and time off, in turn, from the start of each interval.
    pub on_off_s: Option<[f64; 2]>,
    /// Datagrams of which every piece arrived.
    pub received: f64,
    /// Broken datagrams still to be taken off what arrives.
    pub owed: f64,
}

impl UdpEnds {
    /// Take in what arrives: whole datagrams are (arrived + lost) / pieces - broken. A datagram is broken when a piece is
    /// lost, which may be known a step after others came: what is broken too early is owed.
    pub fn receive(&mut self, chunk: &Chunk) {
        let whole = (chunk.packets() + chunk.fresh_lost) / self.pieces - chunk.broken - self.owed;
        self.received += whole.at_least(0.0);
        self.owed = (-whole).at_least(0.0);
    }
}

/// The ends of a flow.
#[derive(Clone, Debug)]
pub enum Ends {
    /// TCP.
    Tcp(Box<TcpEnds>),
    /// UDP.
    Udp(UdpEnds),
    /// Ping; the probes keep their own books.
    Ping,
}

/// A flow.
#[derive(Clone, Debug)]
pub struct Flow {
    /// When it is on.
    pub intervals_s: Vec<[f64; 2]>,
    /// Its ends.
    pub ends: Ends,
    /// The delay line its packets enter first.
    pub first_line: usize,
    /// The delay line they leave last.
    pub last_line: usize,
    /// Packets sent.
    pub sent_pkts: f64,
    /// Packets that arrived.
    pub delivered_pkts: f64,
}

impl Flow {
    /// Whether any packet has been sent; before, nothing is on its way, or waits, anywhere.
    pub const fn has_sent(&self) -> bool {
        self.sent_pkts > 0.0
    }
}

/// Whether one of the intervals, in seconds, has a part between `start_s` and `end_s`.
pub fn is_on(intervals_s: &[[f64; 2]], start_s: f64, end_s: f64) -> bool {
    intervals_s.iter().any(|&[from, to]| start_s.at_least(from) < end_s.at_most(to))
}

/// Seconds between `start_s` and `end_s` during which a flow of such intervals and such a cycle is on.
pub fn time_on_s(intervals_s: &[[f64; 2]], on_off_s: Option<[f64; 2]>, start_s: f64, end_s: f64) -> f64 {
    intervals_s
        .iter()
        .map(|&[from, to]| {
            let (a, b) = (start_s.at_least(from), end_s.at_most(to));
            match on_off_s {
                _ if b <= a => 0.0,
                None => b - a,
                Some([on, off]) => on_before(b - from, on, off) - on_before(a - from, on, off),
            }
        })
        .sum()
}

/// Seconds on during the first `span_s` of a cycle that repeats: whole cycles, and of the last one no more than it is on.
fn on_before(span_s: f64, on_s: f64, off_s: f64) -> f64 {
    let cycles = (span_s / (on_s + off_s)).floor();
    cycles * on_s + (span_s - cycles * (on_s + off_s)).at_most(on_s)
}

#[cfg(test)]
mod tests {
    use super::{UdpEnds, on_before};
    use crate::chunk::Chunk;

    #[test]
    fn a_datagram_broken_in_one_step_may_arrive_in_the_next() {
        let mut ends =
            UdpEnds { pkts_per_s: 1.0, pieces: 6.0, payload_bytes: 1.0, on_off_s: None, received: 0.0, owed: 0.0 };
        ends.receive(&Chunk { fresh: 6.0, broken: 1.5, ..Chunk::default() });
        assert_eq!((ends.received, ends.owed), (0.0, 0.5));
        ends.receive(&Chunk { fresh: 6.0, ..Chunk::default() });
        assert_eq!((ends.received, ends.owed), (0.5, 0.0));
    }

    #[test]
    fn a_cycle_is_on_for_its_share() {
        assert!((on_before(10.0, 0.1, 0.3) - 2.5).abs() < 1e-9);
        assert!((on_before(0.25, 0.1, 0.3) - 0.1).abs() < 1e-12);
    }
}
