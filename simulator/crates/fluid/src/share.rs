//! How a port divides its link: the fluid form of priority scheduling with guarantees, and of strict partitioning.
//!
//! Guarantees are served first, level by level; what is left goes to queues that want more, again level by level and
//! inside a level by weight (Junos: transmit rate, priority, excess priority).

/// How one queue is served.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its guaranteed share of the link, 0 to 1.
    pub guarantee: f64,
    /// Priority up to its guarantee; 0 goes first.
    pub priority: u8,
    /// Priority beyond; 0 goes first.
    pub excess_priority: u8,
    /// Its part of what a level gets beyond the guarantees, relative to the others'.
    pub weight: f64,
}

/// How a port divides its link.
#[derive(Clone, Debug)]
pub enum Sharing {
    /// What one queue leaves, others use.
    WorkConserving(Vec<Profile>),
    /// A queue never gets more than its guarantee.
    Partitioned(Vec<Profile>),
}

impl Sharing {
    /// How much of `capacity` each queue gets when it wants `wanted`; all in the same unit, such as bytes per step.
    pub fn divide(&self, capacity: f64, wanted: &[f64], given: &mut [f64]) {
        match self {
            Self::Partitioned(profiles) => {
                for ((given, profile), wanted) in given.iter_mut().zip(profiles).zip(wanted) {
                    *given = wanted.min(profile.guarantee * capacity);
                }
            }
            Self::WorkConserving(profiles) => divide_by_priority(profiles, capacity, wanted, given),
        }
    }
}

fn divide_by_priority(profiles: &[Profile], capacity: f64, wanted: &[f64], given: &mut [f64]) {
    given.fill(0.0);
    if wanted.iter().sum::<f64>() <= capacity {
        given.copy_from_slice(wanted);
        return;
    }
    let mut left = capacity;
    for level in 0..=highest(profiles, |profile| profile.priority) {
        let limit = |queue: usize| wanted[queue].min(profiles[queue].guarantee * capacity);
        let at_level = |queue: usize| profiles[queue].priority == level && profiles[queue].guarantee > 0.0;
        left -= fill(left, given, at_level, limit, |queue| profiles[queue].guarantee);
    }
    for level in 0..=highest(profiles, |profile| profile.excess_priority) {
        let at_level = |queue: usize| profiles[queue].excess_priority == level;
        left -= fill(left, given, at_level, |queue| wanted[queue], |queue| profiles[queue].weight);
    }
}

fn highest(profiles: &[Profile], level: impl Fn(&Profile) -> u8) -> u8 {
    profiles.iter().map(level).max().unwrap_or(0)
}

/// Raise the members' amounts towards their limits, max-min fairly by weight; the amount handed out.
fn fill(
    capacity: f64,
    given: &mut [f64],
    member: impl Fn(usize) -> bool,
    limit: impl Fn(usize) -> f64,
    weight: impl Fn(usize) -> f64,
) -> f64 {
    let mut left = capacity;
    // Each round satisfies at least one queue, or ends with nothing left.
    for _ in 0..given.len() {
        let open = |queue: usize, given: &[f64]| member(queue) && given[queue] < limit(queue);
        let weights: f64 = (0..given.len()).filter(|&queue| open(queue, given)).map(&weight).sum();
        if left <= 0.0 || weights <= 0.0 {
            break;
        }
        let per_weight = left / weights;
        for queue in 0..given.len() {
            if open(queue, given) {
                let more = (limit(queue) - given[queue]).min(weight(queue) * per_weight);
                given[queue] += more;
                left -= more;
            }
        }
    }
    capacity - left.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::{Profile, Sharing};

    fn profile(share: f64, priority: u8) -> Profile {
        Profile { guarantee: share, priority, excess_priority: priority, weight: share }
    }

    fn divide(sharing: &Sharing, wanted: &[f64]) -> Vec<f64> {
        let mut given = vec![0.0; wanted.len()];
        sharing.divide(1000.0, wanted, &mut given);
        given
    }

    fn assert_near(got: &[f64], expected: &[f64]) {
        assert!(got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 0.01), "{got:?} is not {expected:?}");
    }

    #[test]
    fn shares_match_junipers_example() {
        let profiles = vec![profile(0.2, 0), profile(0.1, 0), profile(0.1, 1), profile(0.05, 1)];
        let got = divide(&Sharing::WorkConserving(profiles), &[600.0, 500.0, 500.0, 500.0]);
        assert_near(&got, &[566.67, 283.33, 100.0, 50.0]);
    }

    #[test]
    fn shares_inside_a_level_are_max_min() {
        let profiles = vec![profile(0.25, 0), profile(0.25, 0), profile(0.5, 0)];
        assert_near(&divide(&Sharing::WorkConserving(profiles), &[100.0, 2000.0, 2000.0]), &[100.0, 300.0, 600.0]);
    }

    #[test]
    fn a_queue_without_a_share_gets_what_is_left() {
        let profiles = [profile(0.6, 0), profile(0.0, 1)];
        let sharing = Sharing::WorkConserving(vec![profiles[0], Profile { weight: 0.01, ..profiles[1] }]);
        assert_near(&divide(&sharing, &[700.0, 500.0]), &[700.0, 300.0]);
        assert_near(&divide(&sharing, &[2000.0, 500.0]), &[1000.0, 0.0]);
    }

    #[test]
    fn a_partition_is_never_left() {
        let sharing = Sharing::Partitioned(vec![profile(0.2, 0), profile(0.5, 0)]);
        assert_near(&divide(&sharing, &[300.0, 100.0]), &[200.0, 100.0]);
    }
}
