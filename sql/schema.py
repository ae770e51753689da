"""All tables: each is declared in the module that reads and writes it."""

from hntes.sql import (  # noqa: F401  # declare their tables
    approved_texts,
    audit,
    change_table,
    counter_readings,
    day_status,
    edge_changes,
    host_totals,
    interface_loads,
    judgements,
    ledger,
    observations,
    overrides,
    quotas,
    reservations,
    simulated_runs,
)
from hntes.sql.table import METADATA as METADATA
