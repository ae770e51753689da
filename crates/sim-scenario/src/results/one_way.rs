//! How long packets took from one host to the other.

use super::ordered::Ordered;
use serde::Serialize;

/// One-way delays of datagrams, or of echo requests on their way there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OneWayDelays {
    /// How many arrived whole.
    pub delivered: u64,
    /// Mean.
    pub mean_ms: f64,
    /// Least.
    pub min_ms: f64,
    /// Median.
    pub median_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// Greatest.
    pub max_ms: f64,
}

impl OneWayDelays {
    /// The delay of each; all zero for none.
    pub fn new(delays_ms: Vec<f64>) -> Self {
        let delays = Ordered::new(delays_ms);
        Self {
            delivered: delays.count() as u64,
            mean_ms: delays.mean(),
            min_ms: delays.quantile(0.0),
            median_ms: delays.quantile(0.5),
            p95_ms: delays.quantile(0.95),
            p99_ms: delays.quantile(0.99),
            max_ms: delays.quantile(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OneWayDelays;

    #[test]
    fn quantiles_are_those_of_a_known_sequence() {
        let delays = OneWayDelays::new((0..=100).rev().map(f64::from).collect());
        assert_eq!((delays.delivered, delays.mean_ms, delays.min_ms, delays.max_ms), (101, 50.0, 0.0, 100.0));
        assert_eq!((delays.median_ms, delays.p95_ms, delays.p99_ms), (50.0, 95.0, 99.0));
        assert_eq!(OneWayDelays::new(Vec::new()).delivered, 0);
    }
}
