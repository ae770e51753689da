"""Errors of the database."""

from hntes.errors import HntesError


class StoreError(HntesError):
    """Base of all errors of this package."""


class DatabaseUrlError(StoreError):
    """The database URL cannot be used."""


class DatabaseUnreachableError(StoreError):
    """The database does not answer, or refuses the login."""


class FullDiskError(DatabaseUnreachableError):
    """The disk of a database of SQLite is full: nothing can be written, and it may not even be opened."""


class SchemaVersionError(StoreError):
    """The database's schema is not the one that this program was written for."""


class InvalidEntryError(StoreError):
    """An entry that must not be written: the message names the field and why."""


class UnknownEntryError(StoreError):
    """The entry that was to be changed is not there."""


class BrokenLogError(StoreError):
    """The audit log was altered, or contradicts the tables."""
