//! Proportional rate reduction (RFC 6937) as Linux 6 has it: a window falls in proportion to what is delivered, and where
//! it has fallen too far it grows back as in slow start.

use super::Report;
use crate::bound::Bound;

/// A report's delay is not a whole number of steps, so that one report is spread over two.
const STEPS_OF_A_REPORT: u8 = 2;

/// A reduction from start to end; amounts in segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduction {
    window_before: f64,
    delivered: f64,
    sent: f64,
    sendings: u8,
}

impl Reduction {
    /// A reduction that begins at this window.
    pub fn begin(window_before: f64) -> Self {
        Self { window_before, ..Self::default() }
    }

    /// So much went out; whether that was still at its beginning.
    pub const fn on_sent(&mut self, pkts: f64) -> bool {
        self.sent += pkts;
        self.sendings = self.sendings.saturating_add(1);
        self.sendings <= STEPS_OF_A_REPORT
    }

    /// How much may go out after a report, with so much in flight: in proportion while that is above the threshold, then
    /// what was delivered, plus one segment per acknowledgement that advances and reports no loss.
    pub fn allowance(&mut self, report: &Report, in_flight: f64, ssthresh: f64) -> f64 {
        self.delivered += report.arrived;
        let first = if self.sent > 0.0 { 0.0 } else { 1.0 };
        if in_flight > ssthresh {
            let share = self.delivered * ssthresh / self.window_before;
            return (share - self.sent).at_least(first);
        }
        let is_clean = report.advance > 0.0 && report.missing <= 0.0;
        let owed = (self.delivered - self.sent).at_least(report.arrived);
        (owed + if is_clean { report.acks } else { 0.0 }).at_most(ssthresh - in_flight).at_least(first)
    }
}

#[cfg(test)]
mod tests {
    use super::{Reduction, Report};

    /// Segments sent and left in flight after reports of one segment each, as the packet engine's test has it.
    fn run(window: f64, ssthresh: f64, lost: f64, reports: u32, is_clean: bool) -> (f64, f64) {
        let mut reduction = Reduction::begin(window);
        let (mut in_flight, mut sent) = (window - lost, 0.0);
        for _ in 0..reports {
            in_flight -= 1.0;
            let advance = f64::from(u8::from(is_clean));
            let report = Report { arrived: 1.0, acks: 1.0, advance, ..Report::default() };
            let allowed = reduction.allowance(&report, in_flight, ssthresh);
            reduction.on_sent(allowed);
            in_flight += allowed;
            sent += allowed;
        }
        (sent, in_flight)
    }

    #[test]
    fn a_window_falls_in_proportion_and_ends_at_the_threshold() {
        // RFC 6937, figure 2: of a window of 20 one was lost, and the threshold is 10.
        let (sent, in_flight) = run(20.0, 10.0, 1.0, 19, false);
        assert!((sent - 10.0).abs() <= 1.0 && (in_flight - 10.0).abs() <= 1.0, "{sent} {in_flight}");
        let (sent, _) = run(1000.0, 700.0, 1.0, 999, false);
        assert!((sent - 700.0).abs() <= 1.0, "{sent}");
    }

    #[test]
    fn after_heavy_loss_each_arrival_lets_one_segment_out_or_two_where_nothing_more_is_lost() {
        // RFC 6937, figure 3: 15 of 20 lost, so 5 are in flight, below the threshold of 10.
        assert_eq!(run(20.0, 10.0, 15.0, 4, false), (4.0, 5.0));
        assert_eq!(run(20.0, 10.0, 15.0, 4, true), (8.0, 9.0));
    }

    #[test]
    fn it_begins_in_the_two_steps_in_which_its_report_comes() {
        let mut reduction = Reduction::begin(10.0);
        assert_eq!([1.0, 1.0, 1.0].map(|pkts| reduction.on_sent(pkts)), [true, true, false]);
    }
}
