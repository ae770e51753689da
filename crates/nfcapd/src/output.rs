//! Where a decompressed block grows: literals and repetitions of what is there already, within a limit.

pub(crate) const STEP: usize = 16;
const HALF_STEP: usize = STEP / 2;

/// A buffer that is filled from its beginning; its last `STEP` bytes are only room for copies in whole steps.
pub(crate) struct Output<'a> {
    buffer: &'a mut [u8],
    length: usize,
    limit: usize,
}

/// Why a block cannot be decompressed.
pub(crate) type Fault = &'static str;

pub(crate) const CUT_OFF: Fault = "its compressed data is cut off";
pub(crate) const TOO_LONG: Fault = "it is larger than a block can be once it is decompressed";

impl<'a> Output<'a> {
    /// Bytes that a buffer must have for blocks of up to `limit` bytes.
    pub(crate) const fn room(limit: usize) -> usize {
        limit + STEP
    }

    pub(crate) fn new(buffer: &'a mut [u8]) -> Self {
        let limit = buffer.len().saturating_sub(STEP);
        Self { buffer, length: 0, limit }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    fn end(&self, count: usize) -> Result<usize, Fault> {
        self.length.checked_add(count).filter(|end| *end <= self.limit).ok_or(TOO_LONG)
    }

    /// Appends `count` bytes of the input and moves `at` behind them.
    #[inline]
    pub(crate) fn literals(&mut self, input: &[u8], at: &mut usize, count: usize) -> Result<(), Fault> {
        let end = self.end(count)?;
        let rest = input.get(*at..).unwrap_or_default();
        let room = self.buffer.get_mut(self.length..).unwrap_or_default();
        // most runs are short: one step of constant size is faster than a call for the exact number
        match (rest.first_chunk::<STEP>(), room.first_chunk_mut::<STEP>()) {
            (Some(step), Some(room)) if count <= STEP => *room = *step,
            _ => {
                let bytes = rest.get(..count).ok_or("its literals are cut off")?;
                self.buffer[self.length..end].copy_from_slice(bytes);
            }
        }
        *at += count;
        self.length = end;
        Ok(())
    }

    /// Appends `count` bytes again, at most 40, that begin `distance` before the end, and then the first `literals` of
    /// those given. With a distance of 0 there must be none to repeat.
    #[inline(always)]
    pub(crate) fn short(
        &mut self,
        distance: usize,
        count: usize,
        literals: usize,
        given: &[u8; STEP],
    ) -> Result<(), Fault> {
        let to = self.length;
        let last = to + count;
        let end = self.end(count + literals)?;
        if distance > to {
            return Err("it repeats what lies before its beginning");
        }
        // one comparison for both: nothing is changed by copying from a distance of 0
        if distance.wrapping_sub(1) >= HALF_STEP - 1 {
            // most have one step; how many is hard to predict, so two are taken at once
            self.copy_step::<HALF_STEP>(to, distance);
            self.copy_step::<HALF_STEP>(to + HALF_STEP, distance);
            if count > STEP {
                self.copy_step::<HALF_STEP>(to + STEP, distance);
                self.copy_step::<HALF_STEP>(to + STEP + HALF_STEP, distance);
                if count > 2 * STEP {
                    self.copy_step::<HALF_STEP>(to + 2 * STEP, distance);
                }
            }
        } else {
            for place in to..last {
                self.buffer[place] = self.buffer[place - distance];
            }
        }
        // never without room: `end` lies within the limit, behind which there is a whole step
        if let Some(room) = self.buffer.get_mut(last..).and_then(|room| room.first_chunk_mut()) {
            *room = *given;
        }
        self.length = end;
        Ok(())
    }

    /// Appends `count` bytes again that begin `distance` before the end; they may overlap what is being written.
    #[inline]
    pub(crate) fn repeat(&mut self, distance: usize, count: usize) -> Result<(), Fault> {
        let end = self.end(count)?;
        if distance == 0 || distance > self.length {
            return Err("it repeats what lies before its beginning");
        }
        let mut to = self.length;
        if distance >= STEP {
            loop {
                self.copy_step::<STEP>(to, distance);
                to += STEP;
                if to >= end {
                    break;
                }
            }
        } else if distance >= HALF_STEP {
            while to < end {
                self.copy_step::<HALF_STEP>(to, distance);
                to += HALF_STEP;
            }
        } else {
            for place in to..end {
                self.buffer[place] = self.buffer[place - distance];
            }
        }
        self.length = end;
        Ok(())
    }

    #[inline(always)]
    fn copy_step<const BYTES: usize>(&mut self, to: usize, distance: usize) {
        let mut step = [0; BYTES];
        step.copy_from_slice(&self.buffer[to - distance..to - distance + BYTES]);
        self.buffer[to..to + BYTES].copy_from_slice(&step);
    }
}
