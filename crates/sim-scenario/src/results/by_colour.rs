//! Numbers kept for each drop precedence.

use serde::Serialize;

/// A number for each drop precedence, from best to worst (RFC 2697, RFC 2698).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByColour<T> {
    /// In profile, or never metered.
    pub green: T,
    /// Above the committed rate.
    pub yellow: T,
    /// Out of profile.
    pub red: T,
}
