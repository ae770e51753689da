"""What several browsers follow: read once for all of them, as long as there are any, and told where it changes.

Everything here runs in the server's event loop, but for the reading itself.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from hntes.workflow.errors import expected

# Between two readings, however many browsers look.
POLL_S = 2.0
MOST_STREAMS = 40
MOST_PER_PERSON = 4


@dataclass(frozen=True)
class Part:
    """A part of a page as it was read; `is_last`: it will not change any more."""

    text: str
    is_last: bool = False


Read = Callable[[], Part]


class Topic:
    """One part of a page: its newest reading, None before the first one; `is_stale`: it could not be read anew."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.part: Part | None = None
        self.is_stale = self.is_ended = False
        self.watchers = 0
        self.changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_over(self) -> bool:
        """Whether its part will not change any more."""
        return self.part is not None and self.part.is_last

    def tell(self) -> None:
        """Wakes those who wait for a change."""
        before, self.changed = self.changed, asyncio.get_running_loop().create_future()
        before.set_result(None)

    async def poll(self) -> None:
        """Reads again and again while somebody looks; a reading that fails as readings may is tried again."""
        try:
            while self.watchers and not self.is_over:
                part, is_stale = self.part, False
                try:
                    part = await run_in_threadpool(self.read)
                except expected():
                    is_stale = True
                if (part, is_stale) != (self.part, self.is_stale):
                    self.part, self.is_stale = part, is_stale
                    self.tell()
                if not self.is_over:
                    await asyncio.sleep(POLL_S)
        finally:
            self.is_ended = True
            self.tell()


class Live:
    """The topics of one running page, and who follows them."""

    def __init__(self) -> None:
        self._topics: dict[str, tuple[Topic, asyncio.Task[None]]] = {}
        self._people: Counter[str] = Counter()
        self._is_closed = False

    @property
    def streams(self) -> int:
        """How many follow something."""
        return self._people.total()

    @property
    def topics(self) -> int:
        """How many topics are being read, or have been since another was begun."""
        return len(self._topics)

    @contextmanager
    def followed(self, name: str, read: Read, who: str) -> Iterator[Topic | None]:
        """The topic of this name, for one more stream of this person; None if there is no room."""
        if self._is_closed or self.streams >= MOST_STREAMS or self._people[who] >= MOST_PER_PERSON:
            yield None
            return
        topic = self._topic(name, read)
        self._people[who] += 1
        topic.watchers += 1
        try:
            yield topic
        finally:
            topic.watchers -= 1
            self._people[who] -= 1
            self._people += Counter()  # forgets people without streams

    async def close(self) -> None:
        """Ends all streams; further ones are refused."""
        self._is_closed = True
        tasks = [task for _, task in self._topics.values()]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    def _topic(self, name: str, read: Read) -> Topic:
        """One that is being read; one whose last browser has gone ends with its next reading, and is begun anew."""
        # those of back-tests that nobody follows any more would otherwise stay with their texts
        self._topics = {each: known for each, known in self._topics.items() if not known[0].is_ended}
        known = self._topics.get(name)
        if known is not None:
            return known[0]
        topic = Topic(read)
        self._topics[name] = topic, asyncio.get_running_loop().create_task(topic.poll())
        return topic
