"""All tables: each is declared in the module that reads and writes it."""

from hntes.sql import (  # noqa: F401  # declare their tables
    ageing_rules,
    announced,
    approved_texts,
    audit,
    change_facts,
    changes,
    counter_hours,
    counter_readings,
    day_status,
    holds,
    host_totals,
    interface_loads,
    judgements,
    ledger,
    load_profiles,
    notices_sent,
    observations,
    overrides,
    queued_days,
    quotas,
    reservations,
    set_aside,
    settings_seen,
    simulated_runs,
)
from hntes.sql.table import METADATA as METADATA
