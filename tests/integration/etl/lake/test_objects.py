"""A lake in an object store: whole objects or none, only what is needed is asked, outages and refusals are told."""

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.errors import GonePartError, LakeAwayError, LakeError
from hntes.etl.lake.store import Leavings, Store, Stored, part_name, set_aside_name, store_of
from hntes.etl.lake.url import LakeUrl, S3Options
from hntes.workflow.errors import is_temporary
from tests.support.certificates import self_signed
from tests.support.fake_s3 import BUCKET, FakeS3, Query, fake_s3
from tests.support.lake_parts import named

DAY, NEXT = date(2026, 11, 20), date(2026, 11, 21)
NAME = part_name("r1", DAY, "a-b-c")
KEY = f"lake/{NAME}"
SMALL, LARGE = b"n" * 4000, b"n" * (25 << 20)
# Requests of an upload of LARGE: begin, three parts, complete. Of SMALL: one.
REQUESTS = {SMALL: 1, LARGE: 5}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeS3]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "hntes")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
    with fake_s3() as made:
        yield made


def opened(bucket: FakeS3, tmp_path: Path, request_timeout_s: float = 5.0) -> Store:
    options = S3Options(bucket.endpoint, tls=False, connect_timeout_s=1.0, request_timeout_s=request_timeout_s)
    return store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path / "state", options))


@pytest.fixture
def store(bucket: FakeS3, tmp_path: Path) -> Store:
    return opened(bucket, tmp_path)


def put(store: Store, content: bytes, name: str = NAME) -> None:
    with store.writing(name) as stream:
        stream.write(content[:100])
        stream.write(content[100:])


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["small", "large"])
def test_an_object_is_there_at_the_end_of_the_block_and_not_before(
    bucket: FakeS3, store: Store, content: bytes
) -> None:
    with store.writing(NAME) as stream:
        stream.write(content)
        assert bucket.requests == []
    assert bucket.objects == {KEY: content}
    assert len(bucket.requests) == REQUESTS[content]


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("code", [(403, "AccessDenied"), (400, "InvalidRequest")])
def test_whichever_request_of_an_upload_fails_the_object_is_the_old_one(
    bucket: FakeS3, store: Store, content: bytes, code: tuple[int, str]
) -> None:
    for bad in range(REQUESTS[content]):
        bucket.objects[KEY] = b"old"
        bucket.requests.clear()

        def fails(*_: object, at: int = bad + 1) -> tuple[int, str] | None:
            return code if len(bucket.requests) == at else None

        bucket.answer = fails
        with pytest.raises(LakeError):
            put(store, content)
        bucket.answer = lambda *_: None
        assert bucket.objects == {KEY: b"old"}, f"request {bad}"


def test_what_fails_while_it_is_made_is_never_sent(bucket: FakeS3, store: Store) -> None:
    def write_half() -> None:
        with store.writing(NAME) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert bucket.requests == []


def test_a_request_that_fails_once_is_tried_again(bucket: FakeS3, store: Store) -> None:
    def fails(*_: object) -> tuple[int, str] | None:
        return (503, "SlowDown") if len(bucket.requests) == 1 else None

    bucket.answer = fails
    put(store, SMALL)
    assert bucket.objects == {KEY: SMALL}
    assert len(bucket.requests) == 2


def test_only_what_is_needed_is_listed(bucket: FakeS3, store: Store) -> None:
    names = [part_name(router, day, stem) for router in ("r1", "r2") for day in (DAY, NEXT) for stem in "ab"]
    bucket.objects |= {f"lake/{name}": name.encode() for name in names}
    assert store.missing([*names[:2], part_name("r1", DAY, "c")]) == {part_name("r1", DAY, "c")}
    assert bucket.listed == [f"lake/flows/router=r1/day={DAY}/"]
    bucket.listed.clear()
    assert store.left_by(Leavings("a", 0, ("r1",), (NEXT, NEXT), frozenset())) == set()
    assert bucket.listed == ["lake/flows/router=r1/", f"lake/flows/router=r1/day={NEXT}/"]
    bucket.listed.clear()
    assert {part.name for part in store.parts(DAY)} == {name for name in names if str(DAY) in name}
    assert [each for each in bucket.listed if str(NEXT) in each] == []
    bucket.listed.clear()
    assert len(list(store.parts())) == 8
    assert bucket.listed == ["lake/flows/", "lake/flows/router=r1/", "lake/flows/router=r2/"]


