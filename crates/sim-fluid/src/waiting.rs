//! What waits in a queue: step by step, first to last, each step's bytes with a chunk of every slot.

use crate::chunk::Chunk;

/// The steps, in a ring that grows when it is full. Each step's chunks lie side by side, so that they are read as one.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// Chunks of a step.
    slots: usize,
    bytes: Vec<f64>,
    chunks: Vec<Chunk>,
    first: usize,
    count: usize,
}

impl Waiting {
    /// Nothing waits; each step will bring so many chunks.
    pub fn new(slots: usize) -> Self {
        Self { slots, ..Self::default() }
    }

    /// Whether nothing waits.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A step's bytes and the chunks of the first slots join the end; nothing has ever come to the others.
    pub fn push(&mut self, bytes: f64, chunks: &[Chunk]) {
        if self.count == self.bytes.len() {
            self.grow();
        }
        let place = self.place(self.count);
        self.bytes[place] = bytes;
        self.chunks[place * self.slots..][..chunks.len()].copy_from_slice(chunks);
        self.count += 1;
    }

    /// The first step's bytes and chunks.
    pub fn first(&mut self) -> Option<(&mut f64, &mut [Chunk])> {
        if self.is_empty() {
            return None;
        }
        Some((&mut self.bytes[self.first], &mut self.chunks[self.first * self.slots..][..self.slots]))
    }

    /// The first step has left.
    pub fn pop(&mut self) {
        self.first = self.place(1);
        self.count -= 1;
    }

    /// The chunks of every step, first to last.
    pub fn steps(&self) -> impl Iterator<Item = &[Chunk]> {
        (0..self.count).map(|step| &self.chunks[self.place(step) * self.slots..][..self.slots])
    }

    /// Where the step is that comes so many after the first.
    fn place(&self, after: usize) -> usize {
        let place = self.first + after;
        if place >= self.bytes.len() { place - self.bytes.len() } else { place }
    }

    fn grow(&mut self) {
        self.bytes.rotate_left(self.first);
        self.chunks.rotate_left(self.first * self.slots);
        self.first = 0;
        let places = (2 * self.count).max(16);
        self.bytes.resize(places, 0.0);
        self.chunks.resize(places * self.slots, Chunk::default());
    }
}

#[cfg(test)]
mod tests {
    use super::Waiting;
    use crate::chunk::Chunk;

    fn chunks(step: u32) -> [Chunk; 2] {
        let fresh = f64::from(step);
        [Chunk { fresh, ..Chunk::default() }, Chunk { fresh: -fresh, ..Chunk::default() }]
    }

    #[test]
    fn steps_leave_in_order_while_the_ring_turns_and_grows() {
        let mut waiting = Waiting::new(2);
        let (mut joined, mut left) = (0, 0);
        for _ in 0..40 {
            for _ in 0..3 {
                joined += 1;
                waiting.push(f64::from(joined), &chunks(joined));
            }
            for _ in 0..2 {
                left += 1;
                assert_eq!(waiting.first(), Some((&mut f64::from(left), &mut chunks(left)[..])));
                waiting.pop();
            }
        }
        let still: Vec<f64> = waiting.steps().map(|step| step[0].fresh).collect();
        assert_eq!(still, (81..=120).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_one_has_no_first_step() {
        let mut waiting = Waiting::new(1);
        assert!(waiting.first().is_none());
        waiting.push(1.0, &[Chunk::default()]);
        waiting.pop();
        assert!(waiting.is_empty() && waiting.first().is_none());
    }
}
