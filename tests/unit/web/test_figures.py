"""The figures of days: bars stand where their day is, as tall as their bytes are beside the most."""

from datetime import date

from hntes.web.figures import LEAST_HEIGHT, last_seen, spark, strip

DAY = date(2026, 11, 20)


def test_a_bar_stands_at_its_day_and_is_as_tall_as_its_share() -> None:
    drawn = strip([0, 4_000_000_000, 0, 1_000_000_000], DAY, day_width=5, height=20)
    assert (drawn.width, drawn.height) == (20, 20)
    high, low = drawn.bars
    assert (high.x, high.y, high.width, high.height) == (5, 0, 4, 20)
    assert (low.x, low.y, low.height) == (15, 15, 5)
    assert high.words == "2026-11-18: 4 GB"
    assert drawn.words == "4 days up to 2026-11-20: alpha traffic on 2 days, at most 4 GB"


def test_beside_many_others_the_same_bars_are_one_path() -> None:
    drawn = spark([0, 4_000_000_000, 0, 1_000_000_000], DAY, day_width=5, height=20)
    assert (drawn.width, drawn.height, drawn.path) == (20, 20, "M5 0h4v20h-4zM15 15h4v5h-4z")
    assert drawn.words == "4 days up to 2026-11-20: alpha traffic on 2 days, at most 4 GB"
    assert spark([0, 0], DAY, day_width=5, height=20).path == ""


def test_what_is_little_is_still_seen_and_nothing_is_not() -> None:
    drawn = strip([0, 1, 10**12], DAY, day_width=5, height=20)
    assert [bar.height for bar in drawn.bars] == [LEAST_HEIGHT, 20]
    assert strip([0, 0], DAY, day_width=5, height=20).bars == ()
    assert strip([0, 0], DAY, day_width=5, height=20).words == "2 days up to 2026-11-20: no alpha traffic"


def test_other_values_have_words_of_their_own() -> None:
    drawn = strip([0, 12, 6], DAY, day_width=5, height=20, of="pairs", worded=lambda value: f"{value} pairs")
    assert [bar.words for bar in drawn.bars] == ["2026-11-19: 12 pairs", "2026-11-20: 6 pairs"]
    assert drawn.words == "3 days up to 2026-11-20: pairs on 2 days, at most 12 pairs"
    assert strip([0], DAY, day_width=5, height=20, of="pairs").words == "1 day up to 2026-11-20: no pairs"


def test_the_last_day_seen() -> None:
    assert last_seen([0, 1, 0], DAY) == date(2026, 11, 19)
    assert last_seen([0, 0, 0], DAY) is None
