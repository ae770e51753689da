//! What is another way from some time on.

use super::{Link, Port};
use crate::units::Seconds;

/// All that changes at one moment: links and ports as they are from then on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// When.
    pub at: Seconds,
    /// Links in one direction whose rate is set.
    pub links: Vec<Link>,
    /// Ports of which something is set, and those before such links.
    pub ports: Vec<Port>,
}