def test_days_that_were_removed_are_not_asked_for_again(bucket: FakeS3, store: Store) -> None:
    """pyarrow leaves an empty object of the day's folder."""
    names = [part_name(router, date(2026, 10, day), "a") for router in ("r1", "r2") for day in range(1, 31)]
    names += [set_aside_name("a", date(2026, 10, day)) for day in range(1, 31)]
    bucket.objects |= {f"lake/{name}": b"n" for name in names}
    assert store.remove(names) == 90
    assert len(bucket.objects) == 90
    bucket.listed.clear()
    assert list(store.parts(DAY)) == list(store.set_aside(DAY)) == []
    assert bucket.listed == ["lake/flows/", "lake/flows/router=r1/", "lake/flows/router=r2/", "lake/set_aside/"]


def test_days_and_sizes_are_those_of_the_objects(bucket: FakeS3, store: Store) -> None:
    put(store, SMALL)
    bucket.objects |= {f"lake/flows/router=r1/day={DAY}/": b"", f"lake/flows/router=r1/day={DAY}/note.txt": b"x"}
    assert list(store.parts()) == [Stored(NAME, DAY, len(SMALL), 1_795_230_000.0)]
    assert store.remove([NAME, part_name("r1", DAY, "gone")]) == 1
    assert KEY not in bucket.objects


def test_a_store_that_is_silent_is_told_within_its_time_and_passes(bucket: FakeS3, tmp_path: Path) -> None:
    store = opened(bucket, tmp_path, request_timeout_s=1.0)
    bucket.answer = lambda *_: time.sleep(60)
    begun_s = time.monotonic()
    with pytest.raises(LakeAwayError, match=rf"s3://{BUCKET}/lake: the store cannot be reached") as found:
        list(store.parts())
    # three attempts of a second; the client looks once a second
    assert time.monotonic() - begun_s < 15
    assert is_temporary(found.value)


def test_many_requests_to_a_silent_store_take_no_longer_than_one(bucket: FakeS3, tmp_path: Path) -> None:
    store = opened(bucket, tmp_path, request_timeout_s=1.0)
    bucket.answer = lambda *_: time.sleep(60)
    begun_s = time.monotonic()
    parts = [named(part_name("r1", DAY, f"{number}")) for number in range(100)]
    with pytest.raises(LakeAwayError), store.nearby(parts):
        pass
    assert time.monotonic() - begun_s < 30


@pytest.mark.usefixtures("bucket")
def test_a_store_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    options = S3Options("127.0.0.1:9", tls=False)
    away = store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path, options))
    begun_s = time.monotonic()
    for ask in (lambda: away.missing([NAME]), lambda: put(away, SMALL), lambda: put(away, LARGE)):
        with pytest.raises(LakeAwayError):
            ask()
    assert time.monotonic() - begun_s < 20


@pytest.mark.parametrize(
    ("code", "said", "remedy"),
    [
        ((403, "AccessDenied"), "its keys may not do this", "AWS_ACCESS_KEY_ID"),
        ((403, "InvalidAccessKeyId"), "does not know the access key", "AWS_ACCESS_KEY_ID"),
        ((403, "SignatureDoesNotMatch"), "the secret key is wrong", "AWS_ACCESS_KEY_ID"),
        ((404, "NoSuchBucket"), "there is no such bucket", "AWS_ACCESS_KEY_ID"),
        ((400, "AuthorizationHeaderMalformed"), "the region, or the access key", "`region`"),
        ((301, "PermanentRedirect"), "at another endpoint", "`endpoint`"),
        ((400, "ExpiredToken"), "the session token has expired", "AWS_SESSION_TOKEN"),
        ((400, "InvalidToken"), "the session token is wrong", "AWS_SESSION_TOKEN"),
        ((403, "RequestTimeTooSkewed"), "this machine's clock", "NTP"),
        ((403, "QuotaExceeded"), "the quota is used up", "hntes data prune"),
        # one that the SDK knows and Arrow does not, and ones that neither knows
        ((400, "InvalidRequest"), "it refuses", "`region`"),
        ((405, "MethodNotAllowed"), "it refuses: .*MethodNotAllowed", "`region`"),
        ((308, "Elsewhere"), "it refuses: .*Elsewhere", "`endpoint`"),
    ],
)
def test_a_refusal_is_told_with_what_to_do_and_does_not_pass(
    bucket: FakeS3, store: Store, code: tuple[int, str], said: str, remedy: str
) -> None:
    bucket.answer = lambda *_: code
    with pytest.raises(LakeError, match=f"{said}.*as the test wants it.*{remedy}") as found:
        put(store, SMALL)
    assert not is_temporary(found.value)


