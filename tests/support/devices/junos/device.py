"""A Junos router: committed configurations, the candidate that its sessions share, locks and confirmed commits.

Sources: Junos OS CLI User Guide, "Commit a Configuration" ("commit confirmed": ten minutes unless told, "commit" or
"commit check" confirms), "Roll Back"; NETCONF XML Management Protocol Developer Guide, "Commit the Candidate
Configuration Only After Confirmation", "Lock and Unlock the Candidate Configuration"; Junos XML Management Protocol
Developer Guide, "<commit-configuration>" (a private copy takes no confirmed commit, and none at all while the shared
candidate is locked or changed), "<open-configuration>".

Not documented, and therefore chosen by who makes the router: what a restart does to a commit that waits for its
confirmation (`restart_confirms`).
"""

from dataclasses import dataclass, field

from tests.support.devices.clock import ManualClock
from tests.support.devices.junos.checks import CommitProblem, check
from tests.support.devices.junos.compare import compare
from tests.support.devices.junos.load import Action, LoadProblem, load
from tests.support.devices.junos.tree import Node

KEPT = 50  # the active configuration and 49 before it
CONFIRM_S = 600.0


class DeniedError(Exception):
    """What a router refuses to a session; tag: RFC 6241, appendix A. problems: of a commit, if it is one."""

    def __init__(self, message: str, tag: str = "operation-failed", problems: tuple[CommitProblem, ...] = ()) -> None:
        super().__init__(message)
        self.tag = tag
        self.problems = problems


@dataclass(frozen=True)
class Commit:
    """One committed configuration. client: netconf, cli, or `other` for what the router did itself."""

    root: Node
    user: str
    time_s: float
    client: str = "netconf"
    log: str = ""


@dataclass
class Session:
    """One user's session. private: its own copy, made from `base`."""

    number: int
    user: str
    private: Node | None = None
    base: Node | None = None


@dataclass
class Pending:
    """A commit that waits for its confirmation until `deadline_s`, else `before` comes back."""

    deadline_s: float
    before: Node


