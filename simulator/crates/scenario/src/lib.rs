//! What the packet and the fluid simulator share.
#![forbid(unsafe_code)]

pub mod rng;
pub mod time;
pub mod units;
