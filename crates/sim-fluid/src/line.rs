//! Delay lines: what goes in comes out some steps later.

use std::ops::{AddAssign, Mul};

/// A line in which everything takes the same number of steps. Something is put in each step, if only nothing.
#[derive(Clone, Debug)]
pub struct DelayLine<T> {
    slots: Vec<T>,
    now: usize,
    /// The slot that was filled last.
    last: usize,
    steps: usize,
}

impl<T: Copy + Default + AddAssign> DelayLine<T> {
    /// A line with a delay of so many steps.
    pub fn new(steps: usize) -> Self {
        Self { slots: vec![T::default(); steps + 2], now: 0, last: wrapped(2 * steps + 1, steps + 2), steps }
    }

    /// Put something in, once a step; without delay it can be taken at once.
    #[inline]
    pub fn put(&mut self, value: &T) {
        self.last = wrapped(self.now + self.steps, self.slots.len());
        self.slots[self.last] = *value;
    }

    /// Take what is due in this step, and go on to the next.
    #[inline]
    pub fn take(&mut self) -> &T {
        let value = &self.slots[self.now];
        self.now = wrapped(self.now + 1, self.slots.len());
        value
    }

    /// All that is inside.
    pub fn inside(&self) -> T {
        let (mut sum, mut at) = (T::default(), self.now);
        while at != wrapped(self.last + 1, self.slots.len()) {
            sum += self.slots[at];
            at = wrapped(at + 1, self.slots.len());
        }
        sum
    }
}

/// A line in which everything has a delay of its own. One between two whole numbers of steps is kept in the mean, by
/// dividing what goes in between the two.
#[derive(Clone, Debug)]
pub struct LooseLine<T> {
    slots: Vec<T>,
    now: usize,
}

impl<T: Copy + Default + AddAssign + Mul<f64, Output = T>> LooseLine<T> {
    /// A line for delays of up to this many steps; it grows for longer ones.
    pub fn new(steps: usize) -> Self {
        Self { slots: vec![T::default(); steps + 2], now: 0 }
    }

    /// Put something in; with a delay below one step part of it can be taken at once.
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
        let at = wrapped(self.now + whole, self.slots.len());
        self.slots[at] += value * (1.0 - late);
        let next = wrapped(at + 1, self.slots.len());
        self.slots[next] += value * late;
    }

    /// Take what is due in this step, and go on to the next.
    #[inline]
    pub fn take(&mut self) -> T {
        let value = std::mem::take(&mut self.slots[self.now]);
        self.now = wrapped(self.now + 1, self.slots.len());
        value
    }
}

/// A place in a ring of so many slots that is passed once at most. No division: this is done often.
#[inline]
const fn wrapped(at: usize, slots: usize) -> usize {
    if at >= slots { at - slots } else { at }
}

#[cfg(test)]
mod tests {
    use super::{DelayLine, LooseLine};

    #[test]
    fn what_goes_in_comes_out_after_the_delay() {
        let mut line = DelayLine::<f64>::new(2);
        let mut out = Vec::new();
        for step in [4.0, 0.0, 5.0, 0.0, 0.0, 0.0] {
            line.put(&step);
            out.push(*line.take());
        }
        assert_eq!(out, [0.0, 0.0, 4.0, 0.0, 5.0, 0.0]);
    }

    #[test]
    fn what_is_inside_has_gone_in_and_not_come_out() {
        for steps in 0..4 {
            let mut line = DelayLine::<f64>::new(steps);
            let (mut put, mut taken) = (0.0, 0.0);
            for step in 1..20 {
                line.put(&f64::from(step));
                put += f64::from(step);
                assert_eq!(line.inside(), put - taken);
                taken += line.take();
                assert_eq!(line.inside(), put - taken);
            }
        }
    }

    #[test]
    fn taking_before_putting_adds_a_step() {
        let mut line = DelayLine::<f64>::new(1);
        let mut out = Vec::new();
        for step in [4.0, 5.0, 6.0, 7.0] {
            out.push(*line.take());
            line.put(&step);
        }
        assert_eq!((out, line.inside()), (vec![0.0, 0.0, 4.0, 5.0], 13.0));
    }

    #[test]
    fn a_delay_between_two_steps_is_divided() {
        let mut line = LooseLine::<f64>::new(0);
        line.put_after(4.0, 2.25);
        let out: Vec<f64> = (0..5).map(|_| line.take()).collect();
        assert_eq!(out, [0.0, 0.0, 3.0, 1.0, 0.0]);
    }

    #[test]
    fn a_longer_delay_makes_room() {
        let mut line = LooseLine::<f64>::new(0);
        line.take();
        line.put_after(1.0, 1.0);
        line.put_after(2.0, 3.5);
        let out: Vec<f64> = (0..5).map(|_| line.take()).collect();
        assert_eq!(out, [0.0, 1.0, 0.0, 1.0, 1.0]);
    }
}
