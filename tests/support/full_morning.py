"""Mornings of forty routers, made of stored days: one with much to decide on, and one with nothing to do.

Of r1 and r2 a change has 1,600 pairs, all of them new to r2, which has no approved rules. The gate fails that of r3.
Those from r4 to r9 are alike, and that of r4 is deferred; the others were approved, delivered and verified.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from hntes import clock
from hntes.settings.model import Router
from hntes.sql import changes
from hntes.sql.change import Change
from hntes.sql.decisions import Verdict
from hntes.sql.session import reading
from hntes.workflow.change_lookup import change_of
from hntes.workflow.context import Context, opened, routers_of
from hntes.workflow.delivery.deliver import report_delivered
from hntes.workflow.review.decide import Person, Request, acknowledge_new_pairs, decide, hold_change
from tests.support.databases import vouch_for_shared_runs
from tests.support.full_state import Size, build
from tests.support.installation import ROOT, Installation

DAYS = 30
WIDE, FIRST, FAILED = (f"r{number}" for number in (1, 2, 3))
ALIKE = [f"r{number}" for number in range(4, 10)]
DEFERRED, *TICKABLE = ALIKE
QUIET = [f"r{number}" for number in range(10, 41)]
WIDE_PAIRS = 1_600
# A pair in force gives way to one of twice its bytes: to flows of a month in one day, at less than the rate of a port.
_WIDE = Size(1, 1_800, DAYS, WIDE_PAIRS, first=1, growth=DAYS + 5, rate_bps=10**10)
_OTHERS = replace(_WIDE, routers=37, pairs=240, term_budget=100, first=4, moving=20)
_SIZES = (
    _WIDE,
    replace(_WIDE, first=2, is_approved=False),
    # 7 Gb/s of beta, on a port of 10 Gb/s of which its queue has 65 %
    replace(_OTHERS, routers=1, first=3, beta_peak_bytes=525 * 10**8),
    _OTHERS,
)
DAY = _WIDE.day
_DELIVERY = """[routers.delivery]
address = "192.0.2.{}"
port = 830
user = "hntes"
host_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
"""
_SITES = {
    "north": ("10.0.0.0/15",), "south": ("10.2.0.0/15", "10.4.0.0/14"), "store": ("172.16.0.0/13",),
    "archive": ("172.24.0.0/13",),
}  # fmt: skip
_AS_TABLE = """network,autonomous_system_number,autonomous_system_organization
10.0.0.0/15,64500,University of the North
10.2.0.0/15,64501,Institute of the South
10.4.0.0/14,64501,
172.16.0.0/13,64510,National Store
172.24.0.0/14,64511,Archive
172.28.0.0/14,64512,
"""


def full_morning(folder: Path) -> Installation:
    """The morning with much to decide on."""
    url = f"sqlite:///{folder / 'hntes.db'}"
    settings = build(folder, url, *_SIZES)
    sites = "".join(
        f'[[sites]]\nname = "{name}"\nprefixes = {list(prefixes)}\n'.replace("'", '"')
        for name, prefixes in _SITES.items()
    )
    text = settings.read_text(encoding="utf-8")
    text = text.replace(str(folder / "simulations"), str(ROOT / "var" / "simulations"))
    (folder / "as.csv").write_text(_AS_TABLE, encoding="utf-8")
    more = f'{sites}[autonomous_systems]\ntables = ["as.csv"]\n'
    settings.write_text(text.replace("new_pairs_limit = 100000", "new_pairs_limit = 100") + more, encoding="utf-8")
    made = installed(folder)
    vouch_for_shared_runs(url)
    for name in (WIDE, FIRST, FAILED, *ALIKE):
        made.run("stage", "judge", "--router", name, "--day", str(DAY), expect=3 if name == FAILED else 0)
    with opened(settings) as context:
        _approve(context, QUIET)
        (deferred,) = routers_of(context.settings, [DEFERRED])
        until = clock.today() + timedelta(days=3)
        hold_change(context, deferred, DAY, until, Person("bert", "after the maintenance of its core port"))
    return made


def installed(folder: Path) -> Installation:
    """The installation that was made in this folder."""
    return Installation(folder / "hntes.toml", f"sqlite:///{folder / 'hntes.db'}", folder / "lake", folder / "output")


def quiet_morning(full: Installation, folder: Path) -> Installation:
    """The same when all is decided, and every router was seen to run what is approved for it."""
    made = copied(full, folder)
    first_of_each = '[[routers.interfaces]]\nname = "xe-0/0/0"'
    head, *others = made.settings.read_text(encoding="utf-8").split(first_of_each)
    reached = (_DELIVERY.format(number) + first_of_each + each for number, each in enumerate(others, 1))
    made.settings.write_text(head + "".join(reached), encoding="utf-8")
    with opened(made.settings) as context:
        (first,) = routers_of(context.settings, [FIRST])
        acknowledge_new_pairs(context, first, DAY, WIDE_PAIRS, Person("anna", "the new laboratory"))
        _approve(context, [WIDE, FIRST, *ALIKE])
        _reject(context, FAILED)
    return made


def copied(site: Installation, folder: Path) -> Installation:
    """A copy of such a morning, to be changed."""
    folder.mkdir(parents=True)
    before = site.settings.parent
    settings = folder / "hntes.toml"
    settings.write_text(site.settings.read_text(encoding="utf-8").replace(str(before), str(folder)), encoding="utf-8")
    for name in ("hntes.db", "as.csv"):
        shutil.copyfile(before / name, folder / name)
    shutil.copytree(site.output, folder / "output")
    return installed(folder)


def _approve(context: Context, names: Sequence[str]) -> None:
    """Approves the changes of these routers; they are delivered and verified."""
    for name in names:
        router, change = _decided(context, name, "approved", "usual")
        _verify(context, router, change.candidate_hash)


def _reject(context: Context, name: str) -> None:
    """Rejects a router's change; what was approved before it is delivered and verified."""
    router, _ = _decided(context, name, "rejected", "a port is too full")
    with reading(context.database) as session:
        before = changes.in_force(session, name)
    assert before is not None
    _verify(context, router, before.candidate_hash)


def _decided(context: Context, name: str, verdict: Verdict, note: str) -> tuple[Router, Change]:
    (router,) = routers_of(context.settings, [name])
    change = change_of(context, name, DAY)
    assert change is not None
    decided = decide(context, router, Request.on(change, verdict), Person("anna", note), clock.now_ms())
    assert decided.is_taken, decided.explanation
    return router, change


def _verify(context: Context, router: Router, candidate_hash: str) -> None:
    for is_confirmed in (False, True):
        report_delivered(context, router, candidate_hash, "anna", is_confirmed=is_confirmed)
