"""Errors of the ETL stages."""

from hntes.errors import HntesError


class EtlError(HntesError):
    """Base of all errors of this package."""


class UnreadableFileError(EtlError):
    """A flow file that cannot be read as a whole; it is set aside with this message as its reason."""


class UnreadForNowError(UnreadableFileError):
    """A flow file that could not be read this time: the next run tries it again."""


class StoppedProgramError(UnreadForNowError):
    """A program was stopped at its limit while it read a flow file."""


class WorkerEndedError(EtlError):
    """Each process that read a flow file was killed from outside."""


class FlowFolderError(EtlError):
    """A flow folder that is missing, may not be read, or holds nothing that could be flow files."""


class MissingFolderError(FlowFolderError):
    """A flow folder that does not exist."""


class FolderAwayError(EtlError):
    """A flow folder that does not answer now, or with an error of its file system: it may be read later."""


class LakeError(EtlError):
    """The lake cannot be read, or its parts are not those of the ledger."""


class LakeAwayError(LakeError):
    """The lake's store cannot be reached or cannot answer now: it may later."""


class ScratchError(EtlError):
    """The folder for temporary files has no room for what work needs there: somebody has to make some."""


class GonePartError(LakeError):
    """The lake lacks a part that the ledger lists."""

    @classmethod
    def of(cls, part: object) -> "GonePartError":
        """Names the part and what to do."""
        return cls(f"{part}: the ledger names this part but it is gone; restore it, or ingest its file again")


class ForeignPartError(LakeError):
    """A part of the lake that is not written as ingest writes it."""


class ChangedPartError(LakeError):
    """A part of the lake that is not what was written."""


class QueryLimitError(EtlError):
    """A query over the lake needs more time, memory or disk than the settings give it."""
