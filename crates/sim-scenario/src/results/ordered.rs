//! Values in order, of which quantiles are taken.

/// Values, the least first.
#[derive(Clone, Debug)]
pub struct Ordered(Vec<f64>);

impl Ordered {
    /// Put values in order.
    pub fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Their mean; zero for none.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Their standard deviation, as that of a sample.
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self.0.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (squares / (self.0.len().max(2) - 1) as f64).sqrt()
    }

    /// The value at this share of the way from the least to the greatest; zero for none.
    pub fn quantile(&self, share: f64) -> f64 {
        match self.0.len() {
            0 => 0.0,
            count => self.0[((count - 1) as f64 * share).round() as usize],
        }
    }

    /// The median: the mean of both in the middle where there are two.
    pub fn median(&self) -> f64 {
        match self.0.len() {
            0 => 0.0,
            count => f64::midpoint(self.0[(count - 1) / 2], self.0[count / 2]),
        }
    }
}
