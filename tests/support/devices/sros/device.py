"""An SR OS router: running, candidate and startup configuration, locks and confirmed commits.

Sources: RFC 6241, sections 7.5 (locks) and 8.4 (confirmed commits, persist); System Management Guide, "NETCONF" (the
candidate alone is edited; one implicit lock for all that edit it; saving to startup is a request of its own). A router
that restarts takes its startup configuration.
"""

import copy
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from tests.support.devices.clock import ManualClock
from tests.support.devices.sros.datastore import Data, enter, pruned, shown

CONFIRM_S = 600.0


class DeniedError(Exception):
    """What a router refuses to a session; tag: RFC 6241, appendix A."""

    def __init__(self, message: str, tag: str = "operation-failed") -> None:
        super().__init__(message)
        self.tag = tag


@dataclass(eq=False)
class Session:
    number: int
    user: str


@dataclass
class Pending:
    """A commit that waits for its confirmation until `deadline_s`; without a persist id its session must go on."""

    deadline_s: float
    before: Data
    persist: str | None
    session: Session


class Guard:
    """A lock that copies of a router's state have in common: it is no part of the state."""

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __deepcopy__(self, memo: object) -> "Guard":
        return self


@dataclass
class SrosRouter:
    """The state. full_disk: nothing is saved to startup. restart_confirms: means nothing, what was not saved is lost.
    counted: packets and bytes by filter and entry; of others there were none."""

    name: str
    clock: ManualClock = field(default_factory=ManualClock)
    committed: Data = field(default_factory=dict)
    candidate: Data = field(default_factory=dict)
    startup: Data = field(default_factory=dict)
    counted: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    history: list[Data] = field(default_factory=list)
    full_disk: bool = False
    restart_confirms: bool = False
    lock_holder: Session | None = None
    pending: Pending | None = None
    opened: int = 0
    # Tests look at a router while the farm's thread ends its sessions.
    guard: Guard = field(default_factory=Guard, repr=False, compare=False)

    @classmethod
    def with_text(cls, name: str, *texts: str) -> "SrosRouter":
        router = cls(name)
        for each in texts:
            enter(router.committed, each)
        router.committed = pruned(router.committed)
        problems = checked(router.committed)
        assert problems == [], problems
        router.candidate, router.startup = copy.deepcopy(router.committed), copy.deepcopy(router.committed)
        return router

    @property
    def running(self) -> Data:
        self.settle()
        return self.committed

    def settle(self) -> None:
        """Does what has become due: the rollback of a commit that nobody confirmed."""
        with self.guard:
            if self.pending is not None and self.clock.now_s >= self.pending.deadline_s:
                self._roll_back()

    def open(self, user: str) -> Session:
        self.settle()
        self.opened += 1
        return Session(self.opened, user)

    def close(self, session: Session) -> None:
        with self.guard:
            self.settle()
            if self.lock_holder is session:
                self.lock_holder = None
                self.candidate = copy.deepcopy(self.committed)
            if self.pending is not None and self.pending.persist is None and self.pending.session is session:
                self._roll_back()

    def lock(self, session: Session) -> None:
        self.settle()
        if self.lock_holder is not None:
            raise DeniedError(f"datastore is locked by session {self.lock_holder.number}", "lock-denied")
        if pruned(self.candidate) != self.committed:
            raise DeniedError("the candidate has changes", "lock-denied")
        self.lock_holder = session

    def unlock(self, session: Session) -> None:
        if self.lock_holder is not session:
            raise DeniedError("datastore is not locked by this session")
        self.lock_holder = None
        self.candidate = copy.deepcopy(self.committed)

    def edited(self, session: Session) -> Data:
        self.settle()
        if self.lock_holder not in (None, session):
            raise DeniedError("datastore is locked by another session", "in-use")
        return self.candidate

    def discard(self, session: Session) -> None:
        self.edited(session)
        self.candidate = copy.deepcopy(self.committed)

    def validate(self) -> None:
        if problems := checked(pruned(self.candidate)):
            raise DeniedError("; ".join(problems))

    def commit(
        self,
        session: Session,
        confirm_s: float | None = None,
        persist: str | None = None,
        persist_id: str | None = None,
    ) -> None:
        self.edited(session)
        if persist_id is not None and (self.pending is None or self.pending.persist != persist_id):
            raise DeniedError("persist-id: no confirmed commit has it", "invalid-value")
        if self.pending is not None and self.pending.persist is not None and persist_id != self.pending.persist:
            raise DeniedError("a confirmed commit is in progress", "in-use")
        self.validate()
        before = self.pending.before if self.pending is not None else self.committed
        self.history.insert(0, copy.deepcopy(self.committed))
        self.committed = pruned(self.candidate)
        self.candidate = copy.deepcopy(self.committed)
        self.pending = None
        if confirm_s is not None:
            self.pending = Pending(self.clock.now_s + confirm_s, before, persist, session)

    def cancel(self, session: Session, persist_id: str | None) -> None:
        self.settle()
        pending = self.pending
        if pending is None or pending.persist != persist_id or (persist_id is None and pending.session is not session):
            raise DeniedError("no confirmed commit to cancel", "invalid-value")
        self._roll_back()

    def save(self) -> None:
        if self.full_disk:
            raise DeniedError("no space left on cf3:", "resource-denied")
        self.startup = copy.deepcopy(self.running)

    def restart(self) -> None:
        """Power off and on."""
        self.lock_holder, self.pending = None, None
        self.committed = copy.deepcopy(self.startup)
        self.candidate = copy.deepcopy(self.committed)

    def text(self) -> str:
        return "\n".join(shown(self.running))

    def _roll_back(self) -> None:
        assert self.pending is not None
        self.history.insert(0, self.committed)
        self.committed, self.pending = self.pending.before, None
        self.candidate = copy.deepcopy(self.committed)


