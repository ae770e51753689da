//! Parts of the flow lake as Parquet: sorted rows written row group by row group, and columns of them read again; no
//! input, output or clock.
//!
//! Pages are encoded and compressed here, since it is known of each column what its values look like; their headers and
//! the footer are the `parquet` crate's. Reading opens the pages of the columns that are asked for and takes out only
//! the values that are asked for; a page that is not written as `Part` writes it is refused.
//!
//! Source of the encodings: "Parquet encoding definitions", Encodings.md of the Parquet format, version 2.11.

#![forbid(unsafe_code)]

mod delta;
mod encode;
mod hybrid;
mod part;
mod read;
mod repeats;

pub use part::{Part, PartError};
pub use read::{Chunk, ChunkReader};
pub use repeats::{Aside, Asked, Failure, Metered, Point, Repeats};
