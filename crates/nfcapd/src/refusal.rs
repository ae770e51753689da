//! Why a file is not decoded here.

use std::fmt;

/// What a refusal says of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It contradicts itself or is cut off.
    Damaged,
    /// It may be good, but holds something that this decoder does not know.
    Unknown,
}

/// A file that is not decoded here: where in it, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Damaged or unknown.
    pub cause: Cause,
    /// Byte offset in the file; for what lies in a compressed block, that of the block.
    pub offset: u64,
    /// What is wrong there.
    pub what: String,
}

impl Refusal {
    /// A refusal of what contradicts itself.
    pub fn damaged(offset: usize, what: impl Into<String>) -> Self {
        Self { cause: Cause::Damaged, offset: offset as u64, what: what.into() }
    }

    /// A refusal of what is not known here.
    pub fn unknown(offset: usize, what: impl Into<String>) -> Self {
        Self { cause: Cause::Unknown, offset: offset as u64, what: what.into() }
    }

    /// The same, as found at `place` (in bytes) of the decompressed block that begins at `block` in the file.
    pub(crate) fn in_block(self, block: usize) -> Self {
        let what = format!("byte {} of this block's records: {}", self.offset, self.what);
        Self { offset: block as u64, what, ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "byte {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for Refusal {}
