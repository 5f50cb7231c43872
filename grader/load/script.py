"""Parses a .py file: whole where it can be read, with the reason where it cannot."""

from __future__ import annotations

from grader.load.facts import state_facts
from grader.load.names import printable
from grader.load.parsed import ParsedFile
from grader.load.raw import RawFile, Unreadable
from grader.load.syntax import SyntaxProblem, parse_source
from grader.load.text import decode_source
from grader.records import Note


def parse_script(raw: RawFile) -> ParsedFile:
    """Never raises for what the file holds: an unreadable one has `problem` set, and rough text."""
    if raw.refusal:
        return ParsedFile(raw, problem=raw.refusal)
    try:
        text = decode_source(raw.content, raw.path)
    except Unreadable as err:
        return ParsedFile(raw, text=rough_text(raw.content), problem=err)
    try:
        parsed = parse_source(text)
    except SyntaxProblem as err:
        problem = Unreadable(f"`{raw.path}` {err.what}.", hint=err.hint)
        return ParsedFile(raw, text=text, problem=problem)
    notes = tuple(
        tell_stripped(text, line, f"`{raw.path}` line {line}", raw.path) for line in parsed.stripped
    )
    return ParsedFile(raw, parsed.text, state_facts(parsed.tree.body), left_out=notes)


def rough_text(content: bytes) -> str:
    """Something to search for names in, where the bytes have no right decoding."""
    return content.replace(b"\0", b"").decode("ascii", "replace").replace("\r", "\n")


def tell_stripped(text: str, line: int, where: str, path: str) -> Note:
    """The remark that an IPython command was left out; `line` counts from 1 in `text`."""
    command = printable(text.split("\n")[line - 1].strip(), 60)
    return Note(f"{where}: left out the notebook command `{command}`.", path=path, line=line)
