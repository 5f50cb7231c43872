"""For a notebook: `check(warm_up)` gives the verdicts of the public checks, `see(...)` the pictures.

    from grader.notebook import check, see

Both take functions and classes of the notebook, or as strings their names or those of exercises; without
any, all that the assignment asks for and the notebook defines. Neither raises for what a student does: it
says so.
"""

from __future__ import annotations

import atexit
import difflib
import types
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from grader.catalog import Assignment, ExerciseSpec
from grader.errors import GraderError
from grader.pictures import Picture
from grader.practice.kernel import NAME, Kernel, as_run, defined_in_file, find_kernel
from grader.practice.places import find_place
from grader.practice.practice import Practice
from grader.practice.shown import Pictures, Verdicts
from grader.practice.standing import begin_standing
from grader.printable import printable
from grader.records import Submission

__all__ = ["check", "see"]


def check(*things: object) -> Verdicts:
    """The public checks of the exercises that ask for `things`, as a table.

    The code is checked as it was run, together with everything else that this notebook defines, in a process
    of its own: nothing that it does there reaches the notebook.
    """
    try:
        kernel = find_kernel(things)
        assignment = find_place(None).assignment
        chosen = _choose(things, kernel, assignment)
        if isinstance(chosen, str):
            return Verdicts(problem=chosen)
        submission = _submission(things, kernel, assignment)
        checked = _practice(assignment.root).check(submission, [spec.stem for spec in chosen])
        return Verdicts(begin_standing(assignment).updated(checked))
    except GraderError as err:
        return Verdicts(problem=f"{err.message} {err.hint}".strip())


def see(*things: object) -> Pictures:
    """What the `things` compute, as pictures. Calls them here, in the notebook, on small inputs."""
    try:
        kernel = find_kernel(things)
        assignment = find_place(None).assignment
        chosen = _choose(things, kernel, assignment)
    except GraderError as err:
        return Pictures(problems=(f"{err.message} {err.hint}".strip(),))
    if isinstance(chosen, str):
        return Pictures(problems=(chosen,))
    named = {_name_of(thing, kernel, assignment): thing for thing in things if not isinstance(thing, str)}
    return _draw(chosen, assignment, types.SimpleNamespace(**{**kernel.names, **named}))


@lru_cache(maxsize=4)
def _practice(root: Path) -> Practice:
    """One host for all checks of a notebook: torch is loaded at the first only."""
    from grader.catalog import read_assignment

    practice = Practice(read_assignment(root))
    atexit.register(practice.close)
    return practice


def _choose(things: Sequence[object], kernel: Kernel, assignment: Assignment) -> list[ExerciseSpec] | str:
    """The exercises that ask for `things`; a sentence where there are none."""
    symbols = [symbol for spec in assignment.exercises for symbol in spec.symbols]
    wanted = [_name_of(thing, kernel, assignment) for thing in things]
    if not things:
        wanted = [symbol for symbol in symbols if symbol in kernel.names]
    if not wanted:
        return "Nothing that the exercises ask for is defined yet: run the cells that define it first."
    for name, thing in zip(wanted, things, strict=False):
        shown = printable(name, 100, one_line=True)
        if not name:
            return _not_a_symbol(thing)
        if name not in symbols:
            near = difflib.get_close_matches(name, [*symbols, *assignment.stems], n=1, cutoff=0.6)
            return f"No exercise asks for `{shown}`. " + (
                f"Did you mean `{near[0]}`?" if near else f"They ask for {', '.join(symbols)}."
            )
        if isinstance(thing, str) and name not in kernel.names:
            return f"`{shown}` is not defined here yet: run the cell that defines it, then this one again."
    return [spec for spec in assignment.exercises if {*spec.symbols} & {*wanted}]


def _name_of(thing: object, kernel: Kernel, assignment: Assignment) -> str:
    """The name of a function or class; the one that the exercise asks for comes before its own."""
    if isinstance(thing, str):
        return _symbol_meant(thing, kernel, assignment)
    for spec in assignment.exercises:
        for symbol in spec.symbols:
            if kernel.names.get(symbol) is thing:
                return symbol
    return thing.__name__ if isinstance(thing, (type, types.FunctionType)) else ""


def _symbol_meant(text: str, kernel: Kernel, assignment: Assignment) -> str:
    """Whoever gives an exercise's name means what it asks for: of several, the first that is defined."""
    if any(text in spec.symbols for spec in assignment.exercises) or text not in assignment.stems:
        return text
    asked = assignment.exercise(text).symbols
    return next((symbol for symbol in asked if symbol in kernel.names), asked[0])


def _not_a_symbol(thing: object) -> str:
    kind = printable(type(thing).__name__, 60, one_line=True)
    article = "an" if kind[:1].lower() in ("a", "e", "i", "o", "u") else "a"
    return (
        f"This is {article} `{kind}`; expected the function or class itself, without calling it: "
        '`check(name)`, or its name in quotes: `check("name")`.'
    )


def _submission(things: Sequence[object], kernel: Kernel, assignment: Assignment) -> Submission:
    """The notebook's definitions; the folder of the file where the first thing comes from one."""
    from grader.load import load_files, load_submission

    file = next((found for found in map(defined_in_file, things) if found), "")
    if file:
        return load_submission(Path(file).parent, assignment)
    return as_run(load_files([kernel.as_member()], assignment, submission_id=NAME))


def _draw(chosen: Sequence[ExerciseSpec], assignment: Assignment, student: object) -> Pictures:
    import torch

    from grader.suite.pictures import load_look, look_safely, path_of_look

    pictures: list[Picture] = []
    problems: list[str] = []
    for spec in chosen:
        path = path_of_look(assignment, spec.stem)
        if not path.is_file():
            problems.append(f"There is no picture for `{spec.stem}`.")
            continue
        with torch.random.fork_rng(devices=[]):
            looked = look_safely(load_look(path), student)
        pictures += looked.pictures
        problems += [f"`{spec.stem}`: {looked.problem}"] if looked.problem else []
    return Pictures(tuple(pictures), tuple(problems))
