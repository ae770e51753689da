//! A delay line: what goes in comes out some steps later. A delay between two whole numbers of steps is kept in the mean,
//! by dividing what goes in between the two.

use std::ops::{AddAssign, Mul};

/// The line; one slot per step.
#[derive(Clone, Debug)]
pub struct DelayLine<T> {
    slots: Vec<T>,
    now: usize,
    /// Steps that something takes that has no delay of its own.
    steps: usize,
}

impl<T: Copy + Default + AddAssign + Mul<f64, Output = T>> DelayLine<T> {
    /// A line with a delay of so many steps.
    pub fn new(steps: usize) -> Self {
        Self { slots: vec![T::default(); steps + 2], now: 0, steps }
    }

    /// Put something in, at most once a step and into a line that gets nothing by `put_after`; without delay it can be
    /// taken at once.
    #[inline]
    pub fn put(&mut self, value: T) {
        let at = self.slot(self.steps);
        self.slots[at] = value;
    }

    /// Put something in with a delay of its own; with one below one step part of it can be taken at once.
    #[inline]
    pub fn put_after(&mut self, value: T, steps: f64) {
        // No call of `floor`: this is done often.
        let whole = steps as u32;
        let (late, whole) = (steps - f64::from(whole), whole as usize);
        if whole + 2 > self.slots.len() {
            self.slots.rotate_left(self.now);
            self.now = 0;
            self.slots.resize(whole + 2, T::default());
        }
        let at = self.slot(whole);
        self.slots[at] += value * (1.0 - late);
        let next = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        self.slots[next] += value * late;
    }

    /// Where something with so many whole steps of delay goes; less than there are slots. No division: this is done often.
    #[inline]
    fn slot(&self, steps: usize) -> usize {
        let at = self.now + steps;
        if at >= self.slots.len() { at - self.slots.len() } else { at }
    }

    /// Take what is due in this step, and go on to the next.
    #[inline]
    pub fn take(&mut self) -> T {
        let value = std::mem::take(&mut self.slots[self.now]);
        self.now = if self.now + 1 == self.slots.len() { 0 } else { self.now + 1 };
        value
    }

    /// All that is inside.
    pub fn inside(&self) -> T {
        let mut sum = T::default();
        for &slot in &self.slots {
            sum += slot;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::DelayLine;

    #[test]
    fn what_goes_in_comes_out_after_the_delay() {
        let mut line = DelayLine::<f64>::new(2);
        let mut out = Vec::new();
        for step in [4.0, 0.0, 5.0, 0.0, 0.0, 0.0] {
            line.put(step);
            out.push(line.take());
        }
        assert_eq!(out, [0.0, 0.0, 4.0, 0.0, 5.0, 0.0]);
    }

    #[test]
    fn a_delay_between_two_steps_is_divided() {
        let mut line = DelayLine::<f64>::new(0);
        line.put_after(4.0, 2.25);
        let out: Vec<f64> = (0..5).map(|_| line.take()).collect();
        assert_eq!(out, [0.0, 0.0, 3.0, 1.0, 0.0]);
    }

    #[test]
    fn a_longer_delay_of_its_own_makes_room() {
        let mut line = DelayLine::<f64>::new(0);
        line.take();
        line.put_after(1.0, 1.0);
        line.put_after(2.0, 3.5);
        let out: Vec<f64> = (0..5).map(|_| line.take()).collect();
        assert_eq!(out, [0.0, 1.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn no_delay_is_no_delay() {
        let mut line = DelayLine::<f64>::new(0);
        line.put(7.0);
        assert_eq!((line.take(), line.inside()), (7.0, 0.0));
    }
}
