"""Turns a path into a `Submission`: folder, script, notebook or archive. Runs no student code.

How it works: `files` and `archive` collect bytes within bounds; `script` and `notebook` parse each file once
into facts about its statements; `symbols` picks the file that answers each exercise, `explain` says why one
has none; `slips` spots misspelt methods; `assembly` gives the worker its texts.
"""

from grader.load.assembly import load_files, load_submission

__all__ = ["load_files", "load_submission"]
