//! Decoder of the files that nfcapd writes: layout 1 of nfdump 1.6, layout 2 of nfdump 1.7 and layout 3 of nfdump 1.8.
//!
//! Bytes in, columns of integers out; no input, output or clock. Every length is checked before it is believed. What is
//! damaged or not known here is refused with its place, never guessed: the caller then asks nfdump.
//!
//! Source of the layouts: `nffile.h`, `nffileV2.h`, `nffileV3.h`, `nfx.h`, `nfxV3.h`, `nfxV4.h` and `exporter.h` of nfdump
//! 1.6.25, 1.7.1, 1.7.8 and of its branch `devel_1.8.x`.

#![forbid(unsafe_code)]

mod addresses;
mod block;
mod bytes;
mod columns;
mod distinct;
mod exporters;
mod groups;
mod header;
mod lake;
mod layout_3;
mod lz4;
mod lzo;
mod minutes;
mod order;
mod output;
mod plain;
mod reader;
mod record_v1;
mod record_v3;
mod record_v4;
mod refusal;
mod rows;
mod shapes;
mod source;
mod sums;
mod zstd;

pub use block::LARGEST_BLOCK;
pub use columns::{Column, Columns};
pub use distinct::distinct;
pub use exporters::{Exported, Exporter, Sampler};
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
