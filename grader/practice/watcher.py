"""Watches a path and leaves word when something there may have changed.

The folder is watched, not the file: editors save by writing another file and giving it the name. A folder
that goes away, or is replaced by another of its name, is waited for and watched again.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

from watchfiles import Change, watch

from grader.load.names import is_ignored, kind_of
from grader.practice.mailbox import Broken, Mailbox, Saved

# An editor writes a file in several steps, some 1 ms apart: wait until it is quiet for a moment.
QUIET_MS, PATIENCE_MS = 20, 200
# So often we look whether the folder is still the one that we watch.
LOOK_MS = 400
LOOK_S = LOOK_MS / 1000


class Watcher:
    """A context manager with a thread; `path` is a folder, or a file that may not be there yet."""

    def __init__(self, path: Path, mailbox: Mailbox) -> None:
        self._path, self._mailbox = path.absolute(), mailbox
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._polls = False

    def __enter__(self) -> Watcher:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._watch_once()
        except Exception as err:  # noqa: BLE001  # the edge of this thread: the loop must hear of it
            self._mailbox.put(Broken(f"The files cannot be watched: {type(err).__name__}: {err}"))

    def _watch_once(self) -> None:
        """Watch the folder until it is no longer the one that has this name."""
        is_single = not self._path.is_dir()
        folder = self._path.parent if is_single else self._path
        identity = _identity(folder)
        if identity is None:
            self._stop.wait(LOOK_S)
            return
        self._mailbox.put(Saved())  # it may have changed before we looked
        try:
            self._follow(folder, identity, is_single=is_single)
        except FileNotFoundError:
            return
        except (OSError, RuntimeError):
            # No more places to watch in the kernel, or a file system that tells nothing: look now and then.
            if self._polls:
                raise
            self._polls = True

    def _follow(self, folder: Path, identity: tuple[int, int], *, is_single: bool) -> None:
        changes = watch(
            folder, watch_filter=self._matters, debounce=PATIENCE_MS, step=QUIET_MS, rust_timeout=LOOK_MS,
            stop_event=self._stop, yield_on_timeout=True, recursive=not is_single,
            force_polling=True if self._polls else None,
        )  # fmt: skip
        is_first = True
        for found in changes:
            if found or is_first:
                self._mailbox.put(Saved())
            is_first = False
            if _identity(folder) != identity or self._path.is_dir() == is_single:
                self._mailbox.put(Saved())
                return

    def _matters(self, change: Change, path: str) -> bool:
        name = os.path.basename(path)
        if not self._path.is_dir():
            return name == self._path.name
        return not is_ignored(name) and (kind_of(name) != "other" or change != Change.modified)


def _identity(folder: Path) -> tuple[int, int] | None:
    """Which folder it is, whatever it is called; None if there is none."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
