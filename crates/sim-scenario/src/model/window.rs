//! Windows of time of which statistics are wanted.

use crate::ids::FlowId;
use crate::results::QueueRef;
use std::ops::Range;

/// A window: whole intervals of the series, and of what statistics are wanted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Window {
    /// Its name in results.
    pub name: String,
    /// Its intervals, at least one.
    pub intervals: Range<usize>,
    /// Flows whose goodput is looked at.
    pub flows: Vec<FlowId>,
    /// Queues whose backlog is looked at.
    pub queues: Vec<QueueRef>,
}