@dataclass
class JunosRouter:
    """The state. full_disk: commits cannot be written. restart_confirms: see the module.
    shows_inheritance: whether `inherit` is heeded when a configuration is read. counted: packets and bytes by the
    name of a filter's counter; of others there were none."""

    name: str
    clock: ManualClock = field(default_factory=ManualClock)
    full_disk: bool = False
    restart_confirms: bool = False
    shows_inheritance: bool = True
    counted: dict[str, tuple[int, int]] = field(default_factory=dict)
    commits: list[Commit] = field(default_factory=list)
    candidate: Node = field(default_factory=Node)
    lock_holder: Session | None = None
    pending: Pending | None = None
    sessions: dict[int, Session] = field(default_factory=dict)
    opened: int = 0

    def __post_init__(self) -> None:
        if not self.commits:
            self.commits = [Commit(self.candidate.copy(), "root", self.clock.now_s, "other")]

    @classmethod
    def with_text(cls, name: str, text: str, clock: ManualClock | None = None) -> "JunosRouter":
        root = Node()
        if problems := load(root, text, "override"):
            raise ValueError(f"{name}: line {problems[0].line}: {problems[0].message} at {problems[0].element}")
        return cls(name, clock or ManualClock(), candidate=root)

    @property
    def active(self) -> Node:
        self.settle()
        return self.commits[0].root

    def history(self) -> list[Commit]:
        """The commits that are kept, the newest first."""
        self.settle()
        return self.commits

    def confirm_minutes(self) -> int:
        """For how long the commit on trial had to be confirmed, in whole minutes."""
        return round((self.pending.deadline_s - self.commits[0].time_s) / 60) if self.pending else 0

    def settle(self) -> None:
        """Does what has become due: the rollback of a commit that nobody confirmed. The candidate goes with it."""
        if self.pending is not None and self.clock.now_s >= self.pending.deadline_s:
            before, self.pending = self.pending.before, None
            self._record(before, "root", "other", "rollback of an unconfirmed commit")
            self.candidate = before.copy()

    def open(self, user: str) -> Session:
        self.settle()
        self.opened += 1
        self.sessions[self.opened] = Session(self.opened, user)
        return self.sessions[self.opened]

    def close(self, session: Session) -> None:
        """Ends a session, also one that was cut: its lock goes, and with it what it had not committed."""
        self.settle()
        if self.lock_holder is session:
            self.unlock(session)
        self.sessions.pop(session.number, None)

    def lock(self, session: Session) -> None:
        self.settle()
        if self.lock_holder is not None:
            raise DeniedError(self._locked_by(), "lock-denied")
        if compare(self.commits[0].root, self.candidate):
            raise DeniedError("configuration database modified", "lock-denied")
        self.lock_holder = session

    def unlock(self, session: Session) -> None:
        self.settle()
        if self.lock_holder is not session:
            raise DeniedError("configuration database not locked by this session")
        self.lock_holder = None
        self.candidate = self.commits[0].root.copy()

    def open_private(self, session: Session) -> None:
        self.settle()
        session.base = self.commits[0].root.copy()
        session.private = session.base.copy()

    def close_private(self, session: Session) -> None:
        session.private = session.base = None

    def edited(self, session: Session) -> Node:
        """What a session edits, if it may."""
        self.settle()
        if session.private is not None:
            return session.private
        if self.lock_holder not in (None, session):
            raise DeniedError(self._locked_by(), "lock-denied")
        return self.candidate

    def load(self, session: Session, text: str, action: Action) -> list[LoadProblem]:
        return load(self.edited(session), text, action)

    def rollback(self, session: Session, number: int) -> None:
        """Makes a committed configuration the candidate: 0 is the active one."""
        edited = self.edited(session)
        if not 0 <= number < len(self.commits):
            raise DeniedError(f"rollback {number} does not exist")
        edited.children = self.commits[number].root.copy().children

    def shown(self, session: Session) -> Node:
        """The candidate that a session sees. Anybody may read, locked or not."""
        self.settle()
        return session.private if session.private is not None else self.candidate

    def compared(self, session: Session, number: int = 0) -> str:
        shown = self.shown(session)
        if not 0 <= number < len(self.commits):
            raise DeniedError(f"rollback {number} does not exist")
        return compare(self.commits[number].root, shown)

    def check(self, session: Session) -> None:
        """`commit check`, which also confirms a commit that waits for it."""
        self._require_valid(self.edited(session))
        self.pending = None

    def commit(self, session: Session, log: str = "", confirm_s: float | None = None, client: str = "netconf") -> None:
        """confirm_s: after that time the configuration before comes back, unless somebody commits. Any user's commit
        confirms, also one without changes; another confirmed one only moves the deadline."""
        edited = self.edited(session)
        if session.private is not None:
            edited = self._merged(session, confirm_s)
        self._require_valid(edited)
        if self.full_disk:
            raise DeniedError("could not save to juniper.save+: No space left on device", "resource-denied")
        before = self.pending.before if self.pending else self.commits[0].root
        self.pending = Pending(self.clock.now_s + confirm_s, before) if confirm_s is not None else None
        self._record(edited.copy(), session.user, client, log)
        self.candidate = edited.copy()
        if session.private is not None:
            self.open_private(session)

    def restart(self) -> None:
        """Power off and on: sessions, locks and the candidate are gone; what was committed is there."""
        self.settle()
        self.sessions, self.lock_holder = {}, None
        if self.pending is not None and not self.restart_confirms:
            self._record(self.pending.before, "root", "other", "rollback of an unconfirmed commit")
        self.pending = None
        self.candidate = self.commits[0].root.copy()

    def _merged(self, session: Session, confirm_s: float | None) -> Node:
        if confirm_s is not None:
            raise DeniedError("commit confirmed not allowed on a private copy", "operation-not-supported")
        if self.lock_holder is not None:
            raise DeniedError(self._locked_by(), "lock-denied")
        if compare(self.commits[0].root, self.candidate):
            raise DeniedError("shared configuration database modified")
        if session.base is not None and compare(session.base, self.commits[0].root):
            raise DeniedError("private copy is older than the committed configuration: update it first")
        assert session.private is not None
        return session.private

    def _require_valid(self, root: Node) -> None:
        if problems := check(root):
            raise DeniedError("configuration check-out failed", "operation-failed", tuple(problems))

    def _record(self, root: Node, user: str, client: str, log: str) -> None:
        self.commits = [Commit(root, user, self.clock.now_s, client, log), *self.commits][:KEPT]

    def _locked_by(self) -> str:
        holder = self.lock_holder
        assert holder is not None
        return (
            f"configuration database locked by:\n  {holder.user} terminal (pid {40000 + holder.number}) "
            "on since 2026-11-23 02:00:00 UTC\n      exclusive [edit]"
        )
