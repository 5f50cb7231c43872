"""What all pages of one running server share, and how a page comes by it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from grader.review.address import Address
from grader.review.desk import Desk
from grader.review.desk_accounts import Accounts
from grader.review.desk_records import DeskError
from grader.review.regrading import Regrades
from grader.review.sessions import Sessions, Tries, Visitor

_WARNINGS_KEPT = 200


class NotSignedIn(DeskError):
    """Nobody is known to be looking: there is no session, or it has ended."""


class FormExpired(DeskError):
    """The form is not one of this session."""


@dataclass
class Warnings:
    """What an action could not do beside its own work, by the action's number; the oldest go first."""

    _texts: OrderedDict[int, str] = field(default_factory=OrderedDict)

    def keep(self, action: int, text: str) -> None:
        if text:
            self._texts[action] = text
        while len(self._texts) > _WARNINGS_KEPT:
            self._texts.popitem(last=False)

    def of(self, action: int) -> str:
        return self._texts.get(action, "")


@dataclass(frozen=True)
class Site:
    """`token` opens the pages where there are no accounts, for `who`; it is empty where there are some.

    `database` is the URL that the batch was kept in, if it was not its own folder.
    """

    desk: Desk
    address: Address
    accounts: Accounts
    token: str = ""
    who: str = ""
    database: str | None = None
    is_read_only: bool = False
    sessions: Sessions = field(default_factory=Sessions)
    tries: Tries = field(default_factory=Tries)
    warnings: Warnings = field(default_factory=Warnings)
    regrades: Regrades = field(default_factory=Regrades)

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart, so the name does. `__Host-` is only for https."""
        name = f"grade-review-{self.address.port}"
        return f"__Host-{name}" if self.address.is_https else name


def site_of(request: Request) -> Site:
    return cast(Site, request.app.state.site)


TheSite = Annotated[Site, Depends(site_of)]


def visitor_of(request: Request, site: TheSite) -> Visitor:
    """Whose session it is.

    Raises:
        NotSignedIn: nobody's.
    """
    visitor = site.sessions.find(request.cookies.get(site.cookie, ""))
    if visitor is None or (not site.token and visitor.name not in site.accounts.names()):
        raise NotSignedIn("You are not signed in, or not any more.")
    return visitor


TheVisitor = Annotated[Visitor, Depends(visitor_of)]
