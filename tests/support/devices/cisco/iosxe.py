"""An IOS-XE router: every line of configuration takes effect as it is entered, and nothing undoes it by itself.

Sources: Cisco IOS QoS Solutions Command Reference, "bandwidth (policy-map class)" (percentages of a policy map are at
most 100), "policy-map", "class (policy-map)"; Cisco IOS Security Configuration Guide, "IP Access List Entry Sequence
Numbering" (an entry that is there already changes nothing; a number that is taken is refused); Managing Configuration
Files Configuration Guide, "Configuration Rollback Confirmed Change", "Exclusive Configuration Change Access";
Configuration Management Command Reference, "configure revert" (only the user who set the timer confirms or ends it),
"show archive config rollback timer"; "IP Access List Entry Sequence Numbering": numbers of entries are not stored,
and revert to the default sequence with a restart.

No public text was found for the words with which a policy map in use is kept (`no policy-map`), nor for those with
which another user's confirmation is refused, nor for what stored numbers mean for a return to an archived
configuration: here entries are numbered anew by a restart alone, and only if the test says so (`stores_numbers`).
"""

from dataclasses import dataclass, field

from tests.support.devices.cisco.grammar import LineError
from tests.support.devices.cisco.section import Section
from tests.support.devices.cisco.statements import Statement
from tests.support.devices.clock import ManualClock

DEFAULT_CLASS = "class class-default"


@dataclass
class Revert:
    """A change that waits for `configure confirm` until `deadline_s`; else `before`, stored as `path`, comes back."""

    deadline_s: float
    minutes: int
    before: Section
    path: str
    user: str


@dataclass
class XeRouter:
    """running: what is in effect. startup: what a restart begins with. files: stored configurations by path. stored:
    all that ever was startup.

    own_prompt: what `prompt` has set, outside of configuration. shown_name_characters: of the name, within it.
    full_disk: nothing can be stored. locked_by: another user's exclusive configuration mode. stores_numbers: whether
    numbers of access list entries outlive a restart. asks_before_saving: the stored configuration is
    of another release. lists_capitals: IPv6 addresses are listed in capitals. counted: packets and
    bytes by interface and class of its input policy.
    """

    name: str
    clock: ManualClock = field(default_factory=ManualClock)
    running: Section = field(default_factory=Section)
    counted: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    startup: Section = field(default_factory=Section)
    files: dict[str, Section] = field(default_factory=dict)
    revert: Revert | None = None
    full_disk: bool = False
    locked_by: str | None = None
    stores_numbers: bool = True
    asks_before_saving: bool = False
    lists_capitals: bool = False
    stored: list[Section] = field(default_factory=list)
    own_prompt: str = ""
    shown_name_characters: int = 20

    def __post_init__(self) -> None:
        self.running.below.setdefault("hostname", Section(f"hostname {self.name}"))
        self.startup = self.running.copy()
        self.stored.append(self.startup)

    def settle(self) -> None:
        """Does what has become due: the return to what was before a change that nobody confirmed."""
        if self.revert is not None and self.clock.now_s >= self.revert.deadline_s:
            self.running, self.revert = self.revert.before, None

    def restart(self) -> None:
        """A reload: what was not saved is gone, and with it a change's timer."""
        self.revert, self.locked_by = None, None
        self.running = self.startup.copy()
        if not self.stores_numbers:
            for each in [*self.running.starting("ip access-list"), *self.running.starting("ipv6 access-list")]:
                _renumber(each)

    def save(self) -> bool:
        """Whether the running configuration could be stored as the one to start with."""
        self.settle()
        if not self.full_disk:
            self.startup = self.running.copy()
            self.stored.append(self.startup)
        return not self.full_disk

    def archive_path(self) -> str | None:
        path = self.running.get("archive", "path")
        return path.words()[1] if path else None

    def begin_revert(self, minutes: int, user: str) -> str:
        """Stores the running configuration and sets the timer; gives the file's name."""
        path = self.archive_path()
        if path is None:
            raise LineError("%Please turn config archive on before using Rollback Confirmed Change\n")
        if self.revert is not None:
            raise LineError("%ERROR: Rollback Confirmed Change is already active\n")
        if self.full_disk:
            raise LineError(f"%Error opening {path} (No space left on device)\n")
        name = f"{path}-Nov-23-02-00-00.000-{len(self.files)}"
        self.files[name] = self.running.copy()
        self.revert = Revert(self.clock.now_s + 60 * minutes, minutes, self.running.copy(), name, user)
        return name

    def confirm(self, user: str) -> None:
        self.pending(user)
        self.revert = None

    def revert_now(self, user: str) -> None:
        self.running, self.revert = self.pending(user).before, None

    def pending(self, user: str | None = None) -> Revert:
        """The change that waits. LineError if there is none, or it is not that user's."""
        self.settle()
        if self.revert is None:
            raise LineError("%No Rollback Confirmed Change pending\n")
        if user is not None and user != self.revert.user:
            raise LineError(f"%ERROR: Rollback Confirmed Change was set by user {self.revert.user}\n")
        return self.revert

    def replace(self, path: str) -> None:
        """`configure replace`: the running configuration becomes the stored one."""
        stored = self.startup if path == "nvram:startup-config" else self.files.get(path)
        if stored is None:
            raise LineError(f"%Error opening {path} (No such file or directory)\n")
        self.running = stored.copy()

    def enter(self, parent: Section, statement: Statement, words: tuple[str, ...]) -> Section:
        """Puts a line into effect, and gives the section that it opens. LineError if it is refused."""
        text = " ".join(words)
        key = " ".join(words[: statement.key or len(words)])
        if words[0] == "class-map" and statement.key == 2:
            key, text = f"class-map match-all {words[1]}", f"class-map match-all {words[1]}"
        _require_allowed(self.running, parent, key, words)
        if "access-list" in parent.text and _is_entry(words):
            if _taken(parent, key, words):
                return Section()
            if words[0] in ("permit", "deny"):
                key, text = _numbered(parent, text)
        old = parent.below.get(key)
        if old is not None and statement.enters:
            old.text = text
            return old
        parent.below[key] = Section(text)
        _order(parent, key)
        return parent.below[key]

    def remove(self, parent: Section, key: str) -> None:
        """`no` of a line. What is not there is removed without a word."""
        if key not in parent.below:
            key = next((each for each in parent.below if key == each.split()[0] == "bandwidth"), key)
        _require_unused(self.running, key)
        parent.below.pop(key, None)


