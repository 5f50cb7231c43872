"""What `grade batch` is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BatchOptions:
    """Without `paths` the folder's batch goes on, with everything that is None as it was last time.

    `exercises` are the chosen stems, all when empty; `only` are patterns as in a shell, all when empty;
    `ids` are exact, all when empty.
    `jobs` of None is as many at a time as there are cores, here or in the cluster. `cluster` is the address
    of a Dask scheduler, `cluster_assignment` the assignment's folder as its workers see it.
    Without `pages` no feedback pages are made, and no pictures.
    `seed` of None is always the folder's. `database` is a URL or None for the file in the batch's folder.
    """

    paths: tuple[Path, ...]
    folder: Path
    jobs: int | None = None
    layout: str | None = None
    roster: Path | None = None
    exercises: tuple[str, ...] | None = None
    only: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    device: str | None = None
    isolation: str | None = None
    seed: int | None = None
    force: bool = False
    database: str | None = None
    cluster: str | None = None
    cluster_assignment: str | None = None
    pages: bool = True
