//! What a projection is held against: room in the buffer, and the rates that classes need.

/// A class as it stands now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassDemand {
    /// Bytes that wait.
    pub backlog_bytes: f64,
    /// How fast they leave.
    pub bytes_per_s: f64,
    /// The rate it is promised, zero for none.
    pub floor_bytes_per_s: f64,
    /// How long a packet may wait, and how long the first one has; without a bound infinite.
    pub delay_bound_s: f64,
    /// Age of the first packet that waits.
    pub head_age_s: f64,
}

impl ClassDemand {
    /// A class without promises.
    pub const fn unbounded(backlog_bytes: f64, bytes_per_s: f64) -> Self {
        Self { backlog_bytes, bytes_per_s, floor_bytes_per_s: 0.0, delay_bound_s: f64::INFINITY, head_age_s: 0.0 }
    }
}

/// A port as it stands now.
#[derive(Clone, Copy, Debug)]
pub struct PortDemand<'a> {
    /// Its classes.
    pub classes: &'a [ClassDemand],
    /// What may wait in all of them together.
    pub limit_bytes: f64,
    /// The link's rate.
    pub bytes_per_s: f64,
}

/// By how much too many bytes are expected, and of which classes they may be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excess {
    /// A bit for each class.
    pub classes: u32,
    /// Bytes that must not come.
    pub bytes: f64,
}

impl PortDemand<'_> {
    /// Take away what leaves in a time: each class at its rate, and what a class has no use for by the others in turn.
    pub fn drain(&self, backlogs: &mut [f64], passed_s: f64) {
        let mut spare = 0.0;
        for (backlog, class) in backlogs.iter_mut().zip(self.classes) {
            let left = *backlog - passed_s * class.bytes_per_s;
            spare += (-left).max(0.0);
            *backlog = left.max(0.0);
        }
        for backlog in backlogs {
            let used = spare.min(*backlog);
            *backlog -= used;
            spare -= used;
        }
    }

    /// What is too much once these bytes wait in the classes.
    pub fn excess(&self, backlogs: &[f64], is_now: bool) -> Option<Excess> {
        let all: f64 = backlogs.iter().sum();
        if all > self.limit_bytes {
            return Some(Excess { classes: u32::MAX, bytes: all - self.limit_bytes });
        }
        self.rate_excess(backlogs, is_now)
    }

    /// A class needs the rate it is promised, and what empties it in the time that its bound leaves. Packets that are yet
    /// to come have all of that time.
    fn rate_excess(&self, backlogs: &[f64], is_now: bool) -> Option<Excess> {
        let (mut needed, mut classes, mut left_s) = (0.0, 0, 0.0_f64);
        for (number, (class, backlog)) in self.classes.iter().zip(backlogs).enumerate() {
            let class_left_s = if is_now { class.delay_bound_s - class.head_age_s } else { class.delay_bound_s };
            let class_left_s = class_left_s.max(SHORTEST_S);
            let need = backlog / class_left_s;
            needed += need.max(class.floor_bytes_per_s);
            if need > class.floor_bytes_per_s {
                classes |= 1 << number;
                left_s = left_s.max(class_left_s);
            }
        }
        let bytes = (needed - self.bytes_per_s) * left_s;
        (needed > self.bytes_per_s && classes != 0).then_some(Excess { classes, bytes })
    }
}

/// In the place of no time left.
const SHORTEST_S: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::{ClassDemand, Excess, PortDemand};

    #[test]
    fn the_buffer_is_shared_by_all_classes() {
        let classes = [ClassDemand::unbounded(0.0, 500.0), ClassDemand::unbounded(0.0, 500.0)];
        let port = PortDemand { classes: &classes, limit_bytes: 1000.0, bytes_per_s: 1000.0 };
        assert_eq!(port.excess(&[400.0, 600.0], true), None);
        assert_eq!(port.excess(&[400.0, 850.0], true), Some(Excess { classes: u32::MAX, bytes: 250.0 }));
    }

    #[test]
    fn needs_beyond_the_link_are_those_of_the_bounded_class() {
        // 1 MB/s; the first class has 10 ms, the second is promised 400 kB/s.
        let bounded = ClassDemand { delay_bound_s: 0.010, head_age_s: 0.004, ..ClassDemand::unbounded(0.0, 5e5) };
        let promised = ClassDemand { floor_bytes_per_s: 4e5, ..ClassDemand::unbounded(0.0, 5e5) };
        let classes = [bounded, promised];
        let port = PortDemand { classes: &classes, limit_bytes: 1e9, bytes_per_s: 1e6 };
        // What is left is 600 kB/s: 6000 bytes in 10 ms, 3600 in the 6 ms that the first packet has.
        assert_eq!(port.excess(&[5999.0, 1e6], false), None);
        assert_eq!(port.excess(&[3599.0, 1e6], true), None);
        for (backlog, is_now) in [(6100.0, false), (3700.0, true)] {
            let excess = port.excess(&[backlog, 1e6], is_now).expect("too much");
            assert_eq!(excess.classes, 0b01);
            assert!((excess.bytes - 100.0).abs() < 1e-6, "{excess:?}");
        }
    }

    #[test]
    fn what_one_class_leaves_of_the_link_the_others_use() {
        let classes = [200.0, 300.0, 500.0].map(|rate| ClassDemand::unbounded(0.0, rate));
        let port = PortDemand { classes: &classes, limit_bytes: 1e9, bytes_per_s: 1000.0 };
        let mut backlogs = [100.0, 700.0, 1300.0];
        port.drain(&mut backlogs, 2.0);
        // 400, 600 and 1000 bytes; the first has 100 only, and its 300 take the 100 of the second, then 200 of the third.
        let expected = [0.0, 0.0, 100.0];
        assert!(backlogs.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-9), "{backlogs:?}");
    }

    #[test]
    fn a_class_that_is_late_already_needs_more_than_any_link_has() {
        let late = ClassDemand { delay_bound_s: 0.010, head_age_s: 0.020, ..ClassDemand::unbounded(0.0, 1e6) };
        let port = PortDemand { classes: &[late], limit_bytes: 1e9, bytes_per_s: 1e6 };
        assert!(port.excess(&[500.0], true).is_some());
        assert_eq!(port.excess(&[0.0], true), None);
    }
}
