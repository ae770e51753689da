//! Parts of the flow lake: sorted rows as Parquet, row group by row group; no input, output or clock.
//!
//! Pages are encoded and compressed here, since it is known of each column what its values look like; their headers and
//! the footer are the `parquet` crate's. What is written has the schema and statistics of what `etl/lake/parts.py`
//! writes with pyarrow.
//!
//! Source of the encodings: "Parquet encoding definitions", Encodings.md of the Parquet format, version 2.11.

#![forbid(unsafe_code)]

mod delta;
mod encode;
mod hybrid;
mod part;

pub use part::{Part, PartError};
