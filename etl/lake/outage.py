"""What errors of a store mean: away for now, which passes, or refused, which does not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hntes.etl.errors import LakeAwayError, LakeError

# As Arrow writes the codes of Amazon's SDK ("AWS Error ACCESS_DENIED during HeadObject operation").
_CODE = re.compile(r"AWS Error ([A-Z_]+)")
_REFUSALS = {
    "ACCESS_DENIED": "its keys may not do this",
    "INVALID_ACCESS_KEY_ID": "it does not know the access key",
    "INVALID_CLIENT_TOKEN_ID": "it does not know the access key",
    "SIGNATURE_DOES_NOT_MATCH": "the secret key is wrong",
    "UNRECOGNIZED_CLIENT": "it does not know the access key",
    "MISSING_AUTHENTICATION_TOKEN": "there are no keys",
    "NO_SUCH_BUCKET": "there is no such bucket",
}
_KEYS = "keys are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or the machine's role"


@contextmanager
def asking(store: object, *, may_be_gone: bool = False) -> Iterator[None]:
    """Gives errors of a store's client their meaning. `may_be_gone`: FileNotFoundError is the caller's.

    Raises:
        LakeAwayError: it cannot be reached, or cannot answer now.
        LakeError: it refuses, or its client is not installed.
    """
    try:
        yield
    except FileNotFoundError as cause:
        if may_be_gone:
            raise
        raise LakeError(f"{store}: {_first_line(cause)}") from cause
    except PermissionError as cause:
        raise LakeError(f"{store}: it refuses: {_first_line(cause)}") from cause
    except (OSError, pa.ArrowException) as cause:
        raise _meaning(store, cause) from cause


def _meaning(store: object, cause: Exception) -> LakeError:
    found = _CODE.search(str(cause))
    if found and found[1] in _REFUSALS:
        return LakeError(f"{store}: {_REFUSALS[found[1]]} ({found[1]}); {_KEYS}")
    if isinstance(cause, pa.ArrowException):
        return LakeError(f"{store}: {_first_line(cause)}")
    return LakeAwayError(f"{store}: the store cannot be reached or cannot answer now: {_first_line(cause)}")


def _first_line(cause: Exception) -> str:
    return (str(cause).splitlines() or [type(cause).__name__])[0][:300]
