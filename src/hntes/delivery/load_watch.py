"""Watching a router's processor and memory around a change: a legal rule may exhaust the router itself."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from hntes.delivery.timer import Timer
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.load import LoadUnknownError, RouterLoad
from hntes.sanitize import shown
from hntes.settings.load import LoadLimits

# One of so many readings in a row has to be within the limits. Processors are busy for a moment when a commit is worked
# off or a table is walked, and a datagram gets lost; what harms a router is still there with the third reading.
READINGS = 3
# How long a change works before it is judged, since processors are told as averages over up to a minute; a third of
# the router's rollback timer at most, so that the readings fit behind it.
SETTLING_S = 60.0


class LoadError(DeliveryError):
    """A router's processor or memory is above its limit, or its SNMP agent does not tell."""


@dataclass(frozen=True)
class WatchedLoad:
    """A router's load before a push and on trial; None: not read."""

    before: RouterLoad | None = None
    on_trial: RouterLoad | None = None


@dataclass
class LoadWatch:
    """The readings of one router.

    Attributes:
        router: Its name.
        ask: Reads the load; LoadUnknownError is a silent agent.
        limits: The limits of the settings.
        address_key: The key of the settings that has the agent's address.
        timer: The time of the waits between readings.
        seen: The readings that decided.
    """

    router: str
    ask: Callable[[], RouterLoad]
    limits: LoadLimits
    address_key: str
    timer: Timer
    seen: WatchedLoad = WatchedLoad()
    _unrecorded: str = ""
    _recent: deque[RouterLoad | str] = field(default_factory=lambda: deque(maxlen=READINGS))
    _next_s: float = 0.0

    def before_push(self) -> None:
        """Reads the load to compare with.

        Raises:
            LoadError: it is above a limit already, or not told.
        """
        try:
            self.seen = replace(self.seen, before=self.require_calm())
        except LoadError as problem:
            raise LoadError(
                f"router {self.router}: {problem}; nothing was changed. To deliver without watching the load, remove "
                f"{self.address_key} from the settings"
            ) from problem

    def on_trial(self, minutes: int) -> None:
        """Reads the load after the change has worked for a while. `minutes` is the router's rollback timer.

        Raises:
            LoadError: it is above a limit, or not told.
        """
        self.timer.sleep(min(SETTLING_S, 20.0 * minutes))
        self.seen = replace(self.seen, on_trial=self.require_calm())

    def require_calm(self) -> RouterLoad:
        """The first reading within the limits.

        Raises:
            LoadError: none of `READINGS` is.
        """
        readings: list[RouterLoad | str] = []
        for number in range(READINGS):
            if number:
                self.timer.sleep(self.limits.every_s)
            readings.append(reading := self._reading())
            if isinstance(reading, RouterLoad) and not any(_excess(reading, self.limits)):
                return reading
        raise LoadError(self._words(readings))

    def unrecorded(self) -> str:
        """What was read last, in words; "" if it was asked for already."""
        words, self._unrecorded = self._unrecorded, ""
        return words

    def look(self) -> None:
        """Reads once `every_s`; to be called more often than that.

        Raises:
            LoadError: none of the last `READINGS` was within the limits.
        """
        if self.timer.now_s() < self._next_s:
            return
        self._next_s = self.timer.now_s() + self.limits.every_s
        self._recent.append(self._reading())
        if len(self._recent) == READINGS and not any(map(self._is_calm, self._recent)):
            raise LoadError(self._words(self._recent))

    def _reading(self) -> RouterLoad | str:
        """The load, or why it is not known."""
        try:
            load = self.ask()
        except LoadUnknownError as problem:
            self._unrecorded = shown(" ".join(str(problem).split()))
            return self._unrecorded
        self._unrecorded = load_words(load)
        return load

    def _words(self, readings: Sequence[RouterLoad | str]) -> str:
        """What is wrong in readings of which none is within the limits: the least excess, or the agent's silence."""
        told = [list(_excess(each, self.limits)) for each in readings if isinstance(each, RouterLoad)]
        if told:
            _, words = min(max(excess) for excess in told)
            return f"{words}, in {len(readings)} readings in a row"
        return f"{readings[-1]}, {len(readings)} times in a row"

    def _is_calm(self, reading: RouterLoad | str) -> bool:
        return isinstance(reading, RouterLoad) and not any(_excess(reading, self.limits))


def load_words(load: RouterLoad) -> str:
    """The load in words, such as `processor 12 % (Routing Engine 0), memory 41 % (FPC 0)`."""
    cpu, memory = load.cpu, load.memory
    return f"processor {cpu.pct:.3g} % ({cpu.name}), memory {memory.pct:.3g} % ({memory.name})"


def _excess(load: RouterLoad, limits: LoadLimits) -> Iterator[tuple[float, str]]:
    """What is above a limit: by how much, in percentage points, and in words."""
    for what, part, key in (("processor", load.cpu, "max_cpu_pct"), ("memory", load.memory, "max_memory_pct")):
        limit = getattr(limits, key)
        if part.pct > limit:
            yield part.pct - limit, f"{what} {part.name} at {part.pct:.3g} %, above delivery.load.{key}, {limit} %"
