"""What a page shows of a report, in its words and its order; the templates add the markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.records import Audience, SourceText
from grader.report.code import Excerpt, Mark, find_line, whole
from grader.report.html_checks import (
    SIGNS,
    CheckView,
    Fullness,
    bare,
    check_view,
    cut_text,
    said_often,
    without_repetition,
)
from grader.report.pictures import figure
from grader.report.schema import ExerciseResult, ExerciseStatus, Report, ReportNote
from grader.report.wording import (
    OUTCOME_WORDS,
    STATUS_WORDS,
    score_text,
    seconds_text,
)

MAX_NOTES = 60
_TONES: dict[ExerciseStatus, str] = {"passed": "good", "partial": "bad", "failed": "bad"}
_NOT_RUN: frozenset[ExerciseStatus] = frozenset({"not_attempted", "missing", "unreadable"})
_FOLLOW_THROUGH = (
    "A mistake counts once: this exercise was graded with the reference in place of what it uses of an "
    "earlier exercise."
)
_NO_DETAILS = "Details of its checks are not shown, because they could hold the answer."
_OWN_PICTURE = "Pictures are of your own code, with your own version of the earlier exercise in it."


@dataclass(frozen=True)
class ExerciseView:
    """One exercise. `share` is what part of its points it got, None if they are not known.

    `idle` are its checks where none could be run.
    """

    anchor: str
    title: str
    tone: str
    sign: str
    status: str
    points: str
    share: float | None
    is_extension: bool
    told: tuple[str, ...]
    diagnoses: tuple[str, ...]
    wrong: tuple[CheckView, ...]
    right: tuple[CheckView, ...]
    idle: tuple[CheckView, ...]
    pictures: tuple[Markup, ...]
    no_picture: str
    stdout: str

    @property
    def has_card(self) -> bool:
        """An extension that nobody began is named in the overview only."""
        return not (self.is_extension and self.idle)


def exercise_view(
    exercise: ExerciseResult, sources: Sequence[SourceText], audience: Audience, full: Fullness
) -> ExerciseView:
    checks = [check_view(check, sources, audience, full) for check in exercise.checks]
    diagnoses = said_often(checks)
    checks = without_repetition(checks, diagnoses)
    was_run = exercise.status not in _NOT_RUN
    told = _follow_through(exercise, audience) if was_run else _reasons(checks)
    tone = _TONES.get(exercise.status, "odd")
    return ExerciseView(
        anchor=f"ex-{exercise.stem}",
        title=exercise.title,
        tone=tone,
        sign=SIGNS[tone],
        status=STATUS_WORDS[exercise.status],
        points=score_text(exercise.score, exercise.max_score),
        share=_share(exercise),
        is_extension=exercise.track == "extension",
        told=told,
        diagnoses=diagnoses,
        wrong=tuple(view for view in checks if was_run and not view.passed),
        right=tuple(view for view in checks if was_run and view.passed),
        idle=() if was_run else tuple(bare(view) for view in checks),
        pictures=tuple(Markup(figure(picture)) for picture in exercise.pictures) if full.pictures else (),
        no_picture=exercise.no_picture or "",
        stdout=cut_text(exercise.stdout or "", full.text) if full.output else "",
    )


def _share(exercise: ExerciseResult) -> float | None:
    if exercise.score is None:
        return None
    return exercise.score / exercise.max_score if exercise.max_score else 1.0


def _reasons(checks: Iterable[CheckView]) -> tuple[str, ...]:
    """Why nothing could be run: said once, and not with each check."""
    said = dict.fromkeys(view.message for view in checks if view.message)
    hints = dict.fromkeys(f"Hint: {view.hint}" for view in checks if view.hint)
    return (*said, *(hints if len(hints) == 1 else ()))


def _follow_through(exercise: ExerciseResult, audience: Audience) -> tuple[str, ...]:
    if not exercise.follow_through:
        return ()
    hides = audience == "student" and exercise.status != "passed"
    return (
        _FOLLOW_THROUGH,
        *([_NO_DETAILS] if hides else []),
        *([_OWN_PICTURE] if exercise.pictures or exercise.no_picture else []),
    )


def note_text(note: ReportNote) -> str:
    """A note with what it is about, in one line."""
    place = f"`{note.path}`" if note.path else ""
    if note.line is not None:
        place = f"{place} line {note.line}".strip()
    about = ", ".join(part for part in (note.exercise, place) if part and part not in note.text)
    staff = "(for staff) " if note.audience == "staff" else ""
    return f"{staff}{about}: {note.text}" if about else f"{staff}{note.text}"


def note_texts(report: Report, limit: int) -> list[str]:
    notes = report.submission.notes
    shown = [cut_text(note_text(note), limit) for note in notes[:MAX_NOTES]]
    return [*shown, f"and {len(notes) - MAX_NOTES} more"] if len(notes) > MAX_NOTES else shown


def headline(report: Report) -> str:
    """The result in a few words."""
    total = score_text(report.score, report.max_score)
    if report.score is None:
        return "Not graded yet"
    if report.status == "rejected":
        return f"Not accepted: {total}"
    return f"Practice: {total}" if report.status == "practice" else f"{total} points"


def banner(report: Report, told: Iterable[str] = ()) -> tuple[str, ...]:
    """What must be known before anything else, in sentences."""
    sentences = {
        "needs_regrade": ("This is not your fault and costs no points: the course staff grade it again.",),
        "rejected": ("You can fix this and hand it in again.",),
        "practice": ("These are the public checks only. What counts is graded with further, hidden checks.",),
        "graded": (),
    }[report.status]
    reason = (report.status_reason,) if report.status_reason else ()
    return (*reason, *sentences, *told)


def source_views(report: Report, sources: Sequence[SourceText]) -> list[Excerpt]:
    """The files of exercises that are not all right, each once, with every line where a check stopped."""
    shown = []
    for path in dict.fromkeys(e.source.path for e in report.exercises if e.source and e.status != "passed"):
        source = next((source for source in sources if source.path == path), None)
        if source is not None:
            own = [e for e in report.exercises if e.source and e.source.path == path]
            cells = sorted({cell for e in own if e.source for cell in e.source.cells})
            shown.append(whole(source, _marks(own, source), cells))
    return shown


def _marks(exercises: Sequence[ExerciseResult], source: SourceText) -> list[Mark]:
    marks: dict[tuple[int, str], None] = {}
    for exercise in exercises:
        for check in exercise.checks:
            found = find_line(check.frames[-1], (source,)) if check.frames else None
            if found is not None:
                marks[found.line, OUTCOME_WORDS[check.outcome]] = None
    return [Mark(line, text) for line, text in marks]


def footer(report: Report, audience: Audience) -> list[str]:
    """Where and when it was graded; staff learn with what, too."""
    where = report.environment
    lines = [f"Graded by version {where.grader} with torch {where.torch} and Python {where.python}."]
    if audience == "student":
        return lines
    lines.append(
        f"{where.platform}; devices: {', '.join(where.devices) or 'none'}; {seconds_text(report.duration_s)}."
    )
    missing = f", without {', '.join(where.isolation.missing)}" if where.isolation.missing else ""
    lines.append(f"Isolation: {where.isolation.level}{missing}. Seed: {report.seed}.")
    return [*lines, f"Assignment `{report.assignment.id}`, digest {report.assignment.digest[:16]}."]
