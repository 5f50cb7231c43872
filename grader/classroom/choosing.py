"""Who and which exercises a run of `grade batch` is about, and what it refuses before anything is written."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterator, Sequence

from grader.catalog import Assignment
from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.identities import clean
from grader.classroom.options import BatchOptions
from grader.classroom.records import Found, UsageError
from grader.classroom.wording import some_of
from grader.printable import printable
from grader.report.schema import Report
from grader.score.unscored import chosen_exercises

NAMES_SHOWN = 5


def is_chosen(found: Found, options: BatchOptions) -> bool:
    """Is it one of those that this run is about?"""
    return (not options.ids or found.id in options.ids) and is_named(found, options.only)


def is_named(found: Found, patterns: Sequence[str]) -> bool:
    """Does one of the patterns fit the id, a name or a number of who it is? Without patterns: yes."""
    if not patterns:
        return True
    lowered = [name.lower() for name in _names(found)]
    return any(fnmatch.fnmatchcase(name, pattern.lower()) for name in lowered for pattern in patterns)


def _names(found: Found) -> list[str]:
    names = [found.id]
    for person in (found.student, *found.group):
        names += [person.name, person.login, person.email, person.sis_id, person.lms_id]
    return [name for name in names if name]


def idle_patterns(found: Sequence[Found], patterns: Sequence[str]) -> list[str]:
    """The patterns that fit nobody.

    Raises:
        UsageError: all of them do.
    """
    idle = [pattern for pattern in patterns if not any(is_named(one, (pattern,)) for one in found)]
    if not patterns or len(idle) < len(patterns):
        return idle
    shown = " or ".join(f"`--only {clean(pattern)}`" for pattern in idle)
    ids = f"Ids: {_some([one.id for one in found])}." if found else "There is none."
    raise UsageError(
        f"No submission fits {shown}: no id, name, login, e-mail or number. {ids}", hint=_near(found, idle)
    )


def _near(found: Sequence[Found], patterns: Sequence[str]) -> str:
    known = {name.lower(): one.id for one in found for name in _names(one)}
    bare = [pattern.lower().strip("*?") for pattern in patterns]
    near = [name for one in bare for name in difflib.get_close_matches(one, known, n=2, cutoff=0.5)]
    ids = dict.fromkeys(known[name] for name in near)
    return f"Did you mean {' or '.join(f'`{one}`' for one in ids)}?" if ids else ""


def kept_choice(settings: BatchSettings, options: BatchOptions, assignment: Assignment) -> Iterator[str]:
    """That only some exercises are graded, where this run did not ask for them."""
    chosen = [spec.stem for spec in chosen_exercises(assignment, settings.exercises)]
    if options.exercises is None and len(chosen) < len(assignment.stems):
        yield (
            f"Exercises as the run before chose them, only {_some(chosen)}. "
            f"`grade batch PATH -o {options.folder}` chooses all."
        )


def keep_larger_results(
    folder: BatchFolder,
    settings: BatchSettings,
    options: BatchOptions,
    assignment: Assignment,
    found: Sequence[Found],
) -> None:
    """Refuse to mix results of some exercises with those of more, or to put them in their place.

    `--force` does it all the same. Results of fewer exercises than are graded now may always go.

    Raises:
        UsageError: the folder has results of exercises that this run leaves out.
    """
    chosen = [spec.stem for spec in chosen_exercises(assignment, settings.exercises)]
    left_out = set(assignment.stems) - set(chosen)
    if options.force or not left_out:
        return
    larger = [report for one in found if (report := _larger(folder, one, left_out)) is not None]
    if not larger:
        return
    first, place = larger[0], printable(str(folder.path), one_line=True)
    results = "1 result" if len(larger) == 1 else f"{len(larger)} results"
    raise UsageError(
        f"`{place}` holds {results} with exercises that this run leaves out: `{first.submission.id}` has "
        f"{len(first.exercises)} exercises and {first.max_score:g} points in "
        f"`{place}/results/{first.submission.id}.json`, and this run has only {_some(chosen)}.",
        hint=_way_out(place, chosen, is_asked=options.exercises is not None),
    )


def _larger(folder: BatchFolder, found: Found, left_out: set[str]) -> Report | None:
    """The result of a submission if it has one of these exercises."""
    stored = folder.stored(found.id)
    if stored is None or stored.report is None:
        return None
    has_more = any(exercise.stem in left_out for exercise in stored.report.exercises)
    return stored.report if has_more else None


def _some(names: Sequence[str]) -> str:
    return some_of(names, NAMES_SHOWN, lambda name: f"`{name}`")


def _way_out(place: str, chosen: Sequence[str], *, is_asked: bool) -> str:
    if not is_asked:
        return (
            "The run before chose them. Name the submissions (`grade batch PATH -o "
            f"{place}`) to grade all exercises, or add `--force` to replace the results."
        )
    name = f"{place}-{chosen[0] if len(chosen) == 1 else 'part'}"
    return f"Name another folder (`grade batch PATH -o {name}`), or add `--force` to replace the results."
