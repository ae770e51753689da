"""A work tree is reported as slower than another commit only if it is."""

from pathlib import Path

import pytest

from benchmarks.compare import CASES, Compared, command


@pytest.mark.parametrize(
    ("pairs", "is_slower"),
    [
        ([(1.0, 1.2)] * 5, True),
        ([(1.0, 1.04)] * 5, False),  # within the limit
        ([(1.0, 0.5)] * 5, False),
        # four of five agree
        ([(1.0, 1.2), (2.0, 2.4), (1.0, 1.3), (1.5, 1.6), (1.0, 0.9)], True),
        # the median is beyond the limit, but two of five found it faster: chance may do that
        ([(1.0, 1.2), (2.0, 2.4), (1.0, 1.3), (1.5, 1.4), (1.0, 0.9)], False),
        # both grow with the machine's load: the ratios stay
        ([(1.0, 1.0), (4.0, 4.1), (9.0, 9.2)], False),
    ],
)
def test_a_case_is_slower_where_the_pairs_agree_that_it_is(pairs: list[tuple[float, float]], is_slower: bool) -> None:
    assert Compared("judge", tuple(pairs)).is_slower(limit_percent=5.0) is is_slower


def test_ratios_are_of_this_tree_to_the_other() -> None:
    assert Compared("start", ((2.0, 1.0), (1.0, 3.0))).ratios == [0.5, 3.0]


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_run_by_the_programs_of_its_own_tree(case: str) -> None:
    """This Python would import this tree's packages, whichever folder it is started in."""
    program = Path(command(Path("/trees/other"), case, Path("/night/hntes.toml"))[0])
    assert program.parent == Path("/trees/other/.venv/bin")
