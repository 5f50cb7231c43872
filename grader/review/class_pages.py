"""The class: its list, its clusters, its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Request
from fastapi import Query as FromQuery
from starlette.responses import HTMLResponse

from grader.report.schema import ReportStatus
from grader.report.wording import OUTCOME_WORDS
from grader.review.bars import draw_bars
from grader.review.desk import Desk
from grader.review.desk_query import MOST_PER_PAGE, Query
from grader.review.desk_records import DeskError, Facets, Line
from grader.review.rendering import REPORT_STATES, page, words
from grader.review.site import TheSite, TheVisitor

router = APIRouter()

CLUSTERS_SHOWN = 5  # beside the list of a class; all have a page of their own
HISTORY_SHOWN = 50
LARGEST_NUMBER = 1 << 53  # of an action, in an address
_LONGEST_CHOICE = 90  # characters of one line in a list to choose from

Choices = list[tuple[str, str]]


@router.get("/")
def show_class(request: Request, site: TheSite, visitor: TheVisitor) -> HTMLResponse:
    """The list, filtered and sorted as the address says, with what it is a part of."""
    query = Query.from_params(request.query_params)
    desk = site.desk
    clusters = desk.clusters(query)
    distribution = desk.distribution(query)
    facets = desk.facets()
    shown: dict[str, Any] = {
        "version": desk.version(),  # before the list: what comes between is then a conflict, not a surprise
        "query": query,
        "listing": desk.listing(query),
        "facets": facets,
        "choices": _choices(facets),
        "bars": draw_bars(distribution),
        "distribution": distribution,
        "clusters": clusters[:CLUSTERS_SHOWN],
        "cluster_count": len(clusters),
        "has_more_filters": bool(
            {"check", "outcome", "misconception", "note", "overridden", "commented"} & query.params().keys()
        ),
    }
    return page(request, site, visitor, "class.html", **shown)


def _choices(facets: Facets) -> Mapping[str, Choices]:
    """What the lists of the filters offer: only what somebody in this class has, with the count."""
    outcomes: Counter[Any] = Counter()
    for check in facets.checks:
        outcomes.update(check.outcomes)
    titles = {one.stem: one.title for one in facets.exercises}
    attempted = {one.stem for one in facets.exercises if one.attempted}
    statuses = [*get_args(ReportStatus), "not_graded"]
    return {
        "exercise": [
            (one.stem, f"{one.title} ({one.not_full})") for one in facets.exercises if one.attempted
        ],
        "check": [
            (
                one.id,
                _cut(f"{titles.get(one.exercise, one.exercise)}: {one.title}", sum(one.outcomes.values())),
            )
            for one in facets.checks
            if one.outcomes and one.exercise in attempted
        ],
        "outcome": [(one, f"{OUTCOME_WORDS[one]} ({count})") for one, count in outcomes.most_common()],
        "misconception": [(one.key, _cut(words(one.key), one.count)) for one in facets.misconceptions],
        "note": [(one.key, _cut(one.key, one.count)) for one in facets.notes],
        "status": [
            (one, f"{REPORT_STATES[one]} ({facets.statuses[one]})")
            for one in statuses
            if facets.statuses.get(one)
        ],
    }


def _cut(text: str, count: int) -> str:
    short = text if len(text) <= _LONGEST_CHOICE else f"{text[: _LONGEST_CHOICE - 1]}…"
    return f"{short} ({count})"


@router.get("/clusters")
def show_clusters(request: Request, site: TheSite, visitor: TheVisitor) -> HTMLResponse:
    return page(request, site, visitor, "clusters.html", clusters=site.desk.clusters())


@router.get("/clusters/{key}")
def show_cluster(request: Request, site: TheSite, visitor: TheVisitor, key: str) -> HTMLResponse:
    """One cluster: what is common, who is in it, and what can be done for all of them at once."""
    version = site.desk.version()
    cluster = site.desk.cluster(key)
    if cluster is None:
        raise DeskError(
            "There is no such cluster any more: its submissions were graded again, or changed.",
            hint="Open the clusters as they are now.",
        )
    example = site.desk.submission(cluster.members[0])
    shown: dict[str, Any] = {
        "version": version,
        "cluster": cluster,
        "members": _members(site.desk, key),
        "example": next((one for one in example.exercises if one.stem == cluster.exercise), None),
    }
    return page(request, site, visitor, "cluster.html", **shown)


def _members(desk: Desk, key: str) -> list[Line]:
    """All of them on one page: what is done, is done for those that were seen."""
    first = desk.listing(Query(cluster=key, per_page=MOST_PER_PAGE))
    rest = [
        desk.listing(Query(cluster=key, per_page=MOST_PER_PAGE, page=at)) for at in range(2, first.pages + 1)
    ]
    return [line for part in (first, *rest) for line in part.lines]


@router.get("/history")
def show_history(
    request: Request,
    site: TheSite,
    visitor: TheVisitor,
    before: Annotated[int | None, FromQuery(ge=1, le=LARGEST_NUMBER)] = None,
) -> HTMLResponse:
    actions = site.desk.history(limit=HISTORY_SHOWN + 1, before=before)
    shown: dict[str, Any] = {
        "version": site.desk.version(),
        "actions": actions[:HISTORY_SHOWN],
        "older": actions[HISTORY_SHOWN - 1].number if len(actions) > HISTORY_SHOWN else None,
        "is_first": before is None,
    }
    return page(request, site, visitor, "history.html", **shown)
