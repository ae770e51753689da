//! How a port divides its link: the fluid form of priority scheduling with guarantees, and of strict partitioning.
//!
//! Guarantees are served first, level by level; what is left goes to queues that want more, again level by level and
//! inside a level by weight (Junos: transmit rate, priority, excess priority).

use crate::bound::Bound;
use std::collections::BTreeMap;

/// How one queue is served.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its guaranteed share of the link, 0 to 1.
    pub guarantee: f64,
    /// Priority up to its guarantee; 0 goes first.
    pub priority: u8,
    /// Priority beyond; 0 goes first.
    pub excess_priority: u8,
    /// Its part of what a level gets beyond the guarantees, relative to the others'; above 0.
    pub weight: f64,
}

/// How a port divides its link.
#[derive(Clone, Debug)]
pub enum Sharing {
    /// What one queue leaves, others use.
    WorkConserving(Levels),
    /// A queue never gets more than its guarantee.
    Partitioned(Vec<Profile>),
}

impl Sharing {
    /// How much of `capacity` each queue gets when it wants `wanted`; all in the same unit, such as bytes per step.
    pub fn divide(&self, capacity: f64, wanted: &[f64], given: &mut [f64]) {
        match self {
            Self::Partitioned(profiles) => {
                for ((given, profile), wanted) in given.iter_mut().zip(profiles).zip(wanted) {
                    *given = wanted.at_most(profile.guarantee * capacity);
                }
            }
            Self::WorkConserving(levels) => levels.divide(capacity, wanted, given),
        }
    }
}

/// Queues by priority: each level is served before the next, within the guarantees and then beyond them.
#[derive(Clone, Debug)]
pub struct Levels(Vec<Vec<Member>>);

/// A queue at a level.
#[derive(Clone, Copy, Debug)]
struct Member {
    queue: usize,
    /// Its part of what the level gets, relative to the others'.
    weight: f64,
    /// The share of the link that it gets at most here; all of it beyond the guarantees.
    most: f64,
}

impl Levels {
    /// The levels of queues, one profile each.
    pub fn new(profiles: &[Profile]) -> Self {
        let guaranteed =
            |queue: usize, profile: &Profile| Member { queue, weight: profile.guarantee, most: profile.guarantee };
        let excess = |queue: usize, profile: &Profile| Member { queue, weight: profile.weight, most: f64::INFINITY };
        let with_guarantee = |profile: &Profile| (profile.guarantee > 0.0).then_some(profile.priority);
        let mut levels = by_level(profiles, with_guarantee, guaranteed);
        levels.append(&mut by_level(profiles, |profile| Some(profile.excess_priority), excess));
        Self(levels)
    }

    fn divide(&self, capacity: f64, wanted: &[f64], given: &mut [f64]) {
        if wanted.iter().sum::<f64>() <= capacity {
            given.copy_from_slice(wanted);
            return;
        }
        given.fill(0.0);
        let mut left = capacity;
        for level in &self.0 {
            let limit = |member: &Member| wanted[member.queue].at_most(member.most * capacity);
            left -= match &level[..] {
                [member] => fill_alone(left, member, limit(member), given),
                members => fill(left, members, limit, given),
            };
            if left <= 0.0 {
                break;
            }
        }
    }
}

/// The queues of each level, 0 first; those without a level are left out.
fn by_level(
    profiles: &[Profile],
    level_of: impl Fn(&Profile) -> Option<u8>,
    member: impl Fn(usize, &Profile) -> Member,
) -> Vec<Vec<Member>> {
    let mut levels: BTreeMap<u8, Vec<Member>> = BTreeMap::new();
    for (queue, profile) in profiles.iter().enumerate() {
        if let Some(level) = level_of(profile) {
            levels.entry(level).or_default().push(member(queue, profile));
        }
    }
    levels.into_values().collect()
}

