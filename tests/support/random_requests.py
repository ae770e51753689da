"""Random requests to an ASGI application, as a server hands them over: any method, path, header, form or body."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_from_bytes, unquote, urlencode

from tests.support.prepared_nights import NIGHT

METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW")
FORM = "application/x-www-form-urlencoded"
TYPES = (f"{FORM}; charset=utf-7", "multipart/form-data; boundary=x", "application/json",
         "text/xml", "", "\xff", f"{FORM}\t")  # fmt: skip
TEXTS = (
    "r1", "r2", "r9", "*", "", " ", NIGHT, "2026-12-31", "0001-01-01", "9999-12-31", "2026-02-30", "198.18.10.5",
    "198.18.10.0/24>203.0.113.0/24", "198.18.10.0/24", "203.0.113.0/25", "::/0", "0.0.0.0/0", "2001:db8::/64",
    "10.0.0.0/33", "1.2.3.4/-1", "decide", "either", "source", "-1", "9" * 40, "1", ">", ">>", "../..", "\x00",
    "a" * 64, "r1\r\nSet-Cookie: a=b", "\u202er1", "\ud800",
    "<script>alert(1)</script>", "{{7*7}}", "' OR 1=1 --", "%s%n%x",
    "/etc/passwd", "//evil.example", "\uff1d1", "x" * 3000, "\U0001f4a5" * 50, "\u0661", "1e9", "NaN", "anna", "vera",
)  # fmt: skip
# Method, path, and the fields that it reads.
PATHS = (
    ("GET", "/", ()), ("GET", "/pair", ("router", "q")), ("GET", "/pair", ("router", "q")), ("GET", "/health", ()),
    ("GET", "/log", ("router", "kind", "who", "since", "before")), ("GET", "/log.csv", ("router", "who", "since")),
    ("GET", "/exclude", ("router", "what", "side", "reason", "from", "until")), ("GET", "/review.css", ()),
    ("GET", "/pin", ("router", "what", "reason", "from", "until")), ("GET", "/login", ("next",)),
    ("GET", "/router/{}", ()), ("GET", "/change/{}/{}", ("pair",)), ("GET", "/change/{}/{}/figure/{}", ()),
    ("GET", "/change/{}/{}/pairs.txt", ()), ("GET", "/change/{}/{}/difference.txt", ()),
    ("POST", "/change/{}/{}/approve", ("confirm", "note")), ("POST", "/change/{}/{}/reject", ("note",)),
    ("POST", "/change/{}/{}/hold", ("until", "note")), ("POST", "/change/{}/{}/acknowledge", ("new_pairs", "note")),
    ("POST", "/change/{}/{}/{}", ("note",)), ("POST", "/approve", ("change", "change", "note")),
    ("POST", "/exclude", ("router", "what", "side", "reason", "from", "until")),
    ("POST", "/pin", ("router", "what", "reason", "from", "until")), ("POST", "/login", ("name", "password", "next")),
    ("GET", "/{}", ()), ("GET", "/{}/{}", ()), ("GET", "/static/{}", ()), ("GET", "/openapi.json", ()),
    ("GET", "/docs", ()), ("GET", "/log/", ()), ("GET", "/change/r1/", ()), ("POST", "/logout", ("note",)),
)  # fmt: skip
# What a field usually holds; without it most requests would end at the first field that is wrong.
USUAL = {
    "router": "r1", "q": "198.18.10.5", "what": "198.18.10.0/24>203.0.113.0/24", "reason": "test", "from": NIGHT,
    "until": "2099-12-31", "confirm": "r1", "note": "seen", "new_pairs": "8", "side": "either", "name": "anna",
    "since": NIGHT, "before": "5", "pair": "1",
}  # fmt: skip
# Paths that a server has not decoded: ways out of a folder, halves of characters, and the like.
RAW_PATHS = (
    b"/..%2f..%2fhntes.toml", b"/%2e%2e/%2e%2e/etc/passwd", b"/review.css/%2e%2e/%2e%2e/hntes.toml", b"/%c0%ae%c0%ae/x",
    b"/change/r1%00/2026-11-20", b"/%ff%fe", b"//evil.example/%2f..", b"/change/%252e%252e/x", b"*", b"http://evil/x",
    b"/router/" + b"a" * 20_000, b"/%0d%0aSet-Cookie:a=b", b"/" + b"a/" * 5000, b"/%", b"/%zz",
)  # fmt: skip
HEADERS = (
    (b"x-forwarded-for", b"127.0.0.1"), (b"x-forwarded-user", b"anna"), (b"remote-user", b"anna"),
    (b"x-forwarded-host", b"evil.example"), (b"x-forwarded-proto", b"https"), (b"x-original-url", b"/log"),
    (b"x-http-method-override", b"DELETE"), (b"host", b"evil.example"), (b"host", b""), (b"host", b"127.0.0.1:8440"),
    (b"accept-encoding", b"gzip;q=\xff"), (b"range", b"bytes=0-0,1-1,-5"), (b"if-none-match", b"*"),
    (b"if-modified-since", b"\xff"), (b"content-length", b"-1"), (b"content-type", b"\xff"), (b"cookie", b"\xff=\xff"),
    (b"cookie", b'hntes="\\012\\015"; hntes-login="\\012x"'), (b"origin", b"null"), (b"expect", b"100-continue"),
    (b"transfer-encoding", b"chunked"), (b"upgrade", b"websocket"), (b"authorization", b"Basic \xff"),
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One request. `target` is the path as it is sent, without the query."""

    method: str
    target: bytes
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def told(self) -> str:
        """For a test that fails."""
        return repr((self.method, self.target[:200], self.query[:300], self.headers, self.body[:300]))


