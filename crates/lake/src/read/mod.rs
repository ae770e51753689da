//! Columns of a part: pages opened, and all or some of their values taken out.

mod chunk;
mod delta;
mod page;
mod runs;

pub use chunk::{Chunk, ChunkReader};
