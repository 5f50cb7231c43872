"""What has to be sent to whom: the grades that count, against what the platform has and what was sent."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from grader.exports.classgrades import ClassGrades, Student
from grader.exports.feedback import Feedback, feedback_text
from grader.exports.filling import grade_text, is_same_number
from grader.exports.fitting import cut
from grader.exports.gradefile import Kept, points_for
from grader.push.ledger import Entry, Ledger

COMMENT_CHARACTERS = 4000
MARK_BYTES = 4
# Platforms compare whole seconds.
STEP = timedelta(seconds=1)


class Recipient(NamedTuple):
    """A student and the id under which the platform knows them; `shown` is for people."""

    shown: str
    user: str
    student: Student


@dataclass(frozen=True)
class Standing:
    """What the platform has: a score or none. `locked` says why it must stay, as the end of a sentence."""

    score: float | None = None
    locked: str = ""

    @property
    def text(self) -> str:
        return "" if self.score is None else grade_text(self.score)


@dataclass(frozen=True)
class Wishes:
    """How to send: `maximum` is the platform's, None if it has none.

    `overwrite` replaces grades that were changed on the platform by hand.
    """

    maximum: float | None = None
    scale: bool = False
    overwrite: bool = False
    comments: bool = True
    files: bool = True


@dataclass(frozen=True)
class Step:
    """One thing to send. `comment` is empty and `page` None where the platform has them already."""

    who: str
    user: str
    before: str
    points: float
    sends_grade: bool
    comment: str
    page: Feedback | None
    entry: Entry


@dataclass(frozen=True)
class Plan:
    """All steps; who is kept as they are, and why; how many have everything."""

    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    same: int = 0


@dataclass(frozen=True)
class Planner:
    """Decides for each student; sends nothing and changes nothing."""

    grades: ClassGrades
    standings: Mapping[str, Standing]
    ledger: Ledger
    wishes: Wishes
    now: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    def plan(self, recipients: Iterable[Recipient]) -> Plan:
        """The steps for all recipients.

        Raises:
            ExportError: the points of platform and batch do not go together.
        """
        steps, kept, same = [], [], 0
        for recipient in recipients:
            reason = self._why_kept(recipient)
            if reason:
                kept.append(Kept(recipient.shown, reason))
                continue
            step = self._step(recipient)
            by_hand = "" if step is None or self.wishes.overwrite else self._changed_by_hand(recipient.user)
            if by_hand:
                kept.append(Kept(recipient.shown, by_hand))
            elif step is None:
                same += 1
            else:
                steps.append(step)
        return Plan(tuple(steps), tuple(kept), same)

    def _why_kept(self, recipient: Recipient) -> str:
        if recipient.student.score is None:
            return f"{recipient.student.why_not}: left as it was"
        return self._standing(recipient.user).locked

    def _standing(self, user: str) -> Standing:
        return self.standings.get(user, Standing())

    def _changed_by_hand(self, user: str) -> str:
        """Is the platform's grade another one than the one that was last sent?"""
        sent, standing = self.ledger.sent(user), self._standing(user)
        if sent is None or self.ledger.begun(user) or is_same_number(standing.text, sent.grade):
            return ""
        has = f"is {standing.text}" if standing.text else "was removed"
        return f"the grade {has} there and {sent.grade} was sent: changed by hand? --overwrite replaces it"

    def _step(self, recipient: Recipient) -> Step | None:
        """What is to send; None if the platform has it all."""
        user, student = recipient.user, recipient.student
        sent, standing = self.ledger.sent(user), self._standing(user)
        points = round(points_for(student, self.wishes.maximum, scale=self.wishes.scale), 2)
        grade = grade_text(points)
        comment, page = self._feedback(student)
        digest = _digest(comment, page)
        sends_comment = bool(digest) and digest != (sent.comment if sent else "")
        sends_grade = not is_same_number(standing.text, grade)
        if not sends_grade and not sends_comment:
            return None
        kept_digest = sent.comment if sent else ""
        entry = Entry(
            grade=grade,
            comment=digest if sends_comment else kept_digest,
            mark=secrets.token_hex(MARK_BYTES) if sends_comment else "",
            stamp=self._stamp(user, student),
        )
        return Step(
            who=f"{recipient.shown} ({student.remark})" if student.remark else recipient.shown,
            user=user,
            before=standing.text,
            points=points,
            sends_grade=sends_grade,
            comment=comment if sends_comment else "",
            page=page if sends_comment else None,
            entry=entry,
        )

    def _feedback(self, student: Student) -> tuple[str, Feedback | None]:
        text = feedback_text(self.grades, student) if self.wishes.comments else None
        page = self.grades.page(student.submission) if self.wishes.files else None
        return cut(text or "", COMMENT_CHARACTERS), None if page is None else Feedback(".html", page)

    def _stamp(self, user: str, student: Student) -> str:
        """When it was graded, but later than everything that was sent for this student."""
        report = self.grades.report(student.submission)
        moment = self.now
        if report is not None and not self.wishes.overwrite:
            moment = report.started_at + timedelta(seconds=report.duration_s)
        for older in (self.ledger.sent(user), self.ledger.begun(user)):
            if older is not None and older.stamp:
                moment = max(moment, datetime.fromisoformat(older.stamp) + STEP)
        return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds")


def _digest(comment: str, page: Feedback | None) -> str:
    if not comment and page is None:
        return ""
    made = hashlib.sha256(comment.encode())
    made.update(b"\0" + (page.content if page else b""))
    return made.hexdigest()[:32]
