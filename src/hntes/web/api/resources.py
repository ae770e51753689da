"""The resources of the API: what the application serves and its OpenAPI document describes."""

from fastapi import APIRouter

from hntes.web.api import reservations

RESOURCES: tuple[APIRouter, ...] = (reservations.routes,)
