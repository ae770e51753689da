//! What is wrong with a scenario, and where.

use std::fmt;

/// A mistake in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The key, such as `links[2].rate_bps`.
    pub key: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

impl ScenarioError {
    /// A mistake at this key.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for ScenarioError {}
