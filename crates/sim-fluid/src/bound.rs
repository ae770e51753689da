//! Bounds and whole numbers for the equations of a step. The standard library's `min` and `max` also look after NaN, and
//! its `floor` is a call, which is much for what each step does dozens of times; no bound here is NaN.

/// A number, bounded.
pub trait Bound {
    /// The number, or the bound if that is less.
    #[must_use]
    fn at_most(self, bound: Self) -> Self;
    /// The number, or the bound if that is greater.
    #[must_use]
    fn at_least(self, bound: Self) -> Self;
    /// The greatest whole number that is not greater; of numbers from 0 to 2^63.
    #[must_use]
    fn whole(self) -> Self;
    /// The least whole number that is not less; of numbers from 0 to 2^63.
    #[must_use]
    fn whole_up(self) -> Self;
}

impl Bound for f64 {
    #[inline]
    fn at_most(self, bound: Self) -> Self {
        if self < bound { self } else { bound }
    }

    #[inline]
    fn at_least(self, bound: Self) -> Self {
        if self > bound { self } else { bound }
    }

    #[inline]
    fn whole(self) -> Self {
        self as i64 as Self
    }

    #[inline]
    fn whole_up(self) -> Self {
        let whole = self.whole();
        if whole < self { whole + 1.0 } else { whole }
    }
}

#[cfg(test)]
mod tests {
    use super::Bound;

    #[test]
    fn they_are_those_of_the_standard_library() {
        for a in [0.0, 0.3, 1.0, 1.999_999_9, 5e9, 4.5e15, 1e18, f64::INFINITY] {
            for b in [0.0, 0.3, 2.0, 1e18, f64::INFINITY] {
                assert_eq!((a.at_most(b), a.at_least(b)), (f64::min(a, b), f64::max(a, b)));
            }
            if a.is_finite() {
                assert_eq!((a.whole(), a.whole_up()), (a.floor(), a.ceil()));
            }
        }
    }
}
