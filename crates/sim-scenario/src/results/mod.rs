//! What a run measures: totals, and a series per interval. Both engines fill these, under the same names.

mod by_cause;
mod by_colour;
mod one_way;
mod ordered;
mod ping;
mod series;
mod summary;
mod windows;

pub use by_cause::{ByCause, DropCause};
pub use by_colour::ByColour;
pub use one_way::OneWayDelays;
pub use ping::PingSummary;
pub use series::{
    Column, FlowMeasure, LinkMeasure, QueueMeasure, QueueRef, Recorder, Sample, Series, Values, ping_columns,
};
pub use summary::{
    DelaySummary, Fingerprint, FlowSummary, QueueSummary, RunResult, RunSummary, TcpSummary, Transfer, UdpSummary,
};
pub use windows::{Spread, WindowSummary, window_summaries};