/// Raise the amount of a level's only member towards its limit; the amount handed out. As [`fill`] does it, with the
/// weight as the sum of weights.
#[inline]
fn fill_alone(capacity: f64, member: &Member, limit: f64, given: &mut [f64]) -> f64 {
    let (mut left, rounds) = (capacity, given.len());
    let given = &mut given[member.queue];
    if *given >= limit {
        return 0.0;
    }
    for _ in 0..rounds {
        if left <= 0.0 || *given >= limit {
            break;
        }
        let more = (limit - *given).at_most(member.weight * (left / member.weight));
        *given += more;
        left -= more;
    }
    capacity - left.at_least(0.0)
}

/// Raise the members' amounts towards their limits, max-min fairly by weight; the amount handed out.
fn fill(capacity: f64, members: &[Member], limit: impl Fn(&Member) -> f64, given: &mut [f64]) -> f64 {
    let mut left = capacity;
    // Each round satisfies at least one queue, or ends with nothing left but what rounding leaves.
    for _ in 0..given.len() {
        let open = |member: &&Member, given: &[f64]| given[member.queue] < limit(member);
        let weights: f64 = members.iter().filter(|member| open(member, given)).map(|member| member.weight).sum();
        if left <= 0.0 || weights <= 0.0 {
            break;
        }
        let per_weight = left / weights;
        for member in members {
            if open(&member, given) {
                let given = &mut given[member.queue];
                let more = (limit(member) - *given).at_most(member.weight * per_weight);
                *given += more;
                left -= more;
            }
        }
    }
    capacity - left.at_least(0.0)
}

#[cfg(test)]
mod tests {
    use super::{Levels, Profile, Sharing};

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
        let got = divide(&Sharing::WorkConserving(Levels::new(&profiles)), &[600.0, 500.0, 500.0, 500.0]);
        assert_near(&got, &[566.67, 283.33, 100.0, 50.0]);
    }

    #[test]
    fn shares_inside_a_level_are_max_min() {
        let profiles = vec![profile(0.25, 0), profile(0.25, 0), profile(0.5, 0)];
        assert_near(
            &divide(&Sharing::WorkConserving(Levels::new(&profiles)), &[100.0, 2000.0, 2000.0]),
            &[100.0, 300.0, 600.0],
        );
    }

    #[test]
    fn a_queue_without_a_share_gets_what_is_left() {
        let profiles = [profile(0.6, 0), profile(0.0, 1)];
        let sharing = Sharing::WorkConserving(Levels::new(&[profiles[0], Profile { weight: 0.01, ..profiles[1] }]));
        assert_near(&divide(&sharing, &[700.0, 500.0]), &[700.0, 300.0]);
        assert_near(&divide(&sharing, &[2000.0, 500.0]), &[1000.0, 0.0]);
    }

    #[test]
    fn a_queue_alone_at_its_level_gets_what_it_gets_beside_one_that_wants_nothing() {
        let alone = Sharing::WorkConserving(Levels::new(&[profile(0.31, 0), profile(0.62, 1), profile(0.07, 2)]));
        let beside = [profile(0.31, 0), profile(0.62, 1), profile(0.07, 2), profile(0.11, 0), profile(0.13, 1)];
        let beside = Sharing::WorkConserving(Levels::new(&[&beside[..], &[profile(0.17, 2)]].concat()));
        for thousandth in 1..400 {
            let wanted = [1.3, 2.1, 0.7].map(|share| share * f64::from(thousandth) * 7.0);
            let got = divide(&beside, &[&wanted[..], &[0.0; 3]].concat());
            let given = divide(&alone, &wanted);
            assert!(given.iter().zip(&got).all(|(given, got)| (given - got).abs() < 1e-9), "{given:?}, {got:?}");
        }
    }

    #[test]
    fn a_partition_is_never_left() {
        let sharing = Sharing::Partitioned(vec![profile(0.2, 0), profile(0.5, 0)]);
        assert_near(&divide(&sharing, &[300.0, 100.0]), &[200.0, 100.0]);
    }
}
