"""The clock of emulated routers, moved by the test that owns it."""


class ManualClock:
    """Time in s, which stands still until it is moved. A router acts on what has become due when it is next touched, so
    that nobody can see a state from before a deadline that has passed."""

    def __init__(self, now_s: float = 0.0) -> None:
        self._now_s = now_s

    @property
    def now_s(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        self._now_s += seconds
