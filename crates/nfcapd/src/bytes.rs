//! Little-endian numbers from bytes, as every machine writes them that nfcapd usually runs on.

use crate::refusal::Refusal;

/// Reads forward through bytes; what is missing is damage at the place where it should begin.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` begin, for the places in refusals.
    base: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    pub(crate) fn place(&self) -> usize {
        self.base + self.at
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Refusal> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(taken) = rest.get(..length) else {
            return Err(Refusal::damaged(self.place(), format!("{length} bytes expected, {} are left", rest.len())));
        };
        self.at += length;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let place = self.place();
        let taken = self.take(N)?;
        taken.first_chunk().copied().ok_or_else(|| Refusal::damaged(place, "cut off"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Refusal> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Refusal> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Refusal> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Refusal> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}

/// The 16-bit number at a constant place of an array; the compiler sees that it lies within.
#[inline]
pub(crate) fn u16_at<const N: usize>(bytes: &[u8; N], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// The 32-bit number at a constant place of an array.
#[inline]
pub(crate) fn u32_at<const N: usize>(bytes: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The 64-bit number at a constant place of an array.
#[inline]
pub(crate) fn u64_at<const N: usize>(bytes: &[u8; N], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// The 16-bit number at a place that lies within the bytes.
#[inline]
pub(crate) fn u16_in(bytes: &[u8], at: usize) -> u16 {
    bytes[at..].first_chunk().copied().map_or(0, u16::from_le_bytes)
}

/// The 32-bit number at such a place.
#[inline]
pub(crate) fn u32_in(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().copied().map_or(0, u32::from_le_bytes)
}

/// The 64-bit number at such a place.
#[inline]
pub(crate) fn u64_in(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().copied().map_or(0, u64::from_le_bytes)
}
