"""The resources of the API: what the application serves and its OpenAPI document describes."""

from fastapi import APIRouter

from hntes.web.api import (
    audit,
    backtests,
    bulk_approval,
    calendar,
    change_files,
    change_pairs,
    changes,
    decisions,
    deliveries,
    overrides,
    pairs,
    reservations,
    routers,
    sites,
    status,
    traffic,
)

_MODULES = (
    *(status, routers, changes, change_pairs, change_files, bulk_approval, decisions, pairs, traffic, overrides),
    *(deliveries, reservations, calendar, audit, backtests, sites),
)
RESOURCES: tuple[APIRouter, ...] = tuple(each.routes for each in _MODULES)
