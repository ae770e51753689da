//! Columns of the lake's parts for those who want few of their rows.
//!
//! A part is a Parquet file. Whoever reads one through a general reader has every value of a column put into place, to
//! look at a handful. Here a column's pages are opened, and only what is asked for is taken out of them. Pages that are
//! not written as ingest writes them are left to a general reader.

#![forbid(unsafe_code)]

mod chunk;
mod delta;
mod flow_choice;
mod heavy;
mod page;
mod repeats;
mod runs;

pub use chunk::{Chunk, ChunkReader};
pub use heavy::{HeavyRows, Looked};
pub use repeats::{Asked, Metered, NotComparable, Point, Repeats};
