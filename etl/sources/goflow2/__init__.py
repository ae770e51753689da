"""JSON lines of goflow2 (file transport, or what was consumed from Kafka)."""

from hntes.etl.sources.goflow2.source import Goflow2Source

__all__ = ["SOURCE"]

SOURCE = Goflow2Source()
