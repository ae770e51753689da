"""An EOS router: running and startup configuration, configuration sessions, a commit timer.

Sources: EOS User Manual, "Configure Session": a session is a copy of the running configuration from when it began; its
commit puts that copy in the place of the running configuration, with what others changed since undone; a session that
is left stays pending, and at most five do. `commit timer`: the configuration before comes back unless the session is
committed once more, by whatever login; seen on cEOS 4.35.0F, where a commit does not save the startup configuration.
napalm-automation/napalm, issue 2166: the state of the session of a trial, up to 4.31 and from 4.32 on.
"""

from dataclasses import dataclass, field

from tests.support.devices.cisco.section import Section
from tests.support.devices.clock import ManualClock

MOST_PENDING = 5
# Sections that are not listed with nothing in them.
_CONTAINERS = ("traffic-policies",)


class NotDoneError(Exception):
    """What the router prints instead of acting on a session."""


@dataclass
class EosSession:
    """One session: the configuration that it would commit.

    state: `pending`; `pendingCommitTimer` up to 4.31, `committed` from 4.32 on; `completed`.

    terminal: where somebody is in it; "" once he left, or it was committed.
    """

    name: str
    user: str
    target: Section
    state: str = "pending"
    terminal: str = ""


@dataclass
class Trial:
    """The session that awaits its confirmation, the time at which it ends, and the configuration before it."""

    session: EosSession
    deadline_s: float
    before: Section


@dataclass
class EosRouter:
    """counted: packets and bytes by rule of a traffic policy. history: configurations that were ever committed.

    names_trial: as from 4.32 on, sessions of trials are `committed`, and named above the table of sessions.
    """

    name: str
    clock: ManualClock = field(default_factory=ManualClock)
    running: Section = field(default_factory=Section)
    startup: Section = field(default_factory=Section)
    counted: dict[str, tuple[int, int]] = field(default_factory=dict)
    lists_bytes: bool = True
    names_trial: bool = True
    sessions: dict[str, EosSession] = field(default_factory=dict)
    trial: Trial | None = None
    history: list[Section] = field(default_factory=list)
    full_disk: bool = False
    restart_confirms: bool = False

    def __post_init__(self) -> None:
        self.running.below.setdefault("hostname", Section(f"hostname {self.name}"))

    def settle(self) -> None:
        """Does what has become due: the return from a trial that nobody confirmed."""
        if self.trial is not None and self.clock.now_s >= self.trial.deadline_s:
            self._go_back(self.trial)

    def _go_back(self, trial: Trial) -> None:
        self.trial = None
        self.sessions.pop(trial.session.name, None)
        self._put(trial.before)

    def restart(self) -> None:
        """The router starts from its startup configuration, which no commit writes; sessions are gone."""
        self.sessions, self.trial = {}, None
        self._put(self.startup.copy())

    def session(self, name: str, user: str) -> EosSession:
        """The pending session of that name, a new one if there is none."""
        self.settle()
        known = self.sessions.get(name)
        if known is not None and known.state != "pending":
            raise NotDoneError(f"% Session {name} is already {known.state}\n")
        if known is None:
            if sum(each.state == "pending" for each in self.sessions.values()) >= MOST_PENDING:
                raise NotDoneError("% Maximum number of pending sessions has been reached\n")
            known = self.sessions[name] = EosSession(name, user, self.running.copy())
        return known

    def commit(self, session: EosSession, timer_s: int | None) -> None:
        """Commits a session; NotDoneError, with nothing changed, if a trial of another goes on."""
        self.settle()
        if self.trial is not None:
            raise NotDoneError(f"% Session {self.trial.session.name} has a pending commit timer\n")
        before = self.running
        tidy(session.target)
        self._put(session.target.copy())
        session.state = "completed"
        if timer_s is not None:
            session.state = "committed" if self.names_trial else "pendingCommitTimer"
            self.trial = Trial(session, self.clock.now_s + timer_s, before)

    def confirm(self, name: str) -> None:
        self.settle()
        if self.trial is None or self.trial.session.name != name:
            raise NotDoneError(f"% Cannot commit session {name}: it has no pending commit timer\n")
        self.trial.session.state, self.trial = "completed", None

    def abort(self, name: str) -> None:
        """Ends a session; that of a trial goes back at once."""
        self.settle()
        if name not in self.sessions or self.sessions[name].state == "completed":
            raise NotDoneError(f"% Session {name} is not pending\n")
        if self.trial is not None and self.trial.session.name == name:
            self._go_back(self.trial)
        self.sessions.pop(name, None)

    def save(self) -> bool:
        """Whether the startup configuration could be written."""
        if not self.full_disk:
            self.startup = self.running.copy()
        return not self.full_disk

    def _put(self, running: Section) -> None:
        self.history.append(running)
        self.running = running


def tidy(root: Section) -> None:
    """Removes containers that were left empty."""
    for key in _CONTAINERS:
        if key in root.below and not root.below[key].below:
            root.below.pop(key)
