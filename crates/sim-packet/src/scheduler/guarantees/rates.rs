//! The rates of classes (Christin, Liebeherr and Abdelzaher 2002): all of the link to those that wait, first what the
//! promises need, then what keeps the delays of classes in proportion.

use super::promise::Promise;

/// A class as the allocation sees it.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// What it is promised.
    pub promise: Promise,
    /// Bytes that wait.
    pub backlog_bytes: f64,
    /// Age of the first packet that waits.
    pub head_age_s: f64,
    /// Bytes let in since the port was last empty.
    pub admitted_bytes: f64,
    /// Its rate.
    pub bytes_per_s: f64,
}

impl Class {
    fn waits(&self) -> bool {
        self.backlog_bytes > 0.0
    }

    /// The rate that its promises need: all of the link once its first packet is late.
    fn need(&self, link_bytes_per_s: f64) -> f64 {
        if !self.waits() {
            return 0.0;
        }
        let left_s = self.promise.delay_s - self.head_age_s;
        let in_time = if left_s > 0.0 { self.backlog_bytes / left_s } else { link_bytes_per_s };
        in_time.max(self.promise.floor_bytes_per_s).min(link_bytes_per_s)
    }

    /// Its delay, weighted such that those of classes in proportion are alike.
    fn weighted_delay_s(&self) -> Option<f64> {
        self.promise.delay_weight.filter(|_| self.waits()).map(|weight| weight * self.head_age_s)
    }
}

/// Allocate the link anew; `largest_bytes` is the largest packet seen.
pub fn allocate(classes: &mut [Class], link_bytes_per_s: f64, largest_bytes: f64) {
    conserve(classes, link_bytes_per_s);
    raise_to_need(classes, link_bytes_per_s);
    proportion(classes, link_bytes_per_s, largest_bytes);
}

/// Where a class that waits has no rate, or one that does not has some, those that wait begin with equal parts.
fn conserve(classes: &mut [Class], link_bytes_per_s: f64) {
    if classes.iter().all(|class| class.waits() == (class.bytes_per_s > 0.0)) {
        return;
    }
    let waiting = classes.iter().filter(|class| class.waits()).count() as f64;
    for class in classes {
        class.bytes_per_s = if class.waits() { link_bytes_per_s / waiting } else { 0.0 };
    }
}

/// Give the first class in need what the last class has to spare, until one of both is exhausted.
fn raise_to_need(classes: &mut [Class], link_bytes_per_s: f64) {
    for needy in 0..classes.len() {
        for giver in (0..classes.len()).rev().filter(|&giver| giver != needy) {
            let missing = classes[needy].need(link_bytes_per_s) - classes[needy].bytes_per_s;
            let spare = classes[giver].bytes_per_s - classes[giver].need(link_bytes_per_s);
            let moved = missing.min(spare).max(0.0);
            classes[needy].bytes_per_s += moved;
            classes[giver].bytes_per_s -= moved;
        }
    }
}

/// Move rate from classes whose weighted delay is shorter than the mean to those where it is longer.
fn proportion(classes: &mut [Class], link_bytes_per_s: f64, largest_bytes: f64) {
    let of = |class: &Class| class.weighted_delay_s();
    let count = classes.iter().filter_map(of).count();
    if count < 2 {
        return;
    }
    let mean_s = classes.iter().filter_map(of).sum::<f64>() / count as f64;
    let shared: f64 = classes.iter().filter(|class| of(class).is_some()).map(|class| class.bytes_per_s).sum();
    let gain = gain(classes, shared, largest_bytes);
    let mut rest = 0.0;
    for class in classes.iter_mut() {
        if let Some(delay_s) = class.weighted_delay_s() {
            let wanted = class.bytes_per_s + gain * (delay_s - mean_s);
            class.bytes_per_s = wanted.clamp(class.need(link_bytes_per_s).min(shared), shared);
            rest += class.bytes_per_s;
        }
    }
    settle(classes, rest - shared, link_bytes_per_s);
}

