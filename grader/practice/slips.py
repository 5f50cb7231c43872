"""Signs that the student's latest words are in an editor and not in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.printable import printable

# An editor copies a file a moment after it has saved it: only what is clearly newer is unsaved.
NEWER_S = 2.0
MAX_FILES = 200


def unsaved(path: Path) -> list[str]:
    """A sentence for each file at or right below `path` whose editor keeps newer changes elsewhere."""
    files = [path] if path.is_file() else _children(path)
    return [text for file in files for text in _signs(file)]


def _children(folder: Path) -> list[Path]:
    try:
        found = sorted(entry for entry in folder.iterdir() if entry.suffix in (".py", ".ipynb"))
    except OSError:
        return []
    return [entry for entry in found if entry.is_file()][:MAX_FILES]


def _signs(file: Path) -> Iterator[str]:
    name = printable(file.name, 200, one_line=True)
    checkpoint = file.parent / ".ipynb_checkpoints" / f"{file.stem}-checkpoint{file.suffix}"
    copies = (checkpoint, file.with_name(f"#{file.name}#"), file.with_name(f".{file.name}.swp"))
    try:
        if any(_is_newer(copy, file) for copy in copies):
            yield f"An editor holds newer changes of `{name}` that are not in the file: save it there."
    except OSError:  # a file that goes away meanwhile is looked at when it is back
        return


def _is_newer(copy: Path, file: Path) -> bool:
    if not copy.is_file() or copy.stat().st_mtime <= file.stat().st_mtime + NEWER_S:
        return False
    return copy.suffix == ".swp" or copy.read_bytes() != file.read_bytes()
