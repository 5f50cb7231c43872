"""Reads a roster's table: encoding and delimiter are detected, headers known by many names, all is text."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.classroom.records import UnknownNameError
from grader.printable import printable

MAX_ROSTER_BYTES = 32 * 1024 * 1024
_DELIMITERS = ",;\t|"

# What a column means, by its header without case, spaces and signs.
_HEADERS: Mapping[str, Sequence[str]] = {
    "lms_id": ("lmsid", "lmsuserid", "canvasid", "canvasuserid", "userid", "moodleid", "sub"),
    "participant": ("participant", "participantnumber"),
    "sis_id": (
        "sisid", "sisuserid", "sid", "studentid", "studentnumber", "studentno", "idnumber", "orgdefinedid",
        "matriculationnumber", "matrikelnummer", "matriculation", "universityid", "externalid",
    ),
    "id": ("id", "identifier", "number"),
    "login": (
        "login", "loginid", "sisloginid", "username", "user", "github", "githubusername", "githublogin",
        "account", "netid", "uid", "anmeldename",
    ),
    "email": ("email", "emailaddress", "mail", "emailadresse", "schoolemail"),
    "name": ("name", "fullname", "studentname", "displayname", "vollstandigername", "rostername"),
    "first": ("firstname", "first", "givenname", "given", "vorname", "forename"),
    "last": ("lastname", "last", "surname", "familyname", "nachname"),
    "group": ("group", "groupname", "team", "teamname", "gruppe"),
    "section": ("section", "sections", "sectionname", "class", "lab"),
}  # fmt: skip
_WHO = frozenset({"lms_id", "participant", "sis_id", "id", "login", "email", "name", "last"})
_PARTICIPANT = re.compile(r"(?P<word>\D+?)(?P<number>[0-9]+)")
_PARTICIPANT_WORDS = frozenset(
    {
        "participant",
        "participante",
        "participantea",
        "partecipante",
        "teilnehmer",
        "teilnehmerin",
        "deelnemer",
        "deltagare",
        "deltager",
        "deltaker",
        "osallistuja",
        "osaleja",
        "uczestnik",
        "ucastnik",
        "katılımcı",
        "участник",
        "учасник",
        "参加者",
        "参与者",
        "成员",
        "참가자",
        "مشارك",
        "משתתף",
    }
)
_LMS_ROWS = ("points possible", "student, test")


class Table(NamedTuple):
    """Rows as meaning -> text with their line numbers, and how the file was read."""

    rows: tuple[tuple[int, Mapping[str, str]], ...]
    columns: Mapping[str, str]
    delimiter: str
    encoding: str


def read_table(path: Path) -> Table:
    """The rows of a roster.

    Raises:
        UnknownNameError: it cannot be read, or no column says who a student is.
    """
    shown = printable(str(path), one_line=True)
    try:
        with path.open("rb") as handle:
            content = handle.read(MAX_ROSTER_BYTES + 1)
    except OSError as err:
        raise UnknownNameError(f"The roster `{shown}` cannot be read: {err.strerror}.") from err
    if len(content) > MAX_ROSTER_BYTES:
        raise UnknownNameError(f"The roster `{shown}` is larger than {MAX_ROSTER_BYTES // 2**20} MiB.")
    text, encoding = decode(content)
    named = re.match(r"sep=(.)\r?\n", text)  # the line by which Excel is told
    text = text[named.end() :] if named else text
    delimiter = named[1] if named else find_delimiter(text)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as err:
        raise UnknownNameError(f"The roster `{shown}` is not a valid CSV file: {err}.") from err
    start = next((number for number, line in enumerate(lines) if any(cell.strip() for cell in line)), None)
    if start is None:
        raise UnknownNameError(f"The roster `{shown}` is empty.")
    meanings = read_header(lines[start])
    if not _WHO & set(meanings):
        raise UnknownNameError(
            f"The roster `{shown}` has no column that says who a student is; its first line is "
            f"`{printable(delimiter.join(lines[start]), 200, one_line=True)}`.",
            hint="Name at least one column `id`, `login`, `email` or `name`.",
        )
    rows = [
        (number, {meaning: line[at].strip() for meaning, at in meanings.items() if at < len(line)})
        for number, line in enumerate(lines[start + 1 :], start + 2)
    ]
    columns = {meaning: lines[start][at].strip() for meaning, at in meanings.items()}
    return Table(
        tuple((number, row) for number, row in rows if _is_person(row)), columns, delimiter, encoding
    )


def decode(content: bytes) -> tuple[str, str]:
    """The text and the encoding: by its mark, else UTF-8, UTF-16 by its zero bytes, else Windows' Latin."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace"), "utf-16"
    head = content[:4096]
    if head.count(0) > len(head) // 4:
        name = "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
        return content.decode(name, "replace"), name
    try:
        marked = content.startswith(codecs.BOM_UTF8)
        return content.decode("utf-8-sig"), "utf-8-sig" if marked else "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def find_delimiter(text: str) -> str:
    """The sign that parts the header (outside quotes) into most cells."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", first)
    return max(_DELIMITERS, key=bare.count)


def read_header(cells: Sequence[str]) -> dict[str, int]:
    """Meaning of each known column -> its place; the first column of a meaning counts.

    `Student` is a name where ids have their own column, as in Canvas's gradebook.
    """
    meanings: dict[str, int] = {}
    plain = [_plain(cell) for cell in cells]
    for meaning, names in _HEADERS.items():
        found = [plain.index(name) for name in names if name in plain]
        if found:
            meanings[meaning] = min(found)
    if "student" in plain:
        meanings.setdefault("name", plain.index("student"))
    if "id" in meanings and "lms_id" not in meanings and {"studentname", "student"} & set(plain):
        meanings["lms_id"] = meanings.pop("id")
    return meanings


def participant_number(text: str) -> str:
    """The number in `Participant 90210` in any language; empty for an id of another kind."""
    match = _PARTICIPANT.fullmatch(text)
    return match["number"] if match and _plain(match["word"]) in _PARTICIPANT_WORDS else ""


def _plain(header: str) -> str:
    folded = unicodedata.normalize("NFKD", header).casefold()
    return "".join(char for char in folded if char.isalnum())


def _is_person(row: Mapping[str, str]) -> bool:
    if not any(row.get(meaning) for meaning in _WHO):
        return False
    return not row.get("name", "").casefold().startswith(_LMS_ROWS)
