//! Round-trip times of a ping.

use super::ordered::Ordered;
use serde::Serialize;

/// Totals of a ping.
#[derive(Clone, Debug, Serialize)]
pub struct PingSummary {
    /// Requests sent.
    pub sent: u64,
    /// Replies received.
    pub received: u64,
    /// Round-trip times: mean.
    pub mean_ms: f64,
    /// Standard deviation.
    pub sd_ms: f64,
    /// Least.
    pub min_ms: f64,
    /// Median.
    pub median_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Greatest.
    pub max_ms: f64,
}

impl PingSummary {
    /// The requests sent, and the round-trip time of each reply.
    pub fn new(sent: u64, rtts_ms: Vec<f64>) -> Self {
        let rtts = Ordered::new(rtts_ms);
        Self {
            sent,
            received: rtts.count() as u64,
            mean_ms: rtts.mean(),
            sd_ms: rtts.standard_deviation(),
            min_ms: rtts.quantile(0.0),
            median_ms: rtts.quantile(0.5),
            p95_ms: rtts.quantile(0.95),
            max_ms: rtts.quantile(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PingSummary;

    #[test]
    fn ping_statistics() {
        let ping = PingSummary::new(6, vec![1.0, 2.0, 3.0, 4.0, 10.0]);
        assert_eq!((ping.received, ping.min_ms, ping.median_ms, ping.max_ms), (5, 1.0, 3.0, 10.0));
        assert!((ping.mean_ms - 4.0).abs() < 1e-12 && (ping.sd_ms - 12.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(PingSummary::new(2, Vec::new()).received, 0);
    }
}
