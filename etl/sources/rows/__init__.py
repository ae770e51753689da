"""Flow sources whose files are rows of text or of a table: what is common to them.

Such a file has no statistics of its own. A row that cannot be read is a record of the kind MALFORMED: it is counted,
and no other row is lost with it (docs/decisions/0061-flow-sources-beside-nfcapd.md).
"""
