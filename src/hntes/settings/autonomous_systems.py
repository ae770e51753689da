"""Tables of the autonomous systems that originate prefixes, for sums of alpha traffic by AS."""

from hntes.settings.names import FilePath
from hntes.settings.section import Section


class AutonomousSystems(Section):
    """Whose prefixes hosts are in, on the review page and by `hntes flows --by as`. Nothing is decided by it.

    Of several prefixes that hold a host the longest counts; of the same prefix in several rows the first.
    """

    tables: tuple[FilePath, ...] = ()
    """files of prefixes with their AS: CAIDA's prefix2as, or CSV as of GeoLite2-ASN; gzip by the name's end .gz"""
