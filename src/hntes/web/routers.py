"""The list of routers, with a search."""

from datetime import date

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.settings.model import Router
from hntes.web.figures import Spark, spark
from hntes.web.pair import last_full_day
from hntes.web.request import visiting
from hntes.web.standing import standing_words
from hntes.workflow.reports.overview import RouterOverview, overview

routes = APIRouter()
SPARK_DAYS, SPARK_DAY_WIDTH, SPARK_HEIGHT = 30, 4, 20
# Limit of the list; a search finds the others.
MOST_ROUTERS = 200


@routes.get("/routers")
def routers(request: Request, q: str = "") -> Response:
    """The routers whose name, platform or plan contains all words of the search."""
    with visiting(request) as visit:
        words = q.lower().split()
        known = visit.context.settings.routers
        found = [each for each in known if all(word in named(each) for word in words)]
        day = last_full_day(visit)
        rows = overview(visit.context, found[:MOST_ROUTERS], day, SPARK_DAYS)
        values = {
            "q": q, "known": len(known), "found": len(found), "left": max(len(found) - MOST_ROUTERS, 0),
            "spark_days": SPARK_DAYS, "rows": [(each, _delivery(each), _spark(each, day)) for each in rows],
        }  # fmt: skip
        return visit.page("routers.html.j2", values)


def named(router: Router) -> str:
    """What a search looks at, in small letters."""
    return f"{router.name} {router.platform} {router.plan}".lower()


def _spark(one: RouterOverview, day: date) -> Spark:
    return spark(one.alpha_bytes, day, day_width=SPARK_DAY_WIDTH, height=SPARK_HEIGHT)


def _delivery(one: RouterOverview) -> tuple[str, bool]:
    """How far the approved configuration has come, and whether nothing is left to do."""
    if one.progress.approved is None:
        return "nothing approved", False
    return standing_words(one.progress, one.drift)
