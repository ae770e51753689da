//! Decoder of the files that nfcapd writes: layout 1 of nfdump 1.6 and layout 2 of nfdump 1.7.
//!
//! Bytes in, columns of integers out; no input, output or clock. Every length is checked before it is believed. What is
//! damaged or not known here is refused with its place, never guessed: the caller then asks nfdump.
//!
//! Source of the layouts: `nffile.h`, `nffileV2.h`, `nfx.h`, `nfxV3.h` and `exporter.h` of nfdump 1.6.25, 1.7.1 and 1.7.8.
//! What a field means where two elements of a record name it follows nfdump 1.7.1, whose JSON is read otherwise.

#![forbid(unsafe_code)]

mod block;
mod bytes;
mod columns;
mod distinct;
mod exporters;
mod groups;
mod header;
mod lake;
mod lz4;
mod lzo;
mod minutes;
mod order;
mod output;
mod plain;
mod reader;
mod record_v1;
mod record_v3;
mod refusal;
mod rows;
mod shapes;
mod source;
mod sums;
mod zstd;

pub use block::LARGEST_BLOCK;
pub use columns::{Column, Columns};
pub use distinct::distinct;
pub use exporters::{Exporter, Sampler};
pub use groups::{GroupKey, Groups};
pub use header::Statistics;
pub use lake::{LAKE_COLUMNS, PlainRows};
pub use minutes::{Group, Limits, MinuteSums, MinuteTotals, Point, Rows};
pub use order::row_order;
pub use plain::{Counted, Decision, Decisions, Split};
pub use reader::Reader;
pub use refusal::{Cause, Refusal};
pub use rows::{Numbers, Room, RowGroup, Values, least_and_most};
pub use source::Source;
pub use sums::{Sums, Totals};
