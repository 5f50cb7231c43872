"""The handout: what students get. Stubs, notebook, public suites, and this grader without any staff part.

`--try` lays it out as a student's unzip does and grades a submission with the grader that is in it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from grader.authoring.notebook import notebook_path
from grader.bundles.image import TORCH_INDEX
from grader.bundles.tree import Bundle, BundleError, BundleFile, Trial, handout_files, unpack
from grader.bundles.trial import run
from grader.bundles.wheel import wheel_file
from grader.catalog import Assignment
from grader.verify.leaks import leaked_from_any
from grader.verify.unfinished import is_unfinished

README = """\
# {title}

## Install, once

You need Linux or macOS (on Windows: inside WSL) and Python 3.10 or newer. In this folder, the one with this
README.md, type:

    python3 -m venv .venv && . .venv/bin/activate
    pip install -c constraints.txt ./{wheel}

This brings PyTorch, a large download. On Linux without an NVIDIA card, this second line downloads much less:

    pip install --extra-index-url {index} -c constraints.txt ./{wheel}

If you have PyTorch 2.6 or newer and want to keep it, activate its environment instead of the first line, and
leave out `-c constraints.txt`.

In a new terminal, come back to this folder and type `. .venv/bin/activate` again.

## Work

| you want to | type |
| --- | --- |
| see what to do next | `grade check exercises/` |
| see it again whenever you save | `grade check exercises/ --watch` |
| see your practice score | `grade submit exercises/` |
| run the checks from your editor | `pytest` |

Open a file in `exercises/`, read its docstring, replace `raise NotImplementedError` by your code, save and
check.
{notebook}
| file | you write | builds on | points |
| --- | --- | --- | --- |
{table}
{extension}
Type these commands in this folder. What you see is practice: the checks in `tests/public/`. More are run on
what you hand in.
{page}{more}
## When something is in the way

- *`grade`: command not found*: the environment is not active. Type `. .venv/bin/activate` in this folder.
- *No assignment found*: go to the folder with this README.md, or name it: `--assignment FOLDER`.
- *not attempted*, though you have written it: save the file. In a notebook: File > Save.
- *not defined*: the name must be exactly the one in the table.
- Something else: `grade doctor` shows versions and what this machine can do. Send that along when you ask.
"""
NOTEBOOK = """\

Rather a notebook? `{path}` holds the same exercises:

    pip install notebook
    jupyter notebook {path}

Use either: for each exercise, what you have filled in counts. If you fill in both, the file counts.
"""
PAGE = "\n[exercises/README.md](exercises/README.md) says what you may hand in and what is graded.\n"
STUDENTS_PAGE = Path("docs") / "student.md"
MORE = "\n[STUDENT.md](STUDENT.md) has the rest: every option, and what the words in a report mean.\n"
EXTENSION = (
    "\nAn extension exercise is checked and reported like the others, and does not count in the score.\n"
)
CONSTRAINTS = """\
# The version that the checks are made with. Any from 2.6 on will do: see README.md.
torch=={torch}
"""


def make_files(assignment: Assignment, settings: Mapping[str, str]) -> list[BundleFile]:
    """The files, below one folder.

    Raises:
        BundleError: a file that students would get holds a line of a reference or a mark `TODO(author)`, or
            there is no public suite.
    """
    folder = _folder(assignment)
    handed = [*_own_words(assignment, folder), *handout_files(assignment, folder)]
    _refuse_leaks(assignment, handed)
    _refuse_unfinished(handed)
    without = [stem for stem in assignment.stems if not assignment.suite(stem, "public").is_file()]
    if without:
        raise BundleError(f"Nothing to practise with: {', '.join(without)} without a public suite.")
    wheel = wheel_file(f"{folder}/")
    torch = metadata.version("torch").partition("+")[0]
    return [
        BundleFile(f"{folder}/README.md", _readme(assignment, Path(wheel.path).name).encode()),
        BundleFile(f"{folder}/constraints.txt", CONSTRAINTS.format(torch=torch).encode()),
        wheel,
        *handed,
    ]


def _folder(assignment: Assignment) -> str:
    return re.sub(r"[^\w-]+", "_", assignment.id)


def _refuse_leaks(assignment: Assignment, handed: list[BundleFile]) -> None:
    found = list(leaked_from_any(assignment, ((file.path, file.content) for file in handed)))
    if found:
        shown = "; ".join(f"`{path}` holds `{statement}`" for path, statement in found[:3])
        lines = "1 line" if len(found) == 1 else f"{len(found)} lines"
        raise BundleError(
            f"Students would get {lines} of the references: {shown}.",
            hint="Take them out; if they give nothing away, write them in another way.",
        )


def _refuse_unfinished(handed: list[BundleFile]) -> None:
    marked = [f"`{file.path.partition('/')[2]}`" for file in handed if is_unfinished(file.content)]
    if marked:
        raise BundleError(
            f"Students would get what is still to be written: `TODO(author)` stands in {', '.join(marked)}.",
            hint="Finish the exercise (`grade verify` lists every mark with its line), or take it out of "
            "`exercises/assignment.toml` and of the folders.",
        )


def _own_words(assignment: Assignment, folder: str) -> Iterator[BundleFile]:
    """The course's page for students, for courses that keep one."""
    page = assignment.root / STUDENTS_PAGE
    if page.is_file():
        yield BundleFile(f"{folder}/STUDENT.md", page.read_bytes())


def _readme(assignment: Assignment, wheel: str) -> str:
    notebook = notebook_path(assignment)
    own_page = assignment.root / "exercises" / "README.md"
    rows = [
        f"| `exercises/{spec.stem}.py` | {', '.join(f'`{symbol}`' for symbol in spec.symbols)} "
        f"| {', '.join(f'`{stem}`' for stem in spec.uses)} "
        f"| {f'{spec.points:g}' if spec.track == 'core' else 'extension exercise'} |"
        for spec in assignment.exercises
    ]
    return README.format(
        title=assignment.title,
        wheel=wheel,
        index=TORCH_INDEX,
        notebook=NOTEBOOK.format(path=f"exercises/{notebook.name}") if notebook.is_file() else "",
        table="\n".join(rows),
        extension=EXTENSION if any(spec.track != "core" for spec in assignment.exercises) else "",
        page=PAGE if own_page.is_file() else "",
        more=MORE if (assignment.root / STUDENTS_PAGE).is_file() else "",
    )


def attempt(files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Unpack the handout below `root` and grade the submission with the grader that is in it."""
    unpack(files, root / "handout")
    folder = root / "handout" / files[0].path.partition("/")[0]
    for file in files:
        if file.path.endswith(".whl"):
            ZipFile(BytesIO(file.content)).extractall(root / "installed")
    command = [sys.executable, "-m", "grader", "submit", str(submission.resolve())]
    variables = {"PYTHONPATH": str(root / "installed"), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = run([*command, "--assignment", str(folder), "-o", "-"], root, root, variables)
    return Trial(ended.stdout or None, ended.stderr, ended.exit_code)


BUNDLE = Bundle("Handout for students", "handout.zip", make_files, attempt)
