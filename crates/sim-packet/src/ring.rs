//! A first-in first-out ring whose size is a power of two; it grows when full and allocates at no other time.

use std::fmt::{self, Debug, Formatter};

/// A queue of plain values.
#[derive(Clone)]
pub struct Ring<T> {
    slots: Vec<T>,
    head: usize,
    tail: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// An empty ring with room for 64 values.
    pub fn new() -> Self {
        Self { slots: vec![T::default(); 64], head: 0, tail: 0 }
    }

    /// How many values wait.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head)
    }

    /// Whether nothing waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// The value that leaves next.
    #[inline(always)]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(&self.slots[self.head & (self.slots.len() - 1)]) }
    }

    /// The value behind it.
    #[inline(always)]
    pub fn second(&self) -> Option<&T> {
        let at = self.head.wrapping_add(1) & (self.slots.len() - 1);
        if self.len() < 2 { None } else { Some(&self.slots[at]) }
    }

    /// The value that so many leave before.
    pub fn get(&self, place: usize) -> Option<&T> {
        let at = self.head.wrapping_add(place) & (self.slots.len() - 1);
        (place < self.len()).then(|| &self.slots[at])
    }

    /// The value that leaves last.
    pub fn back(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(&self.slots[self.tail.wrapping_sub(1) & (self.slots.len() - 1)]) }
    }

    /// Take back the value at the end.
    pub fn pop_back(&mut self) -> Option<T> {
        let value = *self.back()?;
        self.tail = self.tail.wrapping_sub(1);
        Some(value)
    }

    /// Add a value at the end.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let at = self.tail & (self.slots.len() - 1);
        self.slots[at] = value;
        self.tail = self.tail.wrapping_add(1);
    }

    /// Take the value at the front.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.head = self.head.wrapping_add(1);
        Some(value)
    }

    /// The first of the waiting values, as many as lie side by side; empty only if nothing waits.
    #[inline(always)]
    pub fn front_run(&self) -> &[T] {
        let start = self.head & (self.slots.len() - 1);
        let rest = &self.slots[start..];
        &rest[..self.len().min(rest.len())]
    }

    /// Take away so many values from the front; no more than wait.
    #[inline(always)]
    pub const fn skip(&mut self, count: usize) {
        self.head = self.head.wrapping_add(count);
    }

    /// Free slots behind the last value, as many as lie side by side; never none, as the ring grows when it is full.
    #[inline(always)]
    pub fn back_room(&mut self) -> &mut [T] {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let (free, at) = (self.slots.len() - self.len(), self.tail & (self.slots.len() - 1));
        let rest = &mut self.slots[at..];
        let room = free.min(rest.len());
        &mut rest[..room]
    }

    /// So many of the free slots have been filled; no more than there were.
    #[inline(always)]
    pub const fn add(&mut self, count: usize) {
        self.tail = self.tail.wrapping_add(count);
    }

    /// Take the value at the front and add one at the end, where one waits.
    #[inline(always)]
    pub fn rotate(&mut self, value: T) {
        let at = self.tail & (self.slots.len() - 1);
        self.slots[at] = value;
        self.tail = self.tail.wrapping_add(1);
        self.head = self.head.wrapping_add(1);
    }

    /// The waiting values, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|i| &self.slots[self.head.wrapping_add(i) & (self.slots.len() - 1)])
    }

    /// The same to be changed in place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let (head, waiting) = (self.head & (self.slots.len() - 1), self.len());
        let (start, rest) = self.slots.split_at_mut(head);
        rest.iter_mut().chain(start).take(waiting)
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = vec![T::default(); self.slots.len() * 2];
        let waiting = self.len();
        for (to, value) in larger.iter_mut().zip(self.iter()) {
            *to = *value;
        }
        self.slots = larger;
        self.head = 0;
        self.tail = waiting;
    }
}

impl<T: Copy + Default + Debug> Debug for Ring<T> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Copy + Default> Default for Ring<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn what_was_pushed_last_can_be_taken_back() {
        let mut ring = Ring::new();
        assert_eq!((ring.back().copied(), ring.pop_back()), (None, None));
        for n in 0..100_u32 {
            ring.push(n);
            assert_eq!((ring.second().copied(), ring.back().copied(), ring.pop()), (None, Some(n), Some(n)));
        }
        ring.push(1);
        ring.push(2);
        assert_eq!(ring.second(), Some(&2));
        assert_eq!((ring.pop_back(), ring.back().copied()), (Some(2), Some(1)));
        assert_eq!((ring.pop(), ring.pop_back()), (Some(1), None));
    }

    /// Fills the free slots as [`crate::run`] does.
    fn add_all(ring: &mut Ring<u32>, values: &[u32]) {
        let mut rest = values;
        while !rest.is_empty() {
            let slots = ring.back_room();
            let (now, later) = rest.split_at(rest.len().min(slots.len()));
            slots[..now.len()].copy_from_slice(now);
            ring.add(now.len());
            rest = later;
        }
    }

    #[test]
    fn values_added_together_wait_like_values_added_one_by_one() {
        let [mut together, mut singly] = [Ring::new(), Ring::new()];
        for count in [3, 50, 0, 200, 64, 1_000] {
            let values = (0..count).collect::<Vec<u32>>();
            add_all(&mut together, &values);
            for &n in &values {
                singly.push(n);
            }
            for n in 0..20 {
                together.rotate(n);
                singly.pop();
                singly.push(n);
            }
            assert!(together.iter().eq(singly.iter()), "{count}");
            assert!((0..=together.len()).all(|place| together.get(place) == singly.iter().nth(place)));
            together.skip(count as usize / 2);
            singly.skip(count as usize / 2);
        }
        assert_eq!(format!("{:?}", Ring::<u8>::new()), "[]");
    }

    #[test]
    fn runs_from_the_front_are_what_waits() {
        let mut ring = Ring::new();
        assert!(ring.front_run().is_empty());
        let (mut pushed, mut taken) = (0..1000_u32, Vec::new());
        while taken.len() < 1000 {
            pushed.by_ref().take(50).for_each(|n| ring.push(n));
            let run = ring.front_run();
            assert!(!run.is_empty());
            let count = run.len().min(37);
            taken.extend_from_slice(&run[..count]);
            ring.skip(count);
        }
        assert!(ring.is_empty() && taken.into_iter().eq(0..1000));
    }

    #[test]
    fn order_survives_growth() {
        let mut ring = Ring::new();
        let mut expected = 0;
        for n in 0..1000_u32 {
            ring.push(n);
            if n % 3 == 0 {
                assert_eq!(ring.pop(), Some(expected));
                expected += 1;
            }
        }
        assert_eq!(ring.len(), (1000 - expected) as usize);
        assert_eq!(ring.front(), Some(&expected));
        assert!(ring.iter().copied().eq(expected..1000));
        assert!(ring.iter_mut().map(|value| *value).eq(expected..1000));
    }
}
