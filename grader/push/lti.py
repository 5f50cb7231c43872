"""LTI 1.3 Assignment and Grade Services: a line item, its results, and scores with rising timestamps."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from grader.exports.escaping import without_tags
from grader.exports.filling import is_same_number
from grader.exports.points import plain
from grader.exports.results.lti_ags import CANVAS, time_text
from grader.printable import printable
from grader.push.errors import ConflictError, PushError, RefusedError
from grader.push.ledger import Entry
from grader.push.lti_access import LtiAccess, expect_json, said
from grader.push.planning import Standing, Step

SCORE = "application/vnd.ims.lis.v1.score+json"
LINE_ITEM = "application/vnd.ims.lis.v2.lineitem+json"
LINE_ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json"
RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
MAX_PAGES = 1000
_BAD, _CONFLICT = 400, 409


def find_line_item(access: LtiAccess, line_items: str, *, resource: str, label: str) -> dict[str, Any] | None:
    """The line item of ours: by `resourceId`, else the only one with this label; None if there is none.

    Raises:
        PushError: several fit.
    """
    found = _pages(access, line_items, LINE_ITEMS)
    for name, wanted in (("resourceId", resource), ("label", label)):
        fitting = [item for item in found if isinstance(item, dict) and item.get(name) == wanted]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            shown = printable(wanted, 100, one_line=True)
            raise PushError(
                f"{len(fitting)} line items have the {name} `{shown}`.", hint="Name one with --line-item."
            )
    return None


def create_line_item(
    access: LtiAccess, line_items: str, *, resource: str, label: str, maximum: float
) -> dict[str, Any]:
    """A new line item, as the platform gives it back."""
    fields = {"label": label, "scoreMaximum": plain(maximum), "resourceId": resource}
    answer = access.request(
        "POST",
        line_items,
        accept=LINE_ITEM,
        kind=LINE_ITEM,
        body=json.dumps(fields, allow_nan=False).encode(),
    )
    item: dict[str, Any] = expect_json(answer, dict)
    return item


def read_line_item(access: LtiAccess, address: str) -> dict[str, Any]:
    item: dict[str, Any] = expect_json(access.request("GET", address, accept=LINE_ITEM), dict)
    return {"id": address, **item}


def below(line_item: str, name: str) -> str:
    """The address of a line item's scores or results: in the path, before what follows the `?`."""
    parts = urlsplit(line_item)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{name}"))


def _pages(access: LtiAccess, address: str, accept: str) -> list[Any]:
    """All pages of a list, by the links that the platform gives, in its own letter case."""
    found: list[Any] = []
    for _ in range(MAX_PAGES):
        answer = access.request("GET", address, accept=accept)
        found += expect_json(answer, list)
        following = answer.links.get("next", {}).get("url")
        if not following:
            return found
        address = urljoin(address, following)
    raise PushError(f"The platform's list has more than {MAX_PAGES} pages.")


class LtiDoor:
    """One line item. With `is_canvas` Canvas is asked to make no new attempt."""

    def __init__(self, access: LtiAccess, item: dict[str, Any], *, is_canvas: bool = False) -> None:
        address, maximum = item.get("id"), _number(item.get("scoreMaximum"))
        if not isinstance(address, str) or maximum is None or maximum <= 0:
            raise PushError("The platform's line item has no address or no maximum above zero.")
        self.address = address
        self.maximum = maximum
        self.destination = f"lti {address}"
        self._access = access
        self._is_canvas = is_canvas

    def standings(self) -> dict[str, Standing]:
        """The results that the platform has, by its id of the student."""
        results = _pages(self._access, below(self.address, "results"), RESULTS)
        return {str(one["userId"]): _standing(one, self.maximum) for one in results if "userId" in one}

    def send(self, step: Step) -> None:
        body = json.dumps(self._score(step), ensure_ascii=False, allow_nan=False).encode()
        answer = self._access.request("POST", below(self.address, "scores"), kind=SCORE, body=body)
        is_older = answer.status_code == _BAD and "timestamp" in answer.text.lower()  # Canvas' way to say so
        if answer.status_code == _CONFLICT or is_older:
            raise ConflictError(
                f"The platform has a newer score ({answer.status_code}).",
                hint="Look at it there; --overwrite sends ours with the present time.",
            )
        if not answer.is_success:
            raise RefusedError(f"The platform refuses it ({answer.status_code}).", hint=said(answer))

    def _score(self, step: Step) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "userId": step.user,
            "timestamp": time_text(datetime.fromisoformat(step.entry.stamp)),
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
            "scoreGiven": plain(step.points),
            "scoreMaximum": plain(self.maximum),
        }
        if step.comment:
            # Some platforms show a comment as text, some as a page.
            fields["comment"] = without_tags(step.comment)
        if self._is_canvas:
            fields[CANVAS] = {"new_submission": False}
        return fields

    def has_received(self, user: str, entry: Entry) -> bool:
        return is_same_number(self.standings().get(user, Standing()).text, entry.grade)


def _standing(result: dict[str, Any], maximum: float) -> Standing:
    """A result in points of the line item; a result may have a maximum of its own."""
    score, own = _number(result.get("resultScore")), _number(result.get("resultMaximum"))
    if score is None:
        return Standing()
    return Standing(score * maximum / own if own else score)


def _number(value: object) -> float | None:
    """A JSON number; None for anything else, also for true and false."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