/// The gain of the feedback, in bytes/s for each second of distance.
fn gain(classes: &[Class], shared_bytes_per_s: f64, largest_bytes: f64) -> f64 {
    let chained = || classes.iter().filter(|class| class.weighted_delay_s().is_some());
    let heaviest = chained().filter_map(|class| class.promise.delay_weight).fold(0.0, f64::max);
    let all_bytes: f64 = chained().map(|class| class.admitted_bytes).sum();
    let least_bytes = chained().map(|class| class.admitted_bytes).fold(f64::INFINITY, f64::min);
    shared_bytes_per_s.powi(2) * (least_bytes / all_bytes) / (heaviest * 4.0 * largest_bytes)
}

/// Rates that reached a limit leave too much or too little: the last classes pay, the first one gets.
fn settle(classes: &mut [Class], mut excess: f64, link_bytes_per_s: f64) {
    for class in classes.iter_mut().rev().filter(|class| class.weighted_delay_s().is_some()) {
        let paid = excess.min(class.bytes_per_s - class.need(link_bytes_per_s)).max(0.0);
        class.bytes_per_s -= paid;
        excess -= paid;
    }
    if let Some(first) = classes.iter_mut().find(|class| class.weighted_delay_s().is_some()) {
        first.bytes_per_s += (-excess).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, allocate};
    use crate::scheduler::guarantees::promise::Promise;

    const LINK: f64 = 1e6;

    fn class(promise: Promise, backlog_bytes: f64, head_age_s: f64) -> Class {
        Class { promise, backlog_bytes, head_age_s, admitted_bytes: 1e6, bytes_per_s: 0.0 }
    }

    fn rates(mut classes: Vec<Class>) -> Vec<f64> {
        allocate(&mut classes, LINK, 500.0);
        let rates: Vec<f64> = classes.iter().map(|class| class.bytes_per_s).collect();
        assert!((rates.iter().sum::<f64>() - LINK).abs() < 1e-6, "all of the link: {rates:?}");
        rates
    }

    fn assert_near(got: &[f64], expected: &[f64]) {
        assert!(got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-6), "{got:?} is not {expected:?}");
    }

    #[test]
    fn those_that_wait_begin_with_equal_parts() {
        let plain = |backlog| class(Promise::NOTHING, backlog, 0.0);
        assert_near(&rates(vec![plain(1.0), plain(0.0), plain(9.0)]), &[LINK / 2.0, 0.0, LINK / 2.0]);
    }

    #[test]
    fn a_delay_bound_is_kept_by_rate_of_the_last_classes() {
        // 4800 bytes in the 6 ms that are left of 10: 800 kB/s; a third was its own.
        let bounded = class(Promise { delay_s: 0.010, ..Promise::NOTHING }, 4800.0, 0.004);
        let plain = class(Promise::NOTHING, 1e4, 0.0);
        let third = LINK / 3.0;
        assert_near(&rates(vec![bounded, plain, plain]), &[8e5, third - (8e5 - 2.0 * third), 0.0]);
    }

    #[test]
    fn a_promised_rate_is_not_taken_away() {
        let late = class(Promise { delay_s: 0.010, ..Promise::NOTHING }, 4800.0, 0.020);
        let promised = class(Promise { floor_bytes_per_s: 3e5, ..Promise::NOTHING }, 1e4, 0.0);
        assert_near(&rates(vec![late, promised]), &[7e5, 3e5]);
    }

    #[test]
    fn the_class_that_waits_too_long_for_its_proportion_gets_rate() {
        // The second shall wait four times as long: 2 and 9 ms are 2 and 2.25 weighted, 0.125 ms off the mean.
        let first = class(Promise { delay_weight: Some(1.0), ..Promise::NOTHING }, 1e4, 0.002);
        let second = class(Promise { delay_weight: Some(0.25), ..Promise::NOTHING }, 1e4, 0.009);
        // The gain is (1 MB/s)^2 x 1/2 / (1 x 4 x 500 bytes) = 2.5e8.
        let moved = 2.5e8 * 0.125e-3;
        assert_near(&rates(vec![first, second]), &[5e5 - moved, 5e5 + moved]);
    }

    #[test]
    fn no_rate_turns_negative() {
        let first = class(Promise { delay_weight: Some(1.0), ..Promise::NOTHING }, 1e4, 0.0);
        let second = class(Promise { delay_weight: Some(0.25), ..Promise::NOTHING }, 1e4, 9.0);
        assert_near(&rates(vec![first, second]), &[0.0, LINK]);
    }
}
