"""2,000 pairs of both families through GoBGP to BIRD and to FRR: announced, changed, withdrawn, the session killed.

What the receivers hold is taken from their own listings and compared rule by rule.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from hntes.delivery.flowspec.announce import Announcement, announce, withdraw
from hntes.delivery.flowspec.nlri import Community
from hntes.delivery.flowspec.rule import FlowSpecRule, RouteTarget
from tests.support import bgp
from tests.support.flowspec import MonotonicTimer, random_rules, spoken
from tests.support.waiting import wait_until

REASON = bgp.missing("gobgpd", "gobgp", "bird", "birdc", "bgpd")
pytestmark = [pytest.mark.long, pytest.mark.skipif(REASON is not None, reason=REASON or "all is there")]

COMMUNITY = Community(64512, 17)
PAIRS_PER_FAMILY = 2_000
# From the call to the last rule at both receivers, on a machine with other work; what it takes is printed.
ALL_S = 60.0


def to(after: set[FlowSpecRule], before: set[FlowSpecRule], neighbor: str) -> Announcement:
    return Announcement("r1", frozenset(before), frozenset(after), COMMUNITY, neighbor, lambda _: None)


def test_two_thousand_pairs_of_each_family_reach_bird_and_frr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gobgp = pytest.importorskip(
        "hntes.delivery.flowspec.gobgp", reason="grpcio is not installed: pip install 'hntes[flowspec]'"
    )
    random = Random(17)
    first = random_rules(random, PAIRS_PER_FAMILY, dscp=10, redirect=None)
    second = {rule for rule in first if random.random() < 0.9}
    second |= random_rules(random, PAIRS_PER_FAMILY // 10, dscp=10, redirect=None)
    third = {FlowSpecRule(rule.source, rule.destination, 12, RouteTarget(4_200_000_000, 7)) for rule in second}
    took: dict[str, float] = {}
    with bgp.bench(tmp_path, bgp.Bird, bgp.Frr) as bench:
        speaker = gobgp.GoBgp(bench.speaker.api, 60.0)
        before: set[FlowSpecRule] = set()
        for name, after in (("announced", first), ("changed", second), ("all marked anew", third)):
            begun = time.monotonic()
            done = announce(to(after, before, bgp.Frr.address), speaker, MonotonicTimer(), commit=True)
            assert done.outcome == "done"
            bench.wait_for(spoken(after), ALL_S)
            took[name] = time.monotonic() - begun
            before = after

        one = min(third, key=str)
        request = to(third - {one}, third, bgp.Bird.address)
        bird = bench.receivers[0]
        assert isinstance(bird, bgp.Bird)
        with ThreadPoolExecutor(1) as pool:
            gone = pool.submit(wait_until, lambda: bird.count() == len(third) - 1, "the pair gone")
            begun = time.monotonic()
            announce(request, speaker, MonotonicTimer(), commit=True)
            took["one pair withdrawn, until HNTES has seen it"] = time.monotonic() - begun
            took["one pair withdrawn, at BIRD"] = gone.result()
        bench.wait_for(spoken(third - {one}), ALL_S)

        begun = time.monotonic()
        assert withdraw("r1", COMMUNITY, speaker, lambda _: None, commit=True).outcome == "done"
        took["all withdrawn, until HNTES has seen it"] = time.monotonic() - begun
        bench.wait_for(set(), ALL_S)
        took["all withdrawn, at the receivers"] = time.monotonic() - begun

        announce(to(first, set(), bgp.Frr.address), speaker, MonotonicTimer(), commit=True)
        bench.wait_for(spoken(first), ALL_S)
        speaker.close()
        bench.speaker.kill()
        took["the speaker killed"] = bench.wait_for(set(), ALL_S)

        bench.speaker.start()
        again = gobgp.GoBgp(bench.speaker.api, 60.0)
        wait_until(lambda: all(each.has_session() for each in bench.receivers), "sessions after a restart")
        assert all(not each.rules() for each in bench.receivers)
        assert announce(to(first, set(), bgp.Frr.address), again, MonotonicTimer(), commit=True).outcome == "done"
        bench.wait_for(spoken(first), ALL_S)
        again.close()
    with capsys.disabled():
        print("\n" + "\n".join(f"  {name}: {seconds:.2f} s" for name, seconds in took.items()))
