//! Queue disciplines: which arrivals a queue takes, and which it marks.

use super::Marking;
use crate::units::{Percent, Seconds};
use serde::Deserialize;

/// A queue discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discipline {
    /// What fits is taken.
    DropTail,
    /// Packets that are not green are dropped with the probability to which the queue is full.
    ByOccupancy {
        /// Occupancy is read in such steps.
        step: Percent,
    },
    /// Packets of a colour that has a ramp are dropped by it, by the share of the queue that is full.
    ByColour {
        /// Occupancy is read in such steps.
        step: Percent,
        /// In the order green, yellow, red.
        ramps: [Option<Ramp>; 3],
    },
    /// Random early detection by averages: RED, RIO, GRED.
    ByAverage {
        /// Weight of the newest value in an average.
        weight: f64,
        /// Bytes from the IP header on of the packets that an empty queue waits for.
        mean_packet_bytes: u16,
        /// What the average of a colour counts.
        counted: Averages,
        /// In the order green, yellow, red.
        curves: [Curve; 3],
        /// Packets that can carry a mark get one in the place of an early drop while a drop is less likely than this.
        marks_below: f64,
    },
    /// A proportional-integral controller.
    ProportionalIntegral {
        /// Of the present distance from the reference, and of the one before.
        gains: (f64, f64),
        /// How long the queue shall be.
        reference_pkts: f64,
        /// How often it looks.
        pace: Seconds,
        /// Packets that can carry a mark get one in the place of an early drop.
        marks: bool,
    },
    /// Marks so many flows that what all of them will send fits.
    Projecting(Marking),
}

/// What the average that decides on a packet counts.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Averages {
    /// Waiting packets of its own colour: GRED.
    Own,
    /// Those of its own and of better colours: RIO (Clark and Fang 1998).
    Better,
    /// All: WRED.
    All,
}

/// How likely a drop is by the share of the queue that is full: a straight line from nothing to all.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ramp {
    /// Up to this nothing is dropped.
    pub from: Percent,
    /// From here on all is; above `from`.
    pub to: Percent,
}

/// How likely a drop is by the averaged queue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// Below this average nothing is dropped.
    pub min_pkts: f64,
    /// At this average the probability is `max_probability`, above it 1.
    pub max_pkts: f64,
    /// The probability at `max_pkts`.
    pub max_probability: f64,
    /// Above `max_pkts` the probability rises to 1 at twice as much (Floyd 2000).
    pub is_gentle: bool,
}
