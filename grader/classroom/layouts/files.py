"""Any folder of files: each Python file, notebook or archive is a student's, called after the student."""

from __future__ import annotations

from grader.classroom.layout import Fit, Layout, Surroundings
from grader.classroom.layouts.folders import claim
from grader.classroom.tree import Tree
from grader.load.names import kind_of


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    files = sum(1 for entry in tree.leaves if kind_of(entry.parts[0]) != "other")
    if files > len(tree.folders):
        return Fit(1.0, f"it holds {files} files with code, at least one for each student")
    return None


LAYOUT = Layout("files", "a folder of files, named after the students", recognise, claim, is_general=True)
