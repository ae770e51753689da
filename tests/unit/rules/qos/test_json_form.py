"""The model as JSON: canonical, hashed, and refused when it is not what was written."""

import json
from dataclasses import replace
from typing import Any

import pytest

from hntes.rules.qos.json_form import from_json, model_hash, to_json
from hntes.rules.qos.model import ModelError
from tests.support.qos_models import PLANS, REDIRECTS, model


@pytest.mark.parametrize("redirect", sorted(REDIRECTS))
@pytest.mark.parametrize("plan", sorted(PLANS))
def test_round_trip(plan: str, redirect: str) -> None:
    built = model(plan=plan, redirect=redirect)
    assert from_json(to_json(built)) == built
    assert to_json(from_json(to_json(built))) == to_json(built)


@pytest.mark.parametrize("port_buffer_ms", [100, 100.0, 12.5, 0.5])
def test_a_buffer_in_whole_or_in_part_of_a_millisecond_stays_as_it_is(port_buffer_ms: float) -> None:
    built = replace(model(), port_buffer_ms=port_buffer_ms)
    again = from_json(to_json(built))
    assert again == built
    assert type(again.port_buffer_ms) is type(port_buffer_ms)


def test_text_is_canonical() -> None:
    text = to_json(model())
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def test_hash_is_of_64_digits_and_tells_models_apart() -> None:
    hashes = {model_hash(model(plan=plan, redirect=redirect)) for plan in PLANS for redirect in REDIRECTS}
    assert len(hashes) == len(PLANS) * len(REDIRECTS)
    assert all(len(each) == 64 for each in hashes)


def test_a_field_that_is_as_by_default_is_not_written() -> None:
    """Else each later field would change the hash of every model, and so the first lines of every text."""
    plain, marking = (json.loads(to_json(model(plan=plan)))["model"] for plan in ("two_queue", "two_queue_ecn"))
    assert [each.get("ecn") for each in plain["schedulers"]] == [None, None, None]
    assert [each.get("ecn") for each in marking["schedulers"]] == [None, None, True]
    # Of the golden file of two_queue, as written before there were marks.
    assert model_hash(model()) == "2b9642a4f63afcc963c285eeb7c2ab5ff1b7cbb998551a8b2520c6615d277462"


def _broken(path: list[Any], value: object) -> str:
    content = json.loads(to_json(model(redirect="next_hop")))
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], 2, "not of format 1"),
        (["model"], [], r"model: needs exactly the keys"),
        (["model", "surprise"], 1, "needs exactly the keys"),
        (["model", "platform"], None, r"model.platform: None is not of type str"),
        (["model", "router"], 5, r"model.router: 5 is not of type str"),
        (["model", "schedulers"], {}, "is not a list"),
        (["model", "schedulers", 0, "ecn"], 1, "1 is not of type bool"),
        (["model", "schedulers", 0, "marks"], True, r"needs exactly the keys .*, and may have ecn"),
        (["model", "schedulers", 0, "transmit_share_pct"], True, "True is not of type int"),
        (["model", "schedulers", 0, "transmit_share_pct"], "40", "'40' is not of type int"),
        (["model", "filters", 0, "terms", 1, "redirect"], 1, r"^model.filters\[0\].terms\[1\].redirect: 1 is not"),
        (["model", "port_buffer_ms"], "100", "'100' is not of type int or float"),
        (["model", "port_buffer_ms"], True, "True is not of type int or float"),
        (["model", "filters", 0, "terms", 0, "source"], "198.18.10.1/24", "has host bits set"),
        (["model", "filters", 0, "terms", 0, "source"], 5, "is not of type IPv4Network or IPv6Network"),
        (["model", "redirect", "ipv4"], "2001:db8::1", "is not of type IPv4Address"),
        (["model", "redirect", "ipv4"], "nowhere", "is refused"),
    ],
)
def test_what_was_not_written_is_refused(path: list[Any], value: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_json(_broken(path, value))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null"])
def test_no_model_at_all_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match="stored model"):
        from_json(text)
