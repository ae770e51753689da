"""The cases that an argument selects."""

import pytest

from hntes.papers.reproduction import SelectionError, parse_selections
from hntes.papers.reproduction.catalogue import PAPERS


def test_no_text_means_all_seven_whole() -> None:
    found = parse_selections([])
    assert [selection.experiment for selection in found] == ["1", "2", "3", "4", "5", "6", "7"]
    assert all(selection.whole for selection in found)


def test_a_part_is_not_whole_and_parts_add_up() -> None:
    (part,) = parse_selections(["3/2-queues/udp-1"])
    assert [case.name for case in part.cases] == ["experiment3/2-queues/udp-1"]
    assert not part.whole
    configurations = ("2-queues", "3-queues-49-50-1", "3-queues-30-50-20", "3-queues-10-30-60")
    (together,) = parse_selections([f"3/{name}" for name in configurations])
    assert together.whole


def test_order_and_repetition_do_not_matter() -> None:
    found = parse_selections(["4/2-queues", "experiment2", "4/2-queues"])
    assert [(selection.experiment, len(selection.cases)) for selection in found] == [("2", 2), ("4", 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8", "hntes has no experiment '8'; there are: 1, 2, 3, 4, 5, 6, 7"),
        ("0", "there are: 1, 2"),
        ("", "hntes has no experiment ''"),
        ("x", "hntes has no experiment 'x'"),
        ("4/golden", "experiment 4 has no configuration 'golden'; there are: 2-queues, "),
        ("3/2-queues/udp-9", "experiment 3 has no variant 'udp-9'; there are: udp-0, "),
        ("3/2-queues/udp-1/more", "write EXPERIMENT/CONFIGURATION/VARIANT"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(text: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        parse_selections([text])


def test_a_paper_there_is_not_is_refused_and_all_papers_come_whole() -> None:
    with pytest.raises(SelectionError, match="there is no paper 'rfc'; there are: hntes"):
        parse_selections([], "rfc")
    with pytest.raises(SelectionError, match="name the paper whose experiment it is"):
        parse_selections(["3"], "all")
    found = parse_selections([], "all")
    assert list(dict.fromkeys(selection.paper.name for selection in found)) == list(PAPERS)
    assert all(selection.whole for selection in found)
