"""Pages and files that are nothing but the texts of a change."""

from collections.abc import Iterator
from contextlib import contextmanager

from hntes.rules.changeset.candidate import CandidateStoreError
from hntes.web.errors import RefusedError
from hntes.workflow.context import Context
from hntes.workflow.review.changes import Change
from hntes.workflow.review.lost_texts import lost_words


@contextmanager
def reading_texts(context: Context, entry: Change) -> Iterator[None]:
    """While the texts of a change are read.

    Raises:
        RefusedError: they are not there (404), with what can be done.
    """
    try:
        yield
    except CandidateStoreError as cause:
        raise RefusedError(404, f"{entry.change_id}: {lost_words(context, entry, cause)}") from cause
