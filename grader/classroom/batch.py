"""`grade batch` without the command line: from paths to results, a summary, grades and a gradebook."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import Assignment
from grader.classroom.choosing import idle_patterns, is_chosen, keep_larger_results, kept_choice
from grader.classroom.discovery import discover
from grader.classroom.folder import BatchFolder, BatchSettings, WrongFolderError, new_settings
from grader.classroom.gradebook import Gradebook, open_database
from grader.classroom.grading import Grading
from grader.classroom.judges import Judges, JudgeSettings, Judging
from grader.classroom.options import BatchOptions
from grader.classroom.pages import Pages
from grader.classroom.progress import Watcher
from grader.classroom.publishing import publish
from grader.classroom.reading import ClassReader
from grader.classroom.records import Discovery
from grader.classroom.roster import load_roster
from grader.classroom.staleness import current_for
from grader.classroom.summary import summary_of, summary_pieces
from grader.classroom.tally import Tally
from grader.classroom.wording import OPENING_LINES, describe_discovery
from grader.report.writing import write_pieces


@dataclass(frozen=True)
class BatchEnd:
    """What became of a class. `graded` were graded in this run, all others had a result that stays.

    `why` says of submissions without a current result why; `gone` are results without a submission.
    """

    folder: Path
    discovery: Discovery
    tally: Tally
    why: Mapping[str, str]
    gone: tuple[str, ...]
    graded: int
    duration_s: float

    @property
    def needs_regrade(self) -> int:
        return self.tally.by_status()["needs_regrade"]


def run_batch(options: BatchOptions, assignment: Assignment, watcher: Watcher) -> BatchEnd:
    """Grade what has no current result, and write what is made from all results.

    Interrupted by KeyboardInterrupt, it writes the same for what is done and raises it again.

    Raises:
        UsageError: nothing was written.
        FolderError, DiscoveryError, GradebookError: nothing was graded.
        AssignmentError, IsolationError, HarnessError: grading had to stop; what is done is kept.
    """
    folder = BatchFolder(options.folder)
    with folder.lock():
        settings = settle(folder, options, assignment)
        discovery = find_class(settings, assignment)
        idle = idle_patterns(discovery.found, options.only)
        keep_larger_results(folder, settings, options, assignment, discovery.found)
        for line in describe_discovery(discovery)[:OPENING_LINES]:  # the rest comes with the table
            watcher.say(line)
        for line in kept_choice(settings, options, assignment):
            watcher.say(line)
        for pattern in idle:
            watcher.say(f"No submission fits `--only {pattern}`.")
        folder.write_settings(settings)
        with _grading(folder, settings, options, assignment, discovery, watcher) as grading:
            return _grade(grading, options, discovery)


def settle(folder: BatchFolder, options: BatchOptions, assignment: Assignment) -> BatchSettings:
    """The folder's settings with what this run asks for."""
    known = folder.read_settings()
    if known is not None and known.assignment != assignment.id:
        raise WrongFolderError(
            f"`{folder.path}` holds results of assignment `{known.assignment}`, not of `{assignment.id}`.",
            hint="Name another folder with -o.",
        )
    if known is None and not options.paths:
        raise WrongFolderError(f"`{folder.path}` holds no batch to go on with.", hint="Name the submissions.")
    settings = known or new_settings(assignment, options.seed)
    if options.paths:
        fresh = new_settings(assignment, settings.seed)
        kept = ("id", "created_at", "seed")
        settings = fresh.model_copy(update={name: getattr(settings, name) for name in kept})
    roster = None if options.roster is None else str(options.roster.resolve())
    asked = {
        "seed": options.seed,
        "exercises": in_order(options.exercises, assignment),
        "device": options.device,
        "isolation": options.isolation,
        "paths": tuple(str(path.resolve()) for path in options.paths) or None,
        "layout": options.layout,
        "roster": roster,
    }
    return settings.model_copy(update={name: value for name, value in asked.items() if value is not None})