def test_a_region_that_the_store_expects_is_told_whatever_the_length_of_the_name(bucket: FakeS3, store: Store) -> None:
    bucket.answer = lambda *_: (400, "AuthorizationHeaderMalformed")
    bucket.message = "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-1'"
    for ask in (lambda: put(store, SMALL, part_name("r" * 63, DAY, "a" * 64)), lambda: list(store.parts())):
        with pytest.raises(LakeError, match="expecting 'eu-west-1'"):
            ask()


def test_a_request_that_is_refused_without_a_reason_does_not_pass(bucket: FakeS3, store: Store) -> None:
    """The size of an object is asked by HEAD, whose answers have no body."""
    bucket.answer = lambda *_: (400, "ExpiredToken")
    with (
        pytest.raises(LakeError, match=r"HTTP status 400.*`hntes check` may be told") as found,
        store.nearby([named(NAME)]),
    ):
        pass
    assert not is_temporary(found.value)


@pytest.mark.parametrize(
    "code",
    [
        (307, "TemporaryRedirect"), (400, "RequestTimeout"), (408, "RequestTimeout"), (429, "TooManyRequests"),
        (500, "InternalError"), (503, "SlowDown"), (503, "ServiceUnavailable"), (507, "XMinioStorageFull"),
    ],
)  # fmt: skip
def test_what_a_store_cannot_do_now_passes(bucket: FakeS3, store: Store, code: tuple[int, str]) -> None:
    bucket.answer = lambda *_: code
    with pytest.raises(LakeAwayError, match=r"cannot answer now: .*as the test wants it") as found:
        store.missing([NAME])
    assert is_temporary(found.value)


def test_an_upload_whose_end_was_answered_and_the_answer_lost_passes(bucket: FakeS3, store: Store) -> None:
    """The client asks again for the end of an upload that is no longer open; the object is there."""

    def lost(method: str, key: str, query: Query) -> tuple[int, str] | None:
        if method != "POST" or query.get("uploadId") not in bucket.uploads:
            return None
        pieces = bucket.uploads.pop(query["uploadId"])
        bucket.objects[key] = b"".join(pieces[number] for number in sorted(pieces))
        return 500, "InternalError"

    bucket.answer = lost
    with pytest.raises(LakeAwayError, match="NO_SUCH_UPLOAD") as found:
        put(store, LARGE)
    assert is_temporary(found.value)
    bucket.answer = lambda *_: None
    put(store, LARGE)
    assert bucket.objects == {KEY: LARGE}


@pytest.mark.parametrize(
    ("ca_file", "said"),
    [("", "its certificate is not by a CA known here.*self-signed"), ("none.pem", r"cannot be read.*/none\.pem")],
)
@pytest.mark.usefixtures("bucket")
def test_a_certificate_that_is_not_known_does_not_pass(tmp_path: Path, ca_file: str, said: str) -> None:
    certificate, key = self_signed(tmp_path)
    with fake_s3((certificate, key)) as bucket:
        named = f"{tmp_path}/{ca_file}" if ca_file else ""
        for ca, is_known in ((named, False), (str(certificate), True)):
            options = S3Options(bucket.endpoint, ca_file=ca, connect_timeout_s=1.0)
            store = store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path / "state", options))
            if is_known:
                assert list(store.parts()) == []
                continue
            with pytest.raises(LakeError, match=f"{said}.*`ca_file` of .lake_store.") as found:
                list(store.parts())
            assert not is_temporary(found.value)


def test_a_bucket_that_is_not_there_is_not_an_empty_one(bucket: FakeS3, tmp_path: Path) -> None:
    other = store_of(LakeUrl("s3://no-such-bucket/lake", tmp_path, S3Options(bucket.endpoint, tls=False)))
    for ask in (lambda: list(other.parts()), lambda: other.missing([NAME])):
        with pytest.raises(LakeError, match="there is no such bucket"):
            ask()


def test_a_part_that_is_gone_is_told(store: Store) -> None:
    with (
        pytest.raises(GonePartError, match=f"s3://{BUCKET}/lake/{NAME}: the ledger names"),
        store.nearby([named(NAME)]),
    ):
        pass
