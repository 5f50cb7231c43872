"""What a page shows of one check, and how much of anything it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.errors import Outcome
from grader.printable import printable
from grader.records import Audience, SourceText
from grader.report.code import Excerpt, excerpts_of
from grader.report.places import line_in, place_of
from grader.report.schema import CheckResult, Frame
from grader.report.staff import staff_text
from grader.report.wording import DEVICE_WORDS, OUTCOME_SENTENCES, OUTCOME_WORDS, score_text

SIGNS = {"good": "✓", "bad": "✗", "odd": "–"}
_ODD: frozenset[Outcome] = frozenset({"skipped", "harness_error", "not_attempted", "missing"})


@dataclass(frozen=True)
class Fullness:
    """How much a page shows; less of it where all would be too long. `text` is in characters of one text."""

    pictures: bool = True
    code: bool = True
    output: bool = True
    text: int = 20_000
    told: str = ""


@dataclass(frozen=True)
class CheckView:
    """One check. `tone` is good, bad or odd; a sign and a word say the same."""

    title: str
    tone: str
    sign: str
    outcome: str
    points: str
    is_hidden: bool
    message: str = ""
    detail: str = ""
    excerpts: tuple[Excerpt, ...] = ()
    frames: tuple[Frame, ...] = ()
    same_as: str = ""
    diagnosis: str = ""
    hint: str = ""
    devices: str = ""
    staff: str = ""

    @property
    def passed(self) -> bool:
        return self.tone == "good"

    @property
    def has_details(self) -> bool:
        return bool(
            self.message
            or self.excerpts
            or self.same_as
            or self.frames
            or self.diagnosis
            or self.hint
            or self.devices
            or self.staff
        )


def said_often(checks: Sequence[CheckView]) -> tuple[str, ...]:
    """Diagnoses that several checks share: said once, at the head of the exercise."""
    said = [view.diagnosis for view in checks if view.diagnosis]
    return tuple(text for text in dict.fromkeys(said) if said.count(text) > 1)


def without_repetition(checks: Iterable[CheckView], diagnoses: Sequence[str]) -> list[CheckView]:
    """Lines of code are shown with the first check that stops there, shared diagnoses not at all."""
    shown: dict[tuple[tuple[str, int], ...], str] = {}
    kept = []
    for view in checks:
        once = replace(view, diagnosis="") if view.diagnosis in diagnoses else view
        stops = tuple(_marked(view.excerpts, "error"))
        if stops in shown:
            once = replace(once, excerpts=(), frames=(), same_as=shown[stops])
        elif stops:
            shown[stops] = view.title.rstrip(".")
        kept.append(once)
    return kept


def check_view(
    check: CheckResult, sources: Sequence[SourceText], audience: Audience, full: Fullness
) -> CheckView:
    tone = "good" if check.outcome == "passed" else "odd" if check.outcome in _ODD else "bad"
    excerpts = tuple(excerpts_of(check, sources)) if full.code else ()
    found = set(_marked(excerpts))
    message = "" if tone == "good" else check.message or OUTCOME_SENTENCES[check.outcome]
    # What follows the first line is laid out in columns: what was called, came back and was expected.
    first, _, rest = message.partition("\n")
    staff = staff_text(check) if audience == "staff" else ""
    return CheckView(
        title=check.title,
        tone=tone,
        sign=SIGNS[tone],
        outcome=OUTCOME_WORDS[check.outcome],
        points=score_text(check.score, check.max_score),
        is_hidden=check.visibility == "hidden" and audience == "staff",
        message=cut_text(first, full.text),
        detail=cut_text(rest, full.text),
        excerpts=excerpts,
        frames=tuple(frame for frame in check.frames if not _is_in(frame, sources, found)),
        diagnosis=_diagnosis(check, full),
        hint=cut_text(check.hint or "", full.text),
        devices=_devices(check),
        staff=cut_text(staff, full.text),
    )


def bare(view: CheckView) -> CheckView:
    """Its title and how it ended, and nothing else."""
    return CheckView(view.title, view.tone, view.sign, view.outcome, view.points, view.is_hidden)


def _marked(excerpts: Iterable[Excerpt], kind: str = "") -> Iterator[tuple[str, int]]:
    """Path and line of every mark, of one kind if it is given."""
    for excerpt in excerpts:
        for piece in excerpt.pieces:
            own = [mark for line in piece for mark in line.marks]
            yield from ((excerpt.path, mark.line) for mark in own if kind in ("", mark.kind))


def _is_in(frame: Frame, sources: Sequence[SourceText], found: set[tuple[str, int]]) -> bool:
    """Is the frame's line one of those that the excerpts mark?"""
    place = place_of(frame)
    if place is None:
        return False
    return any((source.path, line_in(source, place)) in found for source in sources)


def _diagnosis(check: CheckResult, full: Fullness) -> str:
    if check.diagnosis is None:
        return ""
    what = check.diagnosis.misconception.replace("_", " ")
    return cut_text(f"{what}. {check.diagnosis.hint}".strip(), full.text)


def _devices(check: CheckResult) -> str:
    """Where it ran, when another device than the CPU says something of its own."""
    telling = [state for name, state in check.devices.items() if name != "cpu" and state != "not available"]
    if all(state == check.devices.get("cpu", "passed") for state in telling):
        return ""
    return ", ".join(f"{name} {DEVICE_WORDS[state]}" for name, state in check.devices.items())


def cut_text(text: str, limit: int) -> str:
    return printable(text, limit) if text else ""  # most texts of most checks are empty
