//! What classes are promised, and how promises in proportion become weights.

/// What a class is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// The longest wait; infinite for none.
    pub delay_s: f64,
    /// The largest part of its bytes that is dropped.
    pub loss: Option<f64>,
    /// Its least rate while packets wait.
    pub floor_bytes_per_s: f64,
    /// Times its delay this is alike for all classes in proportion.
    pub delay_weight: Option<f64>,
    /// The same for its losses.
    pub loss_weight: Option<f64>,
}

impl Promise {
    /// No promise.
    pub const NOTHING: Self =
        Self { delay_s: f64::INFINITY, loss: None, floor_bytes_per_s: 0.0, delay_weight: None, loss_weight: None };
}

/// The weights of classes, given for each the ratio of the next class's value to its own: a class is in proportion if it
/// or the class before it has a ratio.
pub fn weights(ratios: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut product = 1.0;
    let mut before = None;
    let mut weights = Vec::new();
    for &ratio in ratios {
        product = before.map_or(1.0, |before: f64| product * before);
        weights.push((ratio.is_some() || before.is_some()).then_some(1.0 / product));
        before = ratio;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::weights;

    #[test]
    fn a_ratio_joins_a_class_to_the_next() {
        let four = Some(4.0);
        assert_eq!(weights(&[None, four, four, None]), [None, Some(1.0), Some(0.25), Some(0.0625)]);
        assert_eq!(weights(&[four, None, None]), [Some(1.0), Some(0.25), None]);
    }
}
