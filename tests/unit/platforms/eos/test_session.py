"""Who is in a configuration session, by listings of several releases."""

import pytest

from hntes.platforms.device_errors import DeliveryError, TrialError
from hntes.platforms.eos.session import EosDevice
from tests.contract.platform.cases.eos import RUNNING

SHORT = """\
Maximum number of completed sessions: 5
Maximum number of pending sessions: 20

   Name                 State         User        Terminal
   -------------------- ------------- ----------- --------
"""
DETAILED = """\
Maximum number of completed sessions: 1
Maximum number of pending sessions: 5
Merge on commit: disabled

  Name                State     User     Terminal Commit Time Left Completed Time Committed By Description
  ------------------- --------- -------- -------- ---------------- -------------- ------------ -----------
"""


class Listing:
    """A router that answers with one listing of sessions, and whose running configuration nobody changes."""

    mode = "config-s-hntes-"
    is_privileged = True

    def __init__(self, sessions: str) -> None:
        self._sessions = sessions

    def ask(self, command: str) -> str:
        return self._sessions if command.startswith("show configuration sessions") else f"{RUNNING}end\n"


def device(sessions: str) -> EosDevice:
    made = EosDevice(Listing(sessions))
    made._begun_with = RUNNING
    return made


@pytest.mark.parametrize(
    ("head", "row", "holder"),
    [
        (SHORT, "   sess-17--10658-5     pending       alice       vty5", "alice on vty5"),
        (SHORT, "   maintenance          pending                   con0", "con0"),
        (
            DETAILED,
            "  maintenance         pending   alice    vty12                                              uplinks",
            "alice",
        ),
        (DETAILED, "  maintenance         pending   alice    vty12", "alice on vty12"),
    ],
)
def test_a_session_that_somebody_is_in_stops_a_commit(head: str, row: str, holder: str) -> None:
    with pytest.raises(DeliveryError, match=rf"in configuration session \S+ \({holder}.*would undo"):
        device(f"{head}{row}\n").check()


@pytest.mark.parametrize(
    ("head", "row"),
    [
        (SHORT, "   maintenance          pending"),
        (SHORT, " * hntes-0badcafe       pending       hntes       vty5"),
        (SHORT, "   maintenance          completed"),
        (DETAILED, "  maintenance         pending                                                            uplinks"),
        (DETAILED, "  maintenance         completed                           2026-11-01 alice"),
        (SHORT, ""),
        (DETAILED, ""),
    ],
)
def test_a_session_that_nobody_is_in_does_not(head: str, row: str) -> None:
    device(f"{head}{row}\n").check()


@pytest.mark.parametrize("said", ["", "% Invalid input", "% Unavailable command (not supported on this platform)"])
def test_a_router_that_lists_no_sessions_is_not_taken_for_one_without_any(said: str) -> None:
    with pytest.raises(DeliveryError, match="no list of sessions"):
        device(f"{said}\n").check()
    with pytest.raises(DeliveryError, match="no list of sessions"):
        device(f"{said}\n").lock()


def test_the_session_of_the_trial_is_found_though_this_login_is_in_it() -> None:
    row = " * hntes-0badcafe      pendingCommitTimer hntes     vty5\n"
    assert device(f"{SHORT}{row}").trial() == "* hntes-0badcafe pendingCommitTimer hntes vty5"


def test_from_release_4_32_on_the_session_of_the_trial_is_named_above_the_table() -> None:
    """Its row has the state of any committed session, also that of an earlier change."""
    head, columns = DETAILED.split("\n\n")
    rows = "  hntes-0badcafe      committed                           2026-11-01 hntes\n"
    assert device(f"{head}\n\n{columns}{rows}").trial() is None
    timer = "Session with pending commit timer: hntes-0badcafe\nTime left until commit timer expiry: in 0:01:59"
    listed = device(f"{head}\n\n{timer}\n\n{columns}{rows}")
    assert listed.trial() == "Session with pending commit timer: hntes-0badcafe"
    listed.check()


def test_a_trial_of_somebody_else_is_seen_in_both_forms() -> None:
    row = f"{SHORT}   upgrade   pendingCommitTimer   alice   vty5\n"
    for listed in (row, f"Session with pending commit timer: upgrade\n{SHORT}"):
        with pytest.raises(TrialError, match="upgrade"):
            device(listed).lock()
