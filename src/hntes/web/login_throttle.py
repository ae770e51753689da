"""Throttling of failed logins against password guessing."""

from collections import OrderedDict, deque
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock

SPAN_S = 900.0
LIMIT_PER_ADDRESS = 10
# Higher, since anyone who knows a name can use it up. Its owner gets in all the same from where he has logged in
# before.
LIMIT_PER_NAME = 30
MOST_KEYS = 20_000
_IPV6_SUBSCRIBER = 64  # minimum prefix of one subscriber (RFC 6177)


class Attempts:
    """Counts of recent failed logins by address and by name. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        # each failure with its name, the oldest first; more than a limit of them come from parallel attempts
        self._failed: OrderedDict[str, deque[tuple[float, str]]] = OrderedDict()
        # where each name has logged in from, the least recent first
        self._proved: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = Lock()

    def wait_s(self, address: str, name: str, now_s: float) -> float:
        """Seconds until the next attempt from this address or with this name is allowed; 0: now."""
        with self._lock:
            is_proved = (_network(address), _of_name(name)) in self._proved
            keys = _keys(address, name)[: 1 if is_proved else 2]
            return max(self._wait_s(key, limit, now_s) for key, limit in keys)

    def failed(self, address: str, name: str, now_s: float) -> None:
        """Counts a failed login."""
        with self._lock:
            for key, _ in _keys(address, name):
                failures = self._failed.setdefault(key, deque())
                while failures and failures[0][0] <= now_s - SPAN_S:
                    failures.popleft()
                failures.append((now_s, _of_name(name)))
                self._failed.move_to_end(key)
            while len(self._failed) > MOST_KEYS:
                self._failed.popitem(last=False)

    def succeeded(self, address: str, name: str) -> None:
        """Clears the failures of this name at the address, not elsewhere; from there the name's limit ends.

        The attempt was counted in advance, by `failed`. Failures of other names stay: else whoever has an account could
        guess at another's without end, from an address that both use.
        """
        with self._lock:
            own = _of_name(name)
            if failures := self._failed.get(_network(address)):
                self._failed[_network(address)] = deque(each for each in failures if each[1] != own)
            self._proved[_network(address), own] = None
            self._proved.move_to_end((_network(address), own))
            while len(self._proved) > MOST_KEYS:
                self._proved.popitem(last=False)
            if failures := self._failed.get(own):
                failures.pop()

    def forget(self, address: str) -> None:
        """Clears all failures of an address after a success with what is not guessed: a token, a provider's answer."""
        with self._lock:
            self._failed.pop(_network(address), None)

    def _wait_s(self, key: str, limit: int, now_s: float) -> float:
        failures = self._failed.get(key)
        if failures is None or len(failures) < limit:
            return 0.0
        return max(failures[-limit][0] + SPAN_S - now_s, 0.0)


def _keys(address: str, name: str) -> tuple[tuple[str, int], ...]:
    return (_network(address), LIMIT_PER_ADDRESS), (_of_name(name), LIMIT_PER_NAME)


def _of_name(name: str) -> str:
    return f"name {name[:64]}"


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return "address unknown"
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return f"address {ip_network((parsed.packed, _IPV6_SUBSCRIBER), strict=False)}"
    return f"address {getattr(parsed, 'ipv4_mapped', None) or parsed}"