def in_order(stems: tuple[str, ...] | None, assignment: Assignment) -> tuple[str, ...] | None:
    """Chosen stems, each once, as the assignment has them."""
    return None if stems is None else tuple(stem for stem in assignment.stems if stem in stems)


def find_class(settings: BatchSettings, assignment: Assignment) -> Discovery:
    roster = None if settings.roster is None else load_roster(Path(settings.roster))
    paths = [Path(path) for path in settings.paths]
    return discover(paths, layout=settings.layout, roster=roster, stems=assignment.stems)


@contextmanager
def _grading(
    folder: BatchFolder,
    settings: BatchSettings,
    options: BatchOptions,
    assignment: Assignment,
    discovery: Discovery,
    watcher: Watcher,
) -> Iterator[Grading]:
    """Everything that grading needs, opened, and closed again whatever happens."""
    with ExitStack() as stack:
        engine = stack.enter_context(open_database(options.database or folder.gradebook))
        book = Gradebook(engine, settings.id)
        book.enter_class(settings, assignment.title, discovery.found)
        chosen = JudgeSettings(
            settings.seed, settings.device, settings.isolation, settings.exercises, options.pages
        )
        yield Grading(
            folder=folder,
            settings=settings,
            assignment=assignment,
            current=current_for(assignment, settings),
            book=book,
            reader=stack.enter_context(ClassReader()),
            judges=stack.enter_context(closing(_judges(options, assignment, chosen, watcher))),
            watcher=watcher,
            pages=Pages(folder, options.pages, watcher.say),
        )


def _judges(
    options: BatchOptions, assignment: Assignment, chosen: JudgeSettings, watcher: Watcher
) -> Judging:
    """On this machine, or on those of a cluster."""
    if options.cluster is None:
        return Judges(assignment, chosen)
    from grader.classroom.cluster.agreement import terms_for
    from grader.classroom.cluster.judges import ClusterJudges

    terms = terms_for(assignment, chosen, options.cluster_assignment)
    return ClusterJudges(options.cluster, terms, watcher.say)


def _grade(grading: Grading, options: BatchOptions, discovery: Discovery) -> BatchEnd:
    began = time.monotonic()
    try:
        grading.look(discovery.found, lambda one: is_chosen(one, options), force=options.force)
        if grading.to_do:
            grading.watcher.say(_plan(grading, len(discovery.found)))
            grading.grade(options.jobs)
        else:
            grading.watcher.say(_nothing(options, discovery))
    finally:
        # Also when stopped: what is written here says what is done, and what is not.
        grading.judges.close()
        grading.flush()
        write_class(grading, discovery)
    return BatchEnd(
        folder=grading.folder.path,
        discovery=discovery,
        tally=grading.tally,
        why=grading.why,
        gone=tuple(grading.gone),
        graded=grading.graded,
        duration_s=time.monotonic() - began,
    )


def _plan(grading: Grading, total: int) -> str:
    """What is graded and why, where it is not simply everything for the first time."""
    reasons: dict[str, int] = {}
    for one in grading.to_do:
        reasons[grading.why[one.id]] = reasons.get(grading.why[one.id], 0) + 1
    said = "; ".join(f"{count}: {reason}" for reason, count in reasons.items())
    return f"To grade: {len(grading.to_do)} of {total} ({said})"


def _nothing(options: BatchOptions, discovery: Discovery) -> str:
    """That nothing is graded, and why."""
    asked = sum(is_chosen(one, options) for one in discovery.found)
    if not asked:
        return "Nothing to grade: there is no submission."
    some = "" if asked == len(discovery.found) else " that `--only` names" if options.only else " of them"
    results = f"the result{some} still holds" if asked == 1 else f"all {asked} results{some} still hold"
    return f"Nothing to grade: {results}."


def write_class(grading: Grading, discovery: Discovery) -> None:
    """`summary.json` from the results that there are, `grades.csv` and what staff says from the gradebook."""
    folder = grading.folder
    summary = summary_of(grading.settings, discovery, grading.tally, grading.why)
    write_pieces(folder.summary, summary_pieces(summary))
    publish(folder, grading.book.engine, grading.settings.id, stems=grading.assignment.stems)
