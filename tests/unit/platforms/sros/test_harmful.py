"""What a candidate for SR OS may not say, and that no change of one of its words goes unseen."""

import re

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.errors import ParseError
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from tests.support.qos_models import PAIRS, model

MADE = model("sros", pairs=PAIRS[:3])
TEXT = render(MADE)
PREMIUM = model("sros", "premium")
HARMFUL = (
    "system security user-params local-user user admin password x",
    "system management-interface cli md-cli auto-config-save false",
    "router Base bgp neighbor 192.0.2.1 group x",
    "router Base static-routes route 0.0.0.0/0 route-type unicast blackhole",
    "router Base interface to-site admin-state disable",
    "router Base interface to-site egress filter ip hntes-alpha-v4",
    "router Base interface to-site ingress qos network-ingress policy-name x",
    "router Base interface core-9 ingress filter ip hntes-alpha-v4",
    "router management interface x ingress filter ip hntes-alpha-v4",
    "port 1/1/c2/1 admin-state disable",
    "port 1/1/c2/1 ethernet egress rate 10",
    "port 1/1/c9/1 ethernet network egress queue-policy own",
    "filter ip-filter CUSTOMERS default-action accept",
    "filter ip-filter hntes-alpha-v4 scope system",
    "filter ip-filter hntes-alpha-v4 scope exclusive",
    "filter ip-filter hntes-alpha-v4 scope template",
    "filter ip-filter hntes-alpha-v4 entry 999 description x",
    "filter ip-filter hntes-alpha-v4 embed filter own offset 5",
    "filter ip-filter hntes-other default-action drop",
    "filter mac-filter hntes default-action accept",
    "qos network hntes ingress default-action fc h2",
    "qos sap-ingress hntes default-fc h2",
    "qos network-queue default queue 1 rate pir 10",
    "qos network-queue hntes queue 5 drop-tail low percent-reduction-from-mbs 50",
    "qos port-scheduler-policy hntes level 1 rate pir 10",
    "qos port-scheduler-policy hntes orphan-overrides level 8",
    "service vprn x interface y sap 1/1/c1/1 ingress filter ip hntes-alpha-v4",
    "li x",
)


@pytest.mark.parametrize("statement", HARMFUL)
def test_a_statement_that_no_candidate_has_is_refused(statement: str) -> None:
    lines = TEXT.splitlines()
    text = "".join(f"{line}\n" for line in (*lines[:-1], f"    {statement}", lines[-1]))
    with pytest.raises(ParseError) as refused:
        parse_config("sros", text, MADE.interfaces)
    assert 0 < refused.value.line <= len(lines) + 1


def test_a_mask_beside_a_prefix_length_is_refused_with_its_own_line() -> None:
    text = TEXT.replace("                    src-ip {\n", "                    src-ip {\n mask 255.0.0.0\n", 1)
    line = text.splitlines().index(" mask 255.0.0.0") + 1
    with pytest.raises(ParseError, match="beside an address with a prefix length") as refused:
        parse_config("sros", text, MADE.interfaces)
    assert refused.value.line == line


def test_another_class_in_the_queue_of_the_pairs_is_seen() -> None:
    text = TEXT.replace(
        "            fc h2 {", "            fc ef {\n                queue 5\n            }\n            fc h2 {"
    )
    assert text != TEXT
    assert differences(parse_config("sros", text, MADE.interfaces), effective_of(MADE)) != []


def _changed(word: str) -> list[str]:
    """Other words of the same kind."""
    if word.isdigit():
        return [str(int(word) + 1), str(max(0, int(word) - 1)), "0"]
    if re.fullmatch(r"\d+\.0", word):
        return [f"{int(word[:-2]) - 1}.0", word.replace(".0", ".5")]
    if "/" in word:
        return [f"{word[:-1]}{(int(word[-1]) + 1) % 3}" if word[-1].isdigit() else f"{word}x"]
    known = {"accept": "drop", "h2": "ef", "be": "l2", "ip": "ipv6", "hntes": "own", "max": "100", "true": "false"}
    return [known.get(word, f"{word}x")]


@pytest.mark.parametrize("made", [MADE, PREMIUM, model("sros", redirect="next_hop"), model("sros", redirect="lsp")])
def test_no_changed_word_goes_unseen(made: object) -> None:
    """But for names of entries, and their numbers where the order stays. Class l2 has queue 1, said or not, as be."""
    assert isinstance(made, type(MADE))
    text, wanted = render(made), effective_of(made)
    lines = text.splitlines()
    unseen = []
    for index, line in enumerate(lines):
        for word in re.finditer(r"[^\s{}]+", "" if line.startswith("#") else line):
            for other in _changed(word[0]):
                changed = f"{line[: word.start()]}{other}{line[word.end() :]}"
                if other == word[0]:
                    continue
                try:
                    found = parse_config(
                        "sros",
                        "".join(f"{each}\n" for each in (*lines[:index], changed, *lines[index + 1 :])),
                        made.interfaces,
                    )
                except ParseError:
                    continue
                if not differences(found, wanted):
                    unseen.append(changed.strip())
    assert [each for each in unseen if not re.fullmatch(r"entry \d+ {|description \S+|fc l2 {", each)] == []
