"""JSON lines of pmacct's daemons (print plugin, or what was consumed from Kafka)."""

from hntes.etl.sources.pmacct.source import PmacctSource

__all__ = ["SOURCE"]

SOURCE = PmacctSource()
