//! Series: what each value of a run is called, and how values are collected interval by interval.

use super::DropCause;
use crate::ids::{FlowId, LinkId, PortId, QueueId};
use crate::model::Scenario;
use std::fmt;

/// A queue, as results tell queues apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueRef {
    /// The plain queue before a link.
    Plain(LinkId),
    /// A queue of a port.
    Class(PortId, QueueId),
}

/// What is measured of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowMeasure {
    /// Payload bytes delivered.
    GoodputBytes,
    /// Packets dropped, for any cause.
    DroppedPkts,
    /// Payload bytes of datagrams sent.
    SentBytes,
    /// Segments sent again.
    RetransmittedPkts,
    /// Segments that came for the first time after a later one.
    OutOfSequencePkts,
    /// The congestion window.
    CwndPkts,
    /// Bytes from the IP header on that arrived green.
    ReceivedGreenIpBytes,
    /// The same of yellow packets.
    ReceivedYellowIpBytes,
    /// The same of red packets.
    ReceivedRedIpBytes,
    /// For each reply to a ping when its request was sent.
    SentAtS,
    /// For each reply to a ping its round-trip time.
    RttMs,
}

/// What is measured of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkMeasure {
    /// Link time used, in bytes.
    WireBytes,
}

/// What is measured of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueMeasure {
    /// Packets dropped for this cause.
    DroppedPkts(DropCause),
    /// Green packets dropped for this cause.
    DroppedGreenPkts(DropCause),
    /// Bytes that wait at the end of the interval.
    BacklogBytes,
    /// The most that waited during the interval.
    PeakBytes,
}

/// One series: of what, and what of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Series {
    /// Of a flow.
    Flow(FlowId, FlowMeasure),
    /// Of a link in one direction.
    Link(LinkId, LinkMeasure),
    /// Of a queue.
    Queue(QueueRef, QueueMeasure),
}

impl Series {
    /// Its name in results: "kind/name/measure".
    pub fn name(self, scenario: &Scenario) -> String {
        match self {
            Self::Flow(flow, measure) => format!("flow/{}/{measure}", scenario.flow(flow).name),
            Self::Link(link, measure) => format!("link/{}/{measure}", scenario.link(link).name),
            Self::Queue(queue, measure) => format!("queue/{}/{measure}", scenario.queue_name(queue)),
        }
    }
}

impl fmt::Display for FlowMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GoodputBytes => "goodput_bytes",
            Self::DroppedPkts => "dropped_pkts",
            Self::SentBytes => "sent_bytes",
            Self::RetransmittedPkts => "retransmitted_pkts",
            Self::OutOfSequencePkts => "out_of_sequence_pkts",
            Self::CwndPkts => "cwnd_pkts",
            Self::ReceivedGreenIpBytes => "received_green_ip_bytes",
            Self::ReceivedYellowIpBytes => "received_yellow_ip_bytes",
            Self::ReceivedRedIpBytes => "received_red_ip_bytes",
            Self::SentAtS => "sent_at_s",
            Self::RttMs => "rtt_ms",
        })
    }
}

impl fmt::Display for LinkMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WireBytes => "wire_bytes",
        })
    }
}

impl fmt::Display for QueueMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DroppedPkts(cause) => write!(f, "dropped_{}_pkts", cause.name()),
            Self::DroppedGreenPkts(cause) => write!(f, "dropped_green_{}_pkts", cause.name()),
            Self::BacklogBytes => f.write_str("backlog_bytes"),
            Self::PeakBytes => f.write_str("peak_bytes"),
        }
    }
}

/// The numbers of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Counts.
    Counts(Vec<u64>),
    /// Measured values.
    Numbers(Vec<f64>),
}

/// One column of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is.
    pub series: Series,
    /// Its name.
    pub name: String,
    /// One value per interval, or for pings one per reply.
    pub values: Values,
}

impl Column {
    fn new(scenario: &Scenario, series: Series, values: Values) -> Self {
        Self { series, name: series.name(scenario), values }
    }
}

/// For each reply to a ping when its request was sent, in seconds, and its round-trip time, in milliseconds.
pub fn ping_columns(scenario: &Scenario, flow: FlowId, replies: impl Iterator<Item = (f64, f64)>) -> [Column; 2] {
    let (sent_at_s, rtt_ms) = replies.unzip();
    [(FlowMeasure::SentAtS, sent_at_s), (FlowMeasure::RttMs, rtt_ms)]
        .map(|(measure, values)| Column::new(scenario, Series::Flow(flow, measure), Values::Numbers(values)))
}

/// What is measured at the end of an interval, always in the same order.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    totals: Vec<(Series, u64)>,
    levels: Vec<(Series, u64)>,
}

impl Sample {
    /// A running total, of which the growth per interval is wanted.
    pub fn total(&mut self, series: Series, value: u64) {
        self.totals.push((series, value));
    }

    /// A value at this moment.
    pub fn level(&mut self, series: Series, value: u64) {
        self.levels.push((series, value));
    }
}

/// Collects the series of a run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    last_totals: Vec<u64>,
    growths: Vec<(Series, Vec<u64>)>,
    levels: Vec<(Series, Vec<u64>)>,
}

impl Recorder {
    /// An interval has ended.
    pub fn note(&mut self, sample: Sample) {
        if self.growths.is_empty() {
            let column = |&(series, _): &(Series, u64)| (series, Vec::new());
            self.last_totals = vec![0; sample.totals.len()];
            self.growths = sample.totals.iter().map(column).collect();
            self.levels = sample.levels.iter().map(column).collect();
        }
        for (((_, values), last), (_, total)) in self.growths.iter_mut().zip(&mut self.last_totals).zip(sample.totals) {
            values.push(total.saturating_sub(*last));
            *last = total;
        }
        for ((_, values), (_, level)) in self.levels.iter_mut().zip(sample.levels) {
            values.push(level);
        }
    }

    /// The series.
    pub fn columns(&self, scenario: &Scenario) -> Vec<Column> {
        let counts = self.growths.iter().chain(&self.levels);
        counts.map(|(series, values)| Column::new(scenario, *series, Values::Counts(values.clone()))).collect()
    }
}
