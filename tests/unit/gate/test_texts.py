"""Texts that are wrong as texts: refused before anything runs, with a sentence that names the place."""

from dataclasses import replace

import pytest

from hntes.gate import Judgement, judge
from hntes.gate.criteria.structure import STRUCTURE
from hntes.platforms.parse import parse_config
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.sql.entries import CRITERIA
from tests.support.gate_subjects import refusing_lab, replaced, small_model, subject_of

PLAN = TwoQueue(kind="two_queue")
PAIRS = (
    PrefixPair.parse("198.18.10.0/24>203.0.113.0/24"),
    PrefixPair.parse("198.18.20.0/24>203.0.113.0/24"),
)


def judged(platform: str, edit=lambda text: text) -> Judgement:  # type: ignore[no-untyped-def]
    return judge(subject_of(small_model(platform, PLAN, PAIRS), edit), Gate(), refusing_lab())


def swapped_terms(text: str) -> str:
    """The final term of the IPv4 filter in the place of its second."""
    lines = text.splitlines(keepends=True)
    terms = [number for number, line in enumerate(lines) if line.strip().startswith("term ")]
    second, final = terms[1], next(number for number in terms if "alpha-" not in lines[number])
    end = final + next(n for n, line in enumerate(lines[final:]) if line.startswith(lines[final][:12] + "}")) + 1
    return "".join([*lines[:second], *lines[final:end], *lines[second:final], *lines[end:]])


def without_final_accept(text: str) -> str:
    lines = text.splitlines(keepends=True)
    final = next(n for n, line in enumerate(lines) if line.strip().startswith("term ") and "alpha-" not in line)
    end = final + next(n for n, line in enumerate(lines[final:]) if line.startswith(lines[final][:12] + "}")) + 1
    return "".join(lines[:final] + lines[end:])


WRONG = {
    "a pair behind the final accept": ("junos", swapped_terms, "198.18.20.0/24 > 203.0.113.0/24"),
    "no final accept": ("junos", without_final_accept, "reaches the end of hntes-alpha-v4 and is discarded"),
    "a scheduler map without beta": (
        "junos", replaced("forwarding-class beta scheduler hntes-beta;", ""), "forwarding class beta (queue 0)",
    ),
    "shares of more than the link, Junos": (
        "junos", replaced("transmit-rate percent 55;", "transmit-rate percent 56;"), "add up to 101%",
    ),
    "shares of more than the link, IOS-XR": (
        "iosxr", replaced("bandwidth percent 55", "bandwidth percent 56"), "add up to 101%",
    ),
    "shares of more than the link, IOS-XE": (
        "iosxe", replaced("bandwidth percent 55", "bandwidth percent 56"), "add up to 101%",
    ),
    "a pair of the list is gone, IOS-XE": (
        "iosxe",
        lambda text: "\n".join(line for line in text.splitlines() if "198.18.20.0" not in line) + "\n",
        "pair 198.18.20.0/24 > 203.0.113.0/24",
    ),
    "half a statement": ("junos", replaced("transmit-rate percent 55;", "transmit-rate percent;"), "cannot be parsed"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_text_fails_on_its_structure_and_runs_nothing(name: str) -> None:
    platform, edit, told = WRONG[name]
    judgement = judged(platform, edit)
    first, *others = judgement.verdicts
    assert (first.criterion, first.outcome) == ("structure", "failed")
    assert told in first.sentence
    assert {verdict.outcome for verdict in others if verdict.criterion != "reach"} == {"not_judged"}
    assert {verdict.criterion for verdict in judgement.verdicts} == set(CRITERIA)
    assert not judgement.is_passing


def test_a_forgotten_class_is_found_even_if_no_packet_of_the_experiments_uses_it() -> None:
    forgotten = replaced("forwarding-class network-control scheduler hntes-network-control;", "")
    with pytest.raises(AssertionError, match="nothing may run"):
        judged("junos", forgotten)
    subject = subject_of(small_model("junos", PLAN, PAIRS), forgotten)
    model = parse_config("junos", subject.text, subject.interfaces, is_whole=True)
    verdict = STRUCTURE.verdict(
        model, PAIRS, alpha_queue=4, is_redirected=False, port_buffer_ms=100, expected=subject.expected
    )
    assert verdict.outcome == "failed"
    assert "forwarding class network-control (queue 3) has no scheduler" in verdict.sentence


def test_a_text_that_is_not_what_the_rules_ask_for_is_told_so() -> None:
    model = small_model("junos", PLAN, PAIRS)
    subject = replace(subject_of(model), text=subject_of(model).text.replace("percent 55;", "percent 54;"))
    read = parse_config("junos", subject.text, subject.interfaces)
    verdict = STRUCTURE.verdict(
        read, PAIRS, alpha_queue=4, is_redirected=False, port_buffer_ms=100, expected=subject.expected
    )
    assert verdict.outcome == "failed"
    assert "share_pct: 54, expected 55" in verdict.sentence


def test_no_more_beta_than_the_port_can_be_judged_with() -> None:
    subject = subject_of(small_model("junos", PLAN, PAIRS), beta_peak_bps={"xe-0/0/1": 9.5e9})
    judgement = judge(subject, Gate(), refusing_lab())
    (surprise,) = [verdict for verdict in judgement.verdicts if verdict.criterion == "surprise"]
    assert "beta traffic alone reaches 95% of the port" in surprise.sentence
    assert not judgement.is_passing
