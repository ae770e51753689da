//! How likely a packet is dropped or marked, by the averaged queue (Floyd and Jacobson 1993; Floyd 2000 for the gentle
//! form).

use hntes_sim_scenario::rng::Random;

/// Nothing below `min_pkts`; from there the probability rises to `most` at `max_pkts`, then is 1; in the gentle form it
/// rises on to 1 at twice `max_pkts`.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// Below this average nothing is dropped.
    pub min_pkts: f64,
    /// Where the line ends.
    pub max_pkts: f64,
    /// The probability there.
    pub most: f64,
    /// Whether it rises on from there.
    pub is_gentle: bool,
}

impl Curve {
    /// The probability at this average, before drops are spread out.
    #[inline]
    pub fn probability(&self, average_pkts: f64) -> f64 {
        if average_pkts < self.min_pkts {
            0.0
        } else if average_pkts < self.max_pkts {
            self.most * (average_pkts - self.min_pkts) / (self.max_pkts - self.min_pkts)
        } else if self.is_gentle && average_pkts < 2.0 * self.max_pkts {
            self.most + (1.0 - self.most) * (average_pkts - self.max_pkts) / self.max_pkts
        } else {
            1.0
        }
    }
}

/// Spreads drops out: at a steady probability p the gaps between them are uniform from 1 to 1/p packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// Packets let in since the last drop; nothing while none is due.
    let_in: Option<u32>,
}

impl Spread {
    /// Whether the next packet is hit.
    #[inline]
    pub fn hits(&mut self, probability: f64, random: &mut Random) -> bool {
        if probability <= 0.0 {
            self.let_in = None;
            return false;
        }
        let count = f64::from(self.let_in.unwrap_or(0));
        let left = 1.0 - count * probability;
        if left <= probability || random.chance(probability / left) {
            self.let_in = Some(0);
            return true;
        }
        self.let_in = Some(self.let_in.unwrap_or(0) + 1);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Spread};
    use hntes_sim_scenario::rng::Random;

    const PLAIN: Curve = Curve { min_pkts: 5.0, max_pkts: 15.0, most: 0.1, is_gentle: false };

    fn assert_near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
    }

    #[test]
    fn the_line_ends_at_its_thresholds() {
        for (average, wanted) in [(4.999, 0.0), (5.0, 0.0), (10.0, 0.05), (15.0, 1.0), (40.0, 1.0)] {
            assert_near(PLAIN.probability(average), wanted);
        }
    }

    #[test]
    fn the_gentle_form_rises_to_twice_the_threshold() {
        let gentle = Curve { is_gentle: true, ..PLAIN };
        for (average, wanted) in [(10.0, 0.05), (15.0, 0.1), (22.5, 0.55), (30.0, 1.0)] {
            assert_near(gentle.probability(average), wanted);
        }
    }

    #[test]
    fn gaps_are_uniform() {
        let (mut spread, mut random) = (Spread::default(), Random::named(7, "red"));
        let (mut gaps, mut gap) = ([0_u32; 11], 0);
        for _ in 0..200_000 {
            gap += 1;
            if spread.hits(0.1, &mut random) {
                gaps[gap] += 1;
                gap = 0;
            }
        }
        let drops: u32 = gaps.iter().sum();
        for (length, &count) in gaps.iter().enumerate().skip(1) {
            let share = f64::from(count) / f64::from(drops);
            assert!((share - 0.1).abs() < 0.006, "gaps of {length}: {share}");
        }
    }
}
