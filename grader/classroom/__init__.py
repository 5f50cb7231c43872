"""A whole class: which submissions there are, whose they are, and how they are read."""

from grader.classroom.discovery import discover
from grader.classroom.layout import find_layouts
from grader.classroom.reading import ClassReader
from grader.classroom.records import (
    Counts,
    Discovery,
    DiscoveryError,
    Found,
    Identity,
    Older,
    Placed,
    Skipped,
)
from grader.classroom.roster import Roster, RosterRow, load_roster

__all__ = [
    "ClassReader",
    "Counts",
    "Discovery",
    "DiscoveryError",
    "Found",
    "Identity",
    "Older",
    "Placed",
    "Roster",
    "RosterRow",
    "Skipped",
    "discover",
    "find_layouts",
    "load_roster",
]
