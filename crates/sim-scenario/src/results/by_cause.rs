//! Why packets are lost, and numbers kept for each cause.

use serde::{Serialize, Serializer};
use std::iter::Sum;
use std::ops::{AddAssign, Index, IndexMut};

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DropCause {
    /// The queue was full.
    Full,
    /// The discipline chose to drop it before the queue was full.
    Early,
    /// A policer dropped it.
    Policer,
    /// A link with random loss lost it.
    Link,
}

impl DropCause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Full, Self::Early, Self::Policer, Self::Link];
    /// All causes, in the order of their names: that of results.
    const BY_NAME: [Self; 4] = [Self::Early, Self::Full, Self::Link, Self::Policer];

    /// The name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Early => "early",
            Self::Policer => "policer",
            Self::Link => "link",
        }
    }
}

/// A number for each cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByCause<T>([T; DropCause::ALL.len()]);

impl<T: Copy> ByCause<T> {
    /// All causes together.
    pub fn total(&self) -> T
    where
        T: Sum,
    {
        self.0.iter().copied().sum()
    }

    /// The same numbers in another form.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> ByCause<U> {
        ByCause(self.0.map(change))
    }
}

impl<T> Index<DropCause> for ByCause<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, cause: DropCause) -> &T {
        &self.0[cause as usize]
    }
}

impl<T> IndexMut<DropCause> for ByCause<T> {
    #[inline(always)]
    fn index_mut(&mut self, cause: DropCause) -> &mut T {
        &mut self.0[cause as usize]
    }
}

impl<T: Copy + AddAssign> AddAssign for ByCause<T> {
    fn add_assign(&mut self, other: Self) {
        for (sum, part) in self.0.iter_mut().zip(other.0) {
            *sum += part;
        }
    }
}

impl<T: Serialize> Serialize for ByCause<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(DropCause::BY_NAME.map(|cause| (cause.name(), &self[cause])))
    }
}

#[cfg(test)]
mod tests {
    use super::{ByCause, DropCause};

    #[test]
    fn results_list_every_cause_by_name() {
        let mut drops = ByCause::<u64>::default();
        for (number, cause) in DropCause::ALL.into_iter().enumerate() {
            drops[cause] += number as u64 + 1;
        }
        let json = serde_json::to_string(&drops).expect("numbers");
        assert_eq!(json, r#"{"early":2,"full":1,"link":4,"policer":3}"#);
        assert_eq!(drops.total(), 10);
    }
}
