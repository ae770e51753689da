//! What a run measures: a series per interval, totals, and whether the books balance.

mod books;
mod recorder;
mod summary;

pub use books::imbalances;
pub use recorder::{Column, Recorder, Values};
pub use summary::{
    FlowSummary, PingSummary, QueueSummary, RunResult, RunSummary, TcpSummary, UdpSummary, jain_index, summarise,
    summarise_ping,
};
