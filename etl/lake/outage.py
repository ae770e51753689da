"""What errors of a store mean: away for now, which passes, or refused, which does not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hntes.etl.errors import LakeAwayError, LakeError

# As Arrow writes errors of Amazon's SDK: "AWS Error ACCESS_DENIED during HeadObject operation: ..." if the SDK knows
# the code, else "AWS Error UNKNOWN (HTTP status 400) during ...: Unable to parse ExceptionName: CODE Message: ...";
# "[code 138]" is a code that the SDK knows and Arrow does not.
_ERROR = re.compile(
    r"AWS Error (?:\[code (?P<number>\d+)\]|(?P<name>[A-Z_]+))(?: \(HTTP status (?P<status>\d+)\))?"
    r" during \w+ operation: (?:Unable to parse ExceptionName: (?P<exception>\S+) Message: )?(?P<reason>.*)"
)
_KEYS = "keys are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or the machine's role"
_SESSION = "renew AWS_SESSION_TOKEN and the keys that belong to it, or use the machine's role"
_PLACE = "`endpoint` and `region` of [lake_store] have to be the bucket's"
_QUOTA = "have it raised, or set [retention] and run `hntes data prune`"
# By code, in lower case and without Arrow's underscores: what it means, and what to do.
_REFUSALS = {
    "accessdenied": ("its keys may not do this", _KEYS),
    "invalidaccesskeyid": ("it does not know the access key", _KEYS),
    "invalidclienttokenid": ("it does not know the access key", _KEYS),
    "unrecognizedclient": ("it does not know the access key", _KEYS),
    "signaturedoesnotmatch": ("the secret key is wrong", _KEYS),
    "missingauthenticationtoken": ("there are no keys", _KEYS),
    "nosuchbucket": ("there is no such bucket", _KEYS),
    "authorizationheadermalformed": ("the region, or the access key, is not its own", f"{_PLACE}; {_KEYS}"),
    "permanentredirect": ("the bucket is at another endpoint", _PLACE),
    "expiredtoken": ("the session token has expired", _SESSION),
    "invalidtoken": ("the session token is wrong", _SESSION),
    "invalidtokenid": ("the session token is wrong", _SESSION),  # MinIO's
    "requesttimetooskewed": ("this machine's clock, or the store's, is wrong", "set both by NTP"),
    "quotaexceeded": ("the quota is used up", _QUOTA),
    "xminioadminbucketquotaexceeded": ("the bucket's quota is used up", _QUOTA),
}
_PASSING = frozenset(
    {
        "INTERNAL_FAILURE",
        "SERVICE_UNAVAILABLE",
        "THROTTLING",
        "SLOW_DOWN",
        "REQUEST_TIMEOUT",
        "NETWORK_CONNECTION",
        # the upload was completed and the answer got lost, or was given up meanwhile: the next one is another
        "NO_SUCH_UPLOAD",
    }
)
# Of the errors of the network, by curl's number (libcurl-errors(3)): what stays until somebody mends it.
_CERTIFICATES = {
    "60": "its certificate is not by a CA known here, or is not its own, or not valid now",
    "77": "the file of known CAs cannot be read",
}
_CERTIFICATE = re.compile(r"curlCode: (60|77), (?:.*Details: )?(?P<reason>.*)")
_CA = "`ca_file` of [lake_store] names its CA's certificate, on all machines by one path; without it the system's count"
# A bucket whose new address is not in all name servers yet; a request that was too slow; too many.
_PASSING_STATUS = frozenset({307, 408, 429})
# The SDK's numbers of S3's own errors begin here: all are refusals. Those below are of any service.
_FIRST_OF_S3 = 128
_LONGEST = 300


@contextmanager
def asking(store: object, *, may_be_gone: bool = False) -> Iterator[None]:
    """Gives errors of a store's client their meaning. `may_be_gone`: FileNotFoundError is the caller's.

    Raises:
        LakeAwayError: it cannot be reached, or cannot answer now.
        LakeError: it refuses, is not to be trusted, or its client is not installed.
    """
    try:
        yield
    except FileNotFoundError as cause:
        if may_be_gone:
            raise
        raise LakeError(f"{store}: {_first_line(cause)[:_LONGEST]}") from cause
    except PermissionError as cause:
        raise LakeError(f"{store}: it refuses: {_first_line(cause)[:_LONGEST]}") from cause
    except (OSError, pa.ArrowException) as cause:
        raise _meaning(store, cause) from cause


def _meaning(store: object, cause: Exception) -> LakeError:
    error = _ERROR.search(_first_line(cause))
    if error and _is_refusal(error):
        return LakeError(f"{store}: {_refusal(error)}")
    told = (error[0] if error else _first_line(cause))[:_LONGEST]
    if isinstance(cause, pa.ArrowException):
        return LakeError(f"{store}: {told}")
    return LakeAwayError(f"{store}: the store cannot be reached or cannot answer now: {told}")


def _is_refusal(error: re.Match[str]) -> bool:
    """Whether the store would answer the same request alike later."""
    if error["number"]:
        return int(error["number"]) >= _FIRST_OF_S3
    if error["name"] == "UNKNOWN":
        status = int(error["status"] or 0)
        return 300 <= status < 500 and status not in _PASSING_STATUS
    return error["name"] not in _PASSING or _CERTIFICATE.match(error["reason"]) is not None


def _refusal(error: re.Match[str]) -> str:
    if certificate := _CERTIFICATE.match(error["reason"]):
        return f"{_CERTIFICATES[certificate[1]]} ({certificate['reason'][:_LONGEST]}); {_CA}"
    code = error["exception"] or error["name"] or ""
    meaning, remedy = _REFUSALS.get(code.replace("_", "").lower(), ("", f"{_PLACE}; {_KEYS}"))
    reason = error["reason"].rstrip(".")[:_LONGEST]
    if reason == "No response body":  # as of all questions for the size of an object
        remedy = f"`hntes check` may be told the reason; {remedy}"
    if meaning:
        return f"{meaning} ({code}: {reason}); {remedy}"
    return f"it refuses: {error[0].rstrip('.')[:_LONGEST]}; {remedy}"


def _first_line(cause: Exception) -> str:
    return (str(cause).splitlines() or [type(cause).__name__])[0]
