//! What a run measures: totals, and a series per interval. Both engines fill these, under the same names.

mod by_cause;
mod by_colour;
mod ping;
mod series;
mod summary;

pub use by_cause::{ByCause, DropCause};
pub use by_colour::ByColour;
pub use ping::PingSummary;
pub use series::{
    Column, FlowMeasure, LinkMeasure, QueueMeasure, QueueRef, Recorder, Sample, Series, Values, ping_columns,
};
pub use summary::{
    DelaySummary, Fingerprint, FlowSummary, QueueSummary, RunResult, RunSummary, TcpSummary, Transfer, UdpSummary,
};
