//! Where a file's bytes come from.

use std::borrow::Cow;
use std::io;

use crate::refusal::Refusal;

/// A file's bytes, read piece by piece.
pub trait Source {
    /// `length` bytes from `offset` on; fewer where the file ends before.
    ///
    /// # Errors
    /// They cannot be read.
    fn read(&self, offset: usize, length: usize) -> io::Result<Cow<'_, [u8]>>;
}

impl Source for [u8] {
    fn read(&self, offset: usize, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let rest = self.get(offset..).unwrap_or_default();
        Ok(Cow::Borrowed(&rest[..length.min(rest.len())]))
    }
}

impl Source for Vec<u8> {
    fn read(&self, offset: usize, length: usize) -> io::Result<Cow<'_, [u8]>> {
        self.as_slice().read(offset, length)
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn read(&self, offset: usize, length: usize) -> io::Result<Cow<'_, [u8]>> {
        (**self).read(offset, length)
    }
}

/// The bytes of a place, or as many as there are.
pub(crate) fn piece(source: &(impl Source + ?Sized), offset: usize, length: usize) -> Result<Cow<'_, [u8]>, Refusal> {
    source
        .read(offset, length)
        .map_err(|cause| Refusal::damaged(offset, format!("{length} bytes cannot be read: {cause}")))
}