@dataclass
class Answer:
    """What the application answers."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: bytes) -> bytes:
        """The value of a header; b"" if there is none."""
        return dict(self.headers).get(name, b"")


@dataclass(frozen=True)
class Known:
    """What a person who is logged in knows: values that lead further in than random ones."""

    cookie: bytes
    token: str
    hashes: tuple[str, ...]


def random_call(chance: random.Random, known: Known) -> Call:
    """A request: half of them with a session, most forms with its token."""
    method, path, names = chance.choice(PATHS)
    fields = _fields(chance, known, names)
    if chance.random() < 0.1:
        method = chance.choice(METHODS)
    body, kind = b"", ""
    if method in ("POST", "PUT", "PATCH") or chance.random() < 0.05:
        body, kind = _body(chance, fields), FORM if chance.random() < 0.85 else chance.choice(TYPES)
    headers = [(b"host", b"127.0.0.1:8440")]
    if chance.random() < 0.95:
        headers += [(b"origin", b"http://127.0.0.1:8440"), (b"cookie", known.cookie)]
    if kind:
        headers.append((b"content-type", kind.encode("latin-1")))
    headers += chance.sample(HEADERS, chance.choice((0, 0, 0, 0, 0, 0, 0, 1, 2)))
    query = _raw(chance)
    if chance.random() < 0.9:
        query = urlencode(fields if method == "GET" else [], errors="surrogatepass").encode()
    return Call(method, _target(chance, known, path), query, tuple(headers), body)


def ask(app: Any, call: Call, peer: str = "192.0.2.9") -> Answer:
    """Hands the request over; what the application raises is raised."""
    answer = Answer()
    parts = [call.body[at : at + 65_536] for at in range(0, len(call.body), 65_536)] or [b""]
    messages = [
        {"type": "http.request", "body": part, "more_body": number < len(parts)} for number, part in enumerate(parts, 1)
    ]

    async def receive() -> dict[str, object]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status, answer.headers = message["status"], list(message["headers"])
        else:
            answer.body += message.get("body", b"")

    # as uvicorn decodes a path
    path = unquote(call.target.decode("ascii"))
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": call.method, "scheme": "http",
        "path": path, "raw_path": call.target, "root_path": "", "query_string": call.query,
        "headers": list(call.headers), "client": (peer, 40_000), "server": ("127.0.0.1", 8440),
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return answer


def _target(chance: random.Random, known: Known, path: str) -> bytes:
    if chance.random() < 0.05:
        return chance.choice(RAW_PATHS)
    usual = ["r1", NIGHT, "1"]
    for number in range(path.count("{}")):
        text = usual[number] if chance.random() < 0.85 else _text(chance, known)
        path = path.replace("{}", quote(text, safe="", errors="surrogatepass"), 1)
    return path.encode()


def _fields(chance: random.Random, known: Known, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Fields of a form or query, most as they usually are; some are missing, some there twice."""
    usual = USUAL | ({"what": "198.18.10.0/24"} if "side" in names else {})
    found = [
        (name, usual[name] if name in usual and chance.random() < 0.8 else _text(chance, known))
        for name in names
        if chance.random() < 0.95
    ]
    if chance.random() < 0.95:
        found.append(("csrf", known.token))
    if known.hashes:
        found.append(("hash", chance.choice(known.hashes)))
    return found + found[: chance.choice((0, 0, 0, 2))]


def _text(chance: random.Random, known: Known) -> str:
    kind = chance.random()
    if kind < 0.75:
        return chance.choice(TEXTS)
    if kind < 0.85 and known.hashes:
        return f"r1 {NIGHT} {chance.choice(known.hashes)}"
    ranges = ((32, 127), (0, 0x10FFFF))
    return "".join(chr(chance.randrange(*chance.choice(ranges))) for _ in range(chance.randrange(20)))


def _body(chance: random.Random, fields: list[tuple[str, str]]) -> bytes:
    kind = chance.random()
    if kind < 0.85:
        return urlencode(fields, errors="surrogatepass").encode()
    if kind < 0.95:
        return _raw(chance)
    return b"note=" + b"x" * chance.choice((1000, 262_144, 3_000_000))


def _raw(chance: random.Random) -> bytes:
    octets = chance.randbytes(chance.randrange(60))
    return chance.choice((b"", b"&&&===", b"%", b"a=%zz", b"a=1&" * 6000, quote_from_bytes(octets).encode(), octets))
