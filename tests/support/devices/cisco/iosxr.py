"""An IOS-XR router: running configuration, each session's target configuration, commits, trial commits.

Sources: Cisco IOS XR System Management / Getting Started Guide for the ASR 9000, "Managing Configuration Sessions"
(two stages; a commit is all or nothing; `commit confirmed` from 30 to 65535 s, `commit` within that time confirms;
`configure exclusive` keeps others from committing), "Committing Configuration: commit" in the System Management
Command Reference, "Managing Configuration History and Rollback".

A target configuration is a list of changes, not a copy: what others commit in between stays.

That a trial belongs to the session that began it (no other can confirm it, none can commit while it lasts, and it ends
by its timer alone when that session is gone) is not in these guides; it was seen on an IOS XRv 9000, release 24.3.1, of
which transcripts are public. What a router does to a trial when it restarts is not documented either; here it goes back
unless `restart_confirms`.
"""

from dataclasses import dataclass, field

from tests.support.devices.cisco.section import Section, difference
from tests.support.devices.cisco.xr_checks import Failure, failures
from tests.support.devices.clock import ManualClock

KEPT = 100  # commits that can be rolled back


@dataclass(frozen=True)
class Change:
    """One line of a target: path of keys to its section, its own key, its text, or nothing if it is removed."""

    path: tuple[str, ...]
    key: str
    text: str | None


@dataclass(frozen=True)
class XrCommit:
    """before: the running configuration it replaced."""

    number: int
    user: str
    before: Section
    label: str = ""
    comment: str = ""


@dataclass
class Trial:
    """session: number of the one that began it."""

    deadline_s: float
    before: Section
    session: int


class NotCommittedError(Exception):
    """A commit that was refused. kind: `semantic`, `locked`, `others` (they committed since), `disk` or `trial`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass
class XrSession:
    """One configuration session. seen: number of the last commit when it began or committed. exclusive: see above."""

    number: int
    user: str
    seen: int
    exclusive: bool = False
    changes: list[Change] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)


@dataclass
class XrRouter:
    """counted: packets and bytes by interface and class of its input policy.

    says_of_trial, says_of_confirmation: what it prints when a trial begins, and when it is confirmed.
    """

    name: str
    clock: ManualClock = field(default_factory=ManualClock)
    running: Section = field(default_factory=Section)
    counted: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    commits: list[XrCommit] = field(default_factory=list)
    sessions: dict[int, XrSession] = field(default_factory=dict)
    trial: Trial | None = None
    full_disk: bool = False
    restart_confirms: bool = False
    shows_wildcards: bool = False
    comments_trials: bool = True
    says_of_trial: str = ""
    says_of_confirmation: str = "% Confirming commit for trial session.\n"
    next_commit: int = 1_000_000_001
    opened: int = 0

    def __post_init__(self) -> None:
        self.running.below.setdefault("hostname", Section(f"hostname {self.name}"))

    def settle(self) -> None:
        """Does what has become due: the return from a trial that nobody confirmed."""
        if self.trial is not None and self.clock.now_s >= self.trial.deadline_s:
            trial, self.trial = self.trial, None
            self._record(trial.before, "", "", "rollback of a trial")

    def restart(self) -> None:
        """Sessions are gone; committed configurations are there."""
        self.sessions = {}
        if self.trial is not None and not self.restart_confirms:
            self.trial.deadline_s = self.clock.now_s
        self.settle()
        self.trial = None

    @property
    def lock_holder(self) -> XrSession | None:
        return next((each for each in self.sessions.values() if each.exclusive), None)

    def open(self, user: str, exclusive: bool = False) -> XrSession:
        """A configuration session. NotCommittedError if it should be exclusive while another is, or a trial runs."""
        self.settle()
        if exclusive and self.lock_holder is not None:
            raise NotCommittedError("locked")
        if exclusive and self.trial is not None:
            raise NotCommittedError("trial")
        self.opened += 1
        session = XrSession(self.opened, user, self._last(), exclusive)
        self.sessions[self.opened] = session
        return session

    def close(self, session: XrSession) -> None:
        """Ends a session, also one that was cut: its target configuration is gone."""
        self.sessions.pop(session.number, None)

    def target(self, session: XrSession) -> Section:
        """The running configuration as it would be with the session's changes."""
        target = self.running.copy()
        for change in session.changes:
            apply(target, change)
        return target

    def changed(self, session: XrSession) -> list[str]:
        self.settle()
        return difference(self.running, self.target(session))

    def commit(
        self, session: XrSession, trial_s: int | None = None, label: str = "", comment: str = "", force: bool = False
    ) -> bool:
        """Whether there was anything to commit or to confirm. force: although others have committed since the session
        began. NotCommittedError, with nothing changed, if it is refused."""
        self.settle()
        own_trial = self.trial is not None and self.trial.session == session.number
        if not session.changes:
            if own_trial and trial_s is None:
                self.trial = None
                return True
            return False
        self._require_free(session, own_trial, force)
        target = self.target(session)
        session.failed = failures(target)
        if session.failed:
            raise NotCommittedError("semantic")
        if self.full_disk:
            raise NotCommittedError("disk")
        before = self.trial.before if self.trial else self.running
        self._record(target, session.user, label, comment)
        self.trial = None if trial_s is None else Trial(self.clock.now_s + trial_s, before, session.number)
        session.exclusive = session.exclusive and trial_s is None
        session.changes, session.seen = [], self._last()
        return True

    def abandon_trial(self) -> None:
        """What leaving configuration mode does to the trial of the session that leaves."""
        if self.trial is not None:
            self.trial.deadline_s = self.clock.now_s
            self.settle()

    def _require_free(self, session: XrSession, own_trial: bool, force: bool) -> None:
        if self.lock_holder not in (None, session):
            raise NotCommittedError("locked")
        if self.trial is not None and not own_trial:
            raise NotCommittedError("trial")
        if session.seen != self._last() and not force:
            raise NotCommittedError("others")

    def rollback(self, user: str, count: int) -> bool:
        """Undoes the last commits by another commit; whether there were as many."""
        self.settle()
        if self.lock_holder is not None:
            raise NotCommittedError("locked")
        if self.trial is not None:
            raise NotCommittedError("trial")
        if count > len(self.commits):
            return False
        self._record(self.commits[count - 1].before, user, "", f"rollback last {count}")
        return True

    def _last(self) -> int:
        return self.commits[0].number if self.commits else 0

    def _record(self, running: Section, user: str, label: str, comment: str) -> None:
        self.commits = [XrCommit(self.next_commit, user, self.running, label, comment), *self.commits][:KEPT]
        self.next_commit += 1
        self.running = running


def apply(root: Section, change: Change) -> None:
    """Puts one change into a configuration; sections that a removed one had go with it."""
    parent = root
    for key in change.path:
        parent = parent.below.setdefault(key, Section(key))
    if change.text is None:
        parent.below.pop(change.key, None)
        return
    present = parent.below.get(change.key)
    if present is not None:
        present.text = change.text
    else:
        parent.below[change.key] = Section(change.text)
    _order(parent)


def _order(parent: Section) -> None:
    if "access-list" in parent.text:
        parent.below = dict(sorted(parent.below.items(), key=lambda item: int(item[0])))
    for key in [key for key in parent.below if key.startswith("class ") and key.endswith(" class-default")]:
        parent.below[key] = parent.below.pop(key)
