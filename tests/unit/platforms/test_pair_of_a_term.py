"""On the router each term or entry says its pair in addresses: nobody has to read a hash back."""

import re

import pytest

from hntes.platforms.render import render
from hntes.platforms.transition import transition
from hntes.rules.pairs import PrefixPair
from tests.support.config_text import cisco_list, eos_policy, junos_filter, sros_filter
from tests.support.qos_models import PAIRS, model

LATER = PrefixPair.parse("198.18.60.0/24>203.0.113.0/24")
COMMENTED = re.compile(r"^ +/\* (\S+) > (\S+) \*/\n +term (alpha-\S+) \{$", re.MULTILINE)


def commented(text: str) -> dict[str, str]:
    """The pair in the comment right above each term, by the term's name, which its counter has, too."""
    return {term: f"{source} > {destination}" for source, destination, term in COMMENTED.findall(text)}


@pytest.mark.parametrize("is_loaded", [False, True], ids=["as approved", "as loaded"])
def test_a_term_of_junos_has_its_pair_in_the_comment_above_it(is_loaded: bool) -> None:
    text = render(model("junos"))
    matched = {
        line.label: f"{line.source} > {line.destination}" for family in (4, 6) for line in junos_filter(text, family)
    }
    said = commented(transition("junos", None, text) if is_loaded else text)
    assert said == matched
    assert sorted(said.values()) == sorted(map(str, PAIRS))
    assert text.count("term alpha-") == text.count("count alpha-") == len(PAIRS)


@pytest.mark.parametrize("platform", ["sros", "eos"])
def test_an_entry_of_sros_and_a_rule_of_eos_have_the_pair_within(platform: str) -> None:
    text = render(model(platform))
    read = {"sros": sros_filter, "eos": eos_policy}[platform]
    entries = [f"{line.source} > {line.destination}" for family in (4, 6) for line in read(text, family)]
    assert sorted(entries) == sorted(map(str, PAIRS))


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_an_entry_of_a_cisco_list_is_the_pair_itself(platform: str) -> None:
    text = render(model(platform))
    entries = [
        f"{line.source} > {line.destination}" for family in (4, 6) for line in cisco_list(text, platform, family)
    ]
    assert sorted(entries) == sorted(map(str, PAIRS))
    assert not re.search(r"permit.*[0-9a-f]{12}\b", text)


@pytest.mark.parametrize(
    ("platform", "added"),
    [
        ("junos", ["/* 198.18.60.0/24 > 203.0.113.0/24 */", "source-address 198.18.60.0/24;"]),
        ("iosxr", ["permit ipv4 198.18.60.0/24 203.0.113.0/24"]),
        ("iosxe", ["permit ip 198.18.60.0 0.0.0.255 203.0.113.0 0.0.0.255"]),
        ("sros", ["address 198.18.60.0/24"]),
        ("eos", ["source prefix 198.18.60.0/24"]),
    ],
)
def test_a_pair_that_comes_is_legible_in_the_lines_that_come_with_it(platform: str, added: list[str]) -> None:
    before, after = (render(model(platform, pairs=pairs)).splitlines() for pairs in (PAIRS, (*PAIRS, LATER)))
    # of the head the hash of the model changes, too
    new = [line.strip() for line in after if line not in before and not line.startswith(("#", "!"))]
    for wanted in added:
        assert any(wanted in line for line in new), new
    if platform in ("iosxr", "iosxe"):
        assert len(new) == 1, "one line a pair"
