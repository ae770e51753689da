"""A text less one pair: what a person would get who had never asked for that pair, and nothing else on the router."""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hntes.platforms.effective import EffectiveModel
from hntes.platforms.owned_config import OwnedConfig, Statement
from hntes.platforms.parse import parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.workflow.delivery.without_pair import reduced
from tests.contract.platform.models import taken
from tests.support.examples import examples
from tests.support.qos_models import PLANS, router
from tests.support.qos_strategies import pair_sets


@st.composite
def candidates(draw: st.DrawFn) -> tuple[Candidate, PrefixPair, Candidate]:
    """A candidate, one of its pairs, and the candidate that is built and rendered without that pair."""
    platform, plan, redirect = draw(st.sampled_from(taken()))
    settings = router(platform, redirect)
    pairs = draw(pair_sets())
    gone = draw(st.sampled_from(pairs))
    model = build_model(settings, PLANS[plan], pairs)
    others = build_model(settings, PLANS[plan], [each for each in pairs if each != gone])
    return Candidate(model, render(model)), gone, Candidate(others, render(others))


def sent_by(effective: EffectiveModel) -> Iterator[tuple[object, ...]]:
    """What is done to whose packets, without the places in which it stands."""
    for edge in effective.edges:
        for program in edge.programs:
            for entry in program.entries:
                if entry.sources or entry.destinations:
                    yield edge.interface, edge.ip_version, program.kind, entry.sources, entry.destinations, entry.action


@examples(0.5)
@given(drawn=candidates())
def test_the_text_is_the_delivered_one_without_that_pair(drawn: tuple[Candidate, PrefixPair, Candidate]) -> None:
    base, gone, wanted = drawn
    less = reduced(base, gone)
    assert less.text == wanted.text
    model = base.model
    before = parse_config(model.platform, base.text, model.interfaces)
    after = parse_config(model.platform, less.text, model.interfaces)
    own = ((gone.source,) * bool(gone.source.prefixlen), (gone.destination,) * bool(gone.destination.prefixlen))
    assert set(sent_by(after)) == {each for each in sent_by(before) if each[3:5] != own}
    if len(base.pairs) > 1:  # with the last pair goes the class that redirected pairs need on Junos
        assert replace(after, edges=()) == replace(before, edges=())


@examples(0.5)
@given(drawn=candidates())
def test_nothing_stands_beside_what_was_there(drawn: tuple[Candidate, PrefixPair, Candidate]) -> None:
    base, gone, wanted = drawn
    dialect = platform_of(base.model.platform).dialect
    old, new = dialect.part_of(base.text), dialect.part_of(wanted.text)
    has_others = any(each != gone and each.ip_version == gone.ip_version for each in base.pairs)
    if has_others:
        assert unnumbered(base.model.platform, new) < unnumbered(base.model.platform, old)


def unnumbered(platform: str, part: OwnedConfig) -> set[Statement]:
    """The statements, on SR OS without the numbers of entries: those behind the pair's move up, since an entry has the
    place of its number (docs/decisions/0077-sr-os.md)."""
    if platform != "sros":
        return set(part.statements)
    return {each[:4] + each[5:] if each[3:4] == ("entry",) else each for each in part.statements}
