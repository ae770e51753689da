//! Which class loses when the buffer is full: the one that has lost the least for its proportion, unless that breaks a
//! bound (Christin, Liebeherr and Abdelzaher 2002).

use super::promise::Promise;

/// What classes have lost since the port was last empty.
#[derive(Clone, Debug)]
pub struct Losses {
    promises: Vec<Promise>,
    /// Bytes that came.
    pub arrived_bytes: Vec<f64>,
    /// Bytes that were dropped.
    pub dropped_bytes: Vec<f64>,
}

impl Losses {
    /// Nothing has come.
    pub fn new(promises: &[Promise]) -> Self {
        let zeros = vec![0.0; promises.len()];
        Self { promises: promises.to_vec(), arrived_bytes: zeros.clone(), dropped_bytes: zeros }
    }

    /// Count from zero.
    pub fn reset(&mut self) {
        self.arrived_bytes.fill(0.0);
        self.dropped_bytes.fill(0.0);
    }

    /// The lost part of a class's bytes once so many more are dropped.
    fn share(&self, class: usize, more_bytes: f64) -> f64 {
        let arrived = self.arrived_bytes[class];
        if arrived > 0.0 { (self.dropped_bytes[class] + more_bytes) / arrived } else { 0.0 }
    }

    /// Whether a class may lose so many bytes.
    pub fn allows(&self, class: usize, bytes: f64) -> bool {
        self.promises[class].loss.is_none_or(|most| self.share(class, bytes) <= most)
    }

    /// The class that loses the next packet when there is no room for one of `arriving`, whose own last packet that is.
    pub fn victim(&self, arriving: usize, bytes: f64, is_backlogged: impl Fn(usize) -> bool) -> usize {
        let promise = &self.promises[arriving];
        if promise.loss_weight.is_none() && self.allows(arriving, bytes) {
            return arriving;
        }
        let candidates = || (0..self.promises.len()).filter(|&class| class == arriving || is_backlogged(class));
        let weighted = |class: usize| self.promises[class].loss_weight.map(|weight| weight * self.share(class, 0.0));
        let chained = candidates().filter_map(|class| weighted(class).map(|loss| (class, loss)));
        // Of equals the last class loses.
        let least = chained.min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        match least {
            Some((class, _)) if self.allows(class, bytes) => class,
            _ => candidates().max_by(|&a, &b| self.slack(a).total_cmp(&self.slack(b))).unwrap_or(arriving),
        }
    }

    /// How far a class is from its bound.
    fn slack(&self, class: usize) -> f64 {
        self.promises[class].loss.unwrap_or(1.0) - self.share(class, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Losses, Promise};

    /// A bound of 1 %, then three classes that shall lose as 1 : 2 : 4.
    fn losses(dropped_bytes: [f64; 4]) -> Losses {
        let bounded = Promise { loss: Some(0.01), ..Promise::NOTHING };
        let chained = [1.0, 0.5, 0.25].map(|weight| Promise { loss_weight: Some(weight), ..Promise::NOTHING });
        let mut losses = Losses::new(&[bounded, chained[0], chained[1], chained[2]]);
        losses.arrived_bytes = vec![100_000.0; 4];
        losses.dropped_bytes = dropped_bytes.to_vec();
        losses
    }

    #[test]
    fn the_class_that_lost_too_little_for_its_proportion_loses() {
        assert_eq!(losses([0.0, 100.0, 200.0, 399.0]).victim(1, 500.0, |_| true), 3);
        assert_eq!(losses([0.0, 100.0, 199.0, 400.0]).victim(1, 500.0, |_| true), 2);
        assert_eq!(losses([0.0, 99.0, 200.0, 400.0]).victim(3, 500.0, |_| true), 1);
        assert_eq!(losses([0.0, 100.0, 200.0, 400.0]).victim(1, 500.0, |_| true), 3, "of equals the last");
        assert_eq!(losses([0.0, 100.0, 199.0, 300.0]).victim(1, 500.0, |class| class == 1), 1, "others do not wait");
    }

    #[test]
    fn a_bounded_class_loses_its_own_packets_up_to_its_bound() {
        assert_eq!(losses([500.0, 0.0, 0.0, 0.0]).victim(0, 500.0, |_| true), 0);
        assert_eq!(losses([501.0, 0.0, 0.0, 0.0]).victim(0, 500.0, |_| true), 3);
    }

    #[test]
    fn a_bound_goes_before_a_proportion() {
        let mut bounded_twice = losses([1000.0, 100.0, 0.0, 400.0]);
        bounded_twice.promises[2].loss = Some(0.001);
        assert_eq!(bounded_twice.victim(1, 500.0, |_| true), 1, "the most slack");
    }
}
