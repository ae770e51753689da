//! How many segments one acknowledgement covers. The receiving host looks at what has arrived at most once in a while;
//! TCP acknowledges as soon as a look leaves it with two segments or more that are not acknowledged.

/// Segments an acknowledgement covers when nothing is missing and a look finds `per_look` of them on average.
///
/// `even` says that segments come evenly spaced, so that looks that find one and looks that find two follow one another
/// in a regular pattern; otherwise their order is left to chance.
pub fn segments_per_ack(per_look: f64, even: bool) -> f64 {
    if per_look <= 1.0 {
        return 2.0;
    }
    if per_look >= 2.0 {
        return per_look;
    }
    let twos = per_look - 1.0;
    if !even {
        // Two at once, or one and then one or two.
        return 2.0 + twos * (1.0 - twos);
    }
    // Ones between one two and the next: pairs of them make an acknowledgement; one left over joins the two.
    let ones = (1.0 - twos) / twos;
    let (fewest, more) = (ones.floor(), ones.fract());
    let acks = (1.0 - more) * (fewest / 2.0).floor() + more * f64::midpoint(fewest, 1.0).floor() + 1.0;
    (ones + 2.0) / acks
}

#[cfg(test)]
mod tests {
    use super::segments_per_ack;

    /// Count acknowledgements of evenly spaced segments, look by look.
    fn counted(per_look: f64) -> f64 {
        let (mut seen, mut waiting, mut acks) = (0.0, 0.0, 0.0);
        for look in 1..200_000 {
            let arrived = (f64::from(look) * per_look).floor();
            waiting += arrived - seen;
            seen = arrived;
            if waiting >= 2.0 {
                (waiting, acks) = (0.0, acks + 1.0);
            }
        }
        seen / acks
    }

    #[test]
    fn even_spacing_gives_what_counting_gives() {
        for per_look in [0.4, 1.05, 1.2, 1.37, 1.54, 1.7, 1.9, 2.03, 5.5, 20.3] {
            let got = segments_per_ack(per_look, true);
            assert!((got / counted(per_look) - 1.0).abs() < 0.01, "{per_look}: {got}, counted {}", counted(per_look));
        }
    }

    #[test]
    fn chance_lies_between_two_and_the_pattern() {
        for per_look in [1.1, 1.5, 1.9] {
            assert!((2.0..=2.25).contains(&segments_per_ack(per_look, false)));
        }
    }
}
