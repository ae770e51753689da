"""Access-list numbers: from the pair alone, most specific first, collisions settled the same way each time."""

import pytest

from hntes.platforms.cisco import sequence
from hntes.platforms.cisco.sequence import BAND_WIDTH, FINAL_SEQUENCE, sequence_numbers
from hntes.rules.pairs import PrefixPair
from tests.support.qos_models import many_pairs


def test_a_pair_keeps_its_number_when_others_come_and_go() -> None:
    pairs = many_pairs()
    for family in (pairs[:1400], pairs[1400:]):
        numbers = sequence_numbers(family)
        assert sequence_numbers(family[::7]) == {pair: numbers[pair] for pair in family[::7]}


def test_numbers_are_distinct_and_below_the_final_line() -> None:
    numbers = sequence_numbers(many_pairs()[:1400])
    assert len(set(numbers.values())) == 1400
    assert all(0 < number < FINAL_SEQUENCE for number in numbers.values())
    assert FINAL_SEQUENCE == 2**31 - 5


@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("198.18.10.7/32>203.0.113.9/32", 0),
        ("0.0.0.0/0>0.0.0.0/0", 64),
        ("2001:db8::1/128>2001:db8::2/128", 0),
        ("::/0>::/0", 256),
    ],
)
def test_bands_run_from_the_most_specific_to_the_least(text: str, band: int) -> None:
    (number,) = sequence_numbers([PrefixPair.parse(text)]).values()
    assert band * BAND_WIDTH < number <= (band + 1) * BAND_WIDTH
    assert (band + 1) * BAND_WIDTH < FINAL_SEQUENCE


def test_a_taken_number_is_passed_over_the_same_way_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence, "BAND_WIDTH", 4)
    pairs = [PrefixPair.parse(f"198.18.{third}.0/24>203.0.113.0/24") for third in range(4)]
    numbers = sequence_numbers(pairs)
    assert set(numbers.values()) == {16 * 4 + offset for offset in (1, 2, 3, 4)}
    assert sequence_numbers(reversed(pairs)) == numbers
