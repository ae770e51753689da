"""What Junos cannot take although the model could say it."""

from hntes.platforms.validate import problems
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings.plans import TwoQueue
from tests.support.model_changes import replace_in
from tests.support.qos_models import model, router


def test_what_junos_cannot_take() -> None:
    deep = replace_in("policers", 0, burst_bytes=10_000_000_001)(model("junos", "wred_policer"))
    high = replace_in("interfaces", 0, unit=1_073_741_824)(model("junos"))
    assert any("burst 10000000001 bytes is out of 1500..10000000000 on junos" in line for line in problems(deep))
    assert any("unit 1073741824 is above 1073741823" in line for line in problems(high))


def test_a_fast_lookup_filter_takes_no_more_terms_than_its_hardware() -> None:
    pairs = [
        PrefixPair.parse(f"198.18.{n // 250}.{n % 250 + 1}/32>203.0.113.{side}/32")
        for n in range(4_000)
        for side in (1, 2)
    ]
    made = build_model(router("junos", fast_lookup_filter=True), TwoQueue(kind="two_queue"), pairs)
    (line,) = problems(made)
    assert "has 8001 terms; a fast-lookup filter allows 8000" in line
    assert problems(build_model(router("junos", fast_lookup_filter=True), TwoQueue(kind="two_queue"), pairs[1:])) == []
    assert problems(build_model(router("junos"), TwoQueue(kind="two_queue"), pairs)) == []