def checked(data: Data) -> list[str]:
    """What a router refuses to commit: references to nothing, and entries that say too little or too much."""
    qos, filters = data.get("qos", {}), data.get("filter", {})
    found = _router_problems(data)
    for port, each in data.get("port", {}).items():
        ethernet = each.get("ethernet", {})
        policy = ethernet.get("network", {}).get("egress", {}).get("queue-policy")
        scheduler = ethernet.get("egress", {}).get("port-scheduler-policy", {}).get("policy-name")
        found += _missing(port, policy, qos.get("network-queue", {}), {"default"})
        found += _missing(port, scheduler, qos.get("port-scheduler-policy", {}), set())
    for name, each in qos.get("network-queue", {}).items():
        for fc, one in each.get("fc", {}).items():
            found += _missing((*name, *fc), one.get("queue"), each.get("queue", {}), {"1", "9"})
    for kind in filters.values():
        for name, each in kind.items():
            for embedded, _ in each.get("embed", {}).get("filter", {}):
                found += _missing(name, embedded, {key for key, one in kind.items() if _is_embedded(one)}, set())
            for number, entry in each.get("entry", {}).items():
                found += _action_problems((*name, *number), entry.get("action"))
    return found


def _router_problems(data: Data) -> list[str]:
    filters, networks = data.get("filter", {}), data.get("qos", {}).get("network", {})
    found = []
    for router in data.get("router", {}).values():
        for name, each in router.get("interface", {}).items():
            for side in ("ingress", "egress"):
                bound = each.get(side, {}).get("filter", {})
                for leaf, kind in (("ip", "ip-filter"), ("ipv6", "ipv6-filter")):
                    bindable = {key for key, one in filters.get(kind, {}).items() if not _is_embedded(one)}
                    found += _missing(name, bound.get(leaf), bindable, set())
            found += _missing(name, each.get("qos", {}).get("network-policy"), networks, {"default"})
    return found


def _is_embedded(each: Data) -> bool:
    return each.get("scope") == "embedded"


def _missing(where: Any, name: str | None, known: Any, built_in: set[str]) -> list[str]:
    return [] if name is None or (name,) in known or name in built_in else [f"{' '.join(where)}: {name} does not exist"]


def _action_problems(where: tuple[str, ...], action: Data | None) -> list[str]:
    if action is None:
        return []
    chosen = [word for word in ("accept", "drop", "forward") if word in action]
    if len(chosen) != 1:
        return [f"{' '.join(where)}: needs one action, has {chosen}"]
    hop = action.get("forward", {}).get("next-hop", {})
    if "nh-ip" in hop and "address" not in hop["nh-ip"]:
        return [f"{' '.join(where)}: nh-ip needs an address"]
    if "rate-limit" in action and "pir" not in action["rate-limit"]:
        return [f"{' '.join(where)}: rate-limit needs a pir"]
    return []