def _require_allowed(running: Section, parent: Section, key: str, words: tuple[str, ...]) -> None:
    if words[0] == "class" and words[1] != "class-default" and class_map(running, words[1]) is None:
        raise LineError(f"class map {words[1]} not configured\n")
    if words[0] == "class-map":
        others = running.starting("class-map")
        if any(each.words()[2] == words[-1] and each.text != key for each in others):
            raise LineError(f"Class-map {words[-1]} exists with another match type\n")
    if words[0] == "service-policy":
        name = words[-1]
        if running.get(f"policy-map {name}") is None:
            raise LineError(f"% policy map {name} not configured\n")
        attached = parent.below.get(key)
        if attached is not None and attached.words()[-1] != name:
            raise LineError(f"Policy map {attached.words()[-1]} is already attached\n")
    if words[:2] in (("bandwidth", "percent"), ("priority", "percent")):
        _require_share(running, parent, words)


def _require_share(running: Section, parent: Section, words: tuple[str, ...]) -> None:
    policy = next(each for each in running.starting("policy-map") if any(c is parent for c in each.below.values()))
    others = [line.words() for each in policy.below.values() for line in each.below.values()
              if not (each is parent and line.words()[0] == words[0])]  # fmt: skip
    total = int(words[2]) + sum(int(each[2]) for each in others if each[:2] in (["bandwidth", "percent"],
                                                                              ["priority", "percent"]))  # fmt: skip
    if total > 100:
        raise LineError("Sum total of class bandwidths exceeds 100 percent\n")


def class_map(running: Section, name: str) -> Section | None:
    return next((each for each in running.starting("class-map") if each.words()[2] == name), None)


def _require_unused(running: Section, key: str) -> None:
    words = key.split()
    if words[0] == "class-map":
        name = words[-1]
        used = any(f"class {name}" in policy.below for policy in running.starting("policy-map"))
        if used:
            raise LineError(f"% Class-map {name} is being used\n")
    if words[0] == "policy-map":
        interfaces = running.starting("interface")
        if any(line.words()[-1] == words[1] for i in interfaces for line in i.starting("service-policy")):
            raise LineError(f"% Policy-map {words[1]} is being used\n")


def _is_entry(words: tuple[str, ...]) -> bool:
    return words[0] in ("permit", "deny") or "permit" in words[1:3] or "deny" in words[1:3]


def _content(text: str) -> str:
    words = text.split()
    at = next(n for n, word in enumerate(words) if word in ("permit", "deny"))
    return " ".join(words[at:])


def _taken(parent: Section, key: str, words: tuple[str, ...]) -> bool:
    """Whether the entry is there already, under whatever number. LineError if another has its number."""
    content = _content(" ".join(words))
    entries = [each for each in parent.below.values() if _is_entry(tuple(each.words()))]
    if any(_content(each.text) == content for each in entries):
        return True
    if key in parent.below and words[0] not in ("permit", "deny"):
        raise LineError("% Duplicate sequence number\n%Failed to add ace to access-list\n\n")
    return False


def _numbered(parent: Section, text: str) -> tuple[str, str]:
    """Key and text of an entry without a number: ten more than the last."""
    version_6 = parent.text.startswith("ipv6")
    last = max((int(each.words()[1 if version_6 else 0]) for each in parent.below.values()), default=0)
    number = f"sequence {last + 10}" if version_6 else str(last + 10)
    return number, f"{number} {text}"


def _renumber(parent: Section) -> None:
    """From 10 in steps of 10, as a list is numbered whose entries were entered without numbers."""
    sequence = "sequence " if parent.text.startswith("ipv6") else ""
    entries = [each for each in parent.below.values() if _is_entry(tuple(each.words()))]
    numbered = {f"{sequence}{10 * n}": _content(each.text) for n, each in enumerate(entries, 1)}
    parent.below = {key: Section(f"{key} {content}") for key, content in numbered.items()}


def _order(parent: Section, added: str) -> None:
    """Access list entries stand by number; classes in the order they came in, before class-default."""
    if "access-list" in parent.text:
        numbers = {key: int(key.split()[-1]) for key in parent.below if key.split()[-1].isdigit()}
        order = sorted(parent.below, key=lambda key: numbers.get(key, 0))
        parent.below = {key: parent.below[key] for key in order}
    elif parent.text.startswith("policy-map") and added != DEFAULT_CLASS and DEFAULT_CLASS in parent.below:
        parent.below[DEFAULT_CLASS] = parent.below.pop(DEFAULT_CLASS)
