//! What an application that writes ahead has handed over: it goes on once half of that has left, until as much as before
//! is unsent, and waits (`tcp_stream_memory_free`). Linux pushes what it wrote last before it waits.

/// Unsent segments of an application.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    /// Segments that it writes ahead.
    ahead: u32,
    /// One past the last segment written.
    to: u32,
    /// Where the last buffer begins that was written before the first acknowledgement; it is filled up later.
    early_to: u32,
    /// One past each segment that is pushed and not sent.
    pushed: Vec<u32>,
}

impl Written {
    /// So many segments ahead of `next`, in buffers of `early` segments.
    pub(super) fn early(next: u32, ahead: u32, early: u32) -> Self {
        let to = next + ahead.next_multiple_of(early);
        Self { ahead, to, early_to: to - early, pushed: Vec::new() }
    }

    /// Whether the buffer that begins at this segment was written before the first acknowledgement and not filled up.
    pub(super) const fn is_early(&self, first: u32) -> bool {
        first < self.early_to
    }

    /// All below `next` is sent: write more, in buffers of so many segments, if half of what was ahead has left.
    pub(super) fn go_on(&mut self, next: u32, whole: u32) {
        if self.ahead == 0 || 2 * self.to.saturating_sub(next) >= self.ahead {
            return;
        }
        if self.pushed.is_empty() {
            self.to = self.early_to + whole;
            self.pushed.push(self.to);
        }
        while self.to.saturating_sub(next) < self.ahead {
            self.to += whole;
        }
        self.pushed.retain(|&end| end > next);
        self.pushed.push(self.to);
    }

    /// A buffer that is yet to go out has a segment more, as it was cut within one.
    pub(super) fn shift(&mut self, next: u32) {
        self.to += 1;
        self.early_to += u32::from(self.early_to > next);
        self.pushed.iter_mut().filter(|end| **end > next).for_each(|end| *end += 1);
    }

    /// Whether this segment is the last one written before the application waited.
    pub(super) fn is_pushed(&self, seq: u32) -> bool {
        self.pushed.contains(&(seq + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn it_goes_on_when_half_has_left_and_what_it_wrote_last_is_pushed() {
        // 4 MiB are 469 segments of 8,948 bytes, 157 buffers of 3 behind the first flight of 7: to 478. The last one is
        // filled up to 7, from 475 to 482.
        let mut written = Written::early(7, 469, 3);
        assert_eq!([472, 475].map(|first| written.is_early(first)), [true, false]);
        let pushed_after = |written: &mut Written, next| {
            written.go_on(next, 7);
            (0..2_000).filter(|&seq| written.is_pushed(seq)).collect::<Vec<u32>>()
        };
        // 235 unsent are more than half; with 234 the application fills buffers of 7 until 469 are unsent again, to 713,
        // and later to 951 and 1,189.
        assert_eq!(pushed_after(&mut written, 243), [0; 0]);
        assert_eq!(pushed_after(&mut written, 244), [481, 712]);
        assert_eq!(pushed_after(&mut written, 478), [481, 712]);
        assert_eq!(pushed_after(&mut written, 479), [481, 712, 950]);
        assert_eq!(pushed_after(&mut written, 717), [950, 1_188]);
    }
}
