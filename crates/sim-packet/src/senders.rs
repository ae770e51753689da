//! What meters at the edge are told of the senders behind them, by oracle as in ns-2: round-trip time, timeout and
//! congestion window of each flow, and the means over an aggregate. Kept only where a meter asks.

use crate::packet::FlowNumber;
use hntes_sim_scenario::time::Time;

/// What a sender knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderState {
    /// The smoothed round-trip time.
    pub srtt: Time,
    /// The retransmission timeout, before any backing off.
    pub rto: Time,
    /// The congestion window in segments.
    pub cwnd: u32,
}

/// The flows that one meter counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AggregateNumber(u32);

impl AggregateNumber {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How an aggregate's mean round trip and timeout compare with the least ones of all aggregates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The least mean round-trip time over its own.
    pub rtt_ratio: f64,
    /// The least mean timeout over its own.
    pub rto_ratio: f64,
    /// Its own mean round-trip time over its own mean timeout.
    pub rtt_to_rto: f64,
}

#[derive(Clone, Debug, Default)]
struct Told {
    state: Option<SenderState>,
    aggregates: Vec<AggregateNumber>,
}

/// Sums over the flows of an aggregate that have told something.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    flows: u32,
    srtt_ps: u64,
    rto_ps: u64,
}

impl Sums {
    /// Mean round-trip time and mean timeout, in seconds.
    fn means_s(self) -> Option<(f64, f64)> {
        let mean_s = |sum_ps: u64| sum_ps as f64 * 1e-12 / f64::from(self.flows);
        (self.flows > 0).then(|| (mean_s(self.srtt_ps), mean_s(self.rto_ps)))
    }
}

/// The senders behind the meters that ask.
#[derive(Clone, Debug, Default)]
pub struct Senders {
    /// By flow, as far as some flow is asked about.
    told: Vec<Told>,
    aggregates: Vec<Sums>,
    /// Those of the aggregates of which a flow has told something.
    heard: Vec<AggregateNumber>,
    least_rtt_s: f64,
    least_rto_s: f64,
}

impl Senders {
    /// A meter asks about an aggregate, whose flows are still to be named.
    pub fn aggregate(&mut self) -> AggregateNumber {
        self.aggregates.push(Sums::default());
        AggregateNumber(self.aggregates.len() as u32 - 1)
    }

    /// A flow belongs to an aggregate.
    pub fn join(&mut self, aggregate: AggregateNumber, flow: FlowNumber) {
        let flows = self.told.len().max(flow.index() + 1);
        self.told.resize_with(flows, Told::default);
        self.told[flow.index()].aggregates.push(aggregate);
    }

    /// Whether some meter asks.
    #[inline(always)]
    pub fn are_watched(&self) -> bool {
        !self.told.is_empty()
    }

    /// A sender tells what it knows. Aggregates are few, so that the least means are looked for each time.
    pub fn tell(&mut self, flow: FlowNumber, state: SenderState) {
        let Some(told) = self.told.get_mut(flow.index()) else { return };
        let before = told.state.replace(state);
        for &aggregate in &told.aggregates {
            let sums = &mut self.aggregates[aggregate.index()];
            if let Some(before) = before {
                sums.srtt_ps -= before.srtt.ps();
                sums.rto_ps -= before.rto.ps();
            } else {
                if sums.flows == 0 {
                    self.heard.push(aggregate);
                }
                sums.flows += 1;
            }
            sums.srtt_ps += state.srtt.ps();
            sums.rto_ps += state.rto.ps();
        }
        let means = self.heard.iter().filter_map(|aggregate| self.aggregates[aggregate.index()].means_s());
        let none = (f64::INFINITY, f64::INFINITY);
        (self.least_rtt_s, self.least_rto_s) = means.fold(none, |least, of| (least.0.min(of.0), least.1.min(of.1)));
    }

    /// The congestion window of a flow's sender; 0 before it has one.
    #[inline]
    pub fn cwnd(&self, flow: FlowNumber) -> u32 {
        self.told.get(flow.index()).and_then(|told| told.state).map_or(0, |state| state.cwnd)
    }

    /// How an aggregate compares with all others, once one of its flows has told something.
    pub fn compare(&self, aggregate: AggregateNumber) -> Option<Comparison> {
        let (round_trip_s, timeout_s) = self.aggregates[aggregate.index()].means_s()?;
        Some(Comparison {
            rtt_ratio: self.least_rtt_s / round_trip_s,
            rto_ratio: self.least_rto_s / timeout_s,
            rtt_to_rto: round_trip_s / timeout_s,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #[cfg(feature = "papers")]
    use super::AggregateNumber;
    use super::{SenderState, Senders};
    use crate::packet::FlowNumber;
    use hntes_sim_scenario::time::Time;

    /// A sender's state: milliseconds and segments.
    pub const fn state(srtt_ms: u64, rto_ms: u64, cwnd: u32) -> SenderState {
        SenderState { srtt: Time::from_ms(srtt_ms), rto: Time::from_ms(rto_ms), cwnd }
    }

    /// Aggregates of one flow each, flows numbered from 0 on, that have told this.
    #[cfg(feature = "papers")]
    pub fn single_flows(states: &[SenderState]) -> (Senders, Vec<AggregateNumber>) {
        let mut senders = Senders::default();
        let mut aggregates = Vec::new();
        for (number, &state) in states.iter().enumerate() {
            let (aggregate, flow) = (senders.aggregate(), FlowNumber::new(number as u16));
            senders.join(aggregate, flow);
            senders.tell(flow, state);
            aggregates.push(aggregate);
        }
        (senders, aggregates)
    }

    #[test]
    fn an_aggregate_is_compared_by_the_means_of_the_flows_that_have_told_something() {
        let mut senders = Senders::default();
        let [short, long] = [(); 2].map(|()| senders.aggregate());
        for flow in 0..4 {
            senders.join(if flow < 2 { short } else { long }, FlowNumber::new(flow));
        }
        assert_eq!(senders.compare(short), None);
        senders.tell(FlowNumber::new(0), state(30, 300, 5));
        senders.tell(FlowNumber::new(1), state(50, 900, 5));
        senders.tell(FlowNumber::new(2), state(200, 400, 5));
        // What was told before no longer counts: means of 40 and 600 ms, and of 200 and 400 ms.
        senders.tell(FlowNumber::new(0), state(30, 300, 2));
        let found = [short, long].map(|aggregate| senders.compare(aggregate).expect("flows have told"));
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}, {wanted}");
        close(found[0].rtt_ratio, 1.0);
        close(found[0].rto_ratio, 400.0 / 600.0);
        close(found[0].rtt_to_rto, 40.0 / 600.0);
        close(found[1].rtt_ratio, 0.2);
        close(found[1].rto_ratio, 1.0);
        assert_eq!([0, 3, 9].map(|flow| senders.cwnd(FlowNumber::new(flow))), [2, 0, 0]);
    }
}
