"""The length of a queue: a decimal of two digits behind the point, per cent of the port's buffer."""

import pytest

from hntes.platforms.effective import Buffer
from hntes.platforms.errors import ParseError
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from tests.support.qos_models import model

MODEL = model("sros")


def with_length(word: str) -> str:
    text = render(MODEL)
    assert text.count("mbs 55.0\n") == 1
    return text.replace("mbs 55.0\n", f"mbs {word}\n")


def length(word: str) -> Buffer | None:
    read = parse_config("sros", with_length(word), MODEL.interfaces)
    (queue,) = {queue.buffer for port in read.ports for queue in port.queues if 4 in queue.numbers}
    return queue


@pytest.mark.parametrize(
    ("word", "pct"), [("55.0", 55), ("55", 55), ("54.50", 54.5), ("0.65", 0.65), ("0.05", 0.05), ("55.5", 55.5)]
)
def test_a_length_has_two_digits_behind_the_point(word: str, pct: float) -> None:
    assert length(word) == Buffer(pct, "pct")


@pytest.mark.parametrize("word", ["0.655", "1e1", "100.01", "101", "-1", "5.", ".5", "5.x", "\u0665.0"])
def test_what_the_model_of_the_router_does_not_have_is_refused_with_its_line(word: str) -> None:
    with pytest.raises(ParseError, match="mbs"):
        length(word)
