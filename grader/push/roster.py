"""Who has which id on an LTI platform: a CSV file with a column `user` and one or more keys of students."""

from __future__ import annotations

from pathlib import Path

from grader.exports.cells import find_column, read_sheet
from grader.exports.matching import Row
from grader.printable import printable
from grader.push.errors import PushError

USER = "user"
_KEYS = ("lms_id", "sis_id", "login", "email")
_NAME = "name"
MAX_BYTES = 16 * 1024 * 1024


def read_users(path: Path) -> list[Row]:
    """The rows of the file; the key `user` is the platform's id of the student, in its own letter case.

    Raises:
        PushError: the file cannot be read, lacks a column, or names a user twice.
        SettingError: it is no text.
    """
    shown = printable(str(path), 300, one_line=True)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PushError(f"`{shown}` is larger than {MAX_BYTES // 2**20} MiB.")
        sheet = read_sheet(path.read_bytes())
    except OSError as err:
        raise PushError(f"`{shown}` cannot be read: {err.strerror}.") from err
    header = sheet.values(0) if sheet.rows else []
    columns = {name: find_column(header, [name]) for name in (USER, *_KEYS, _NAME)}
    if columns[USER] is None or not any(columns[name] is not None for name in (*_KEYS, _NAME)):
        raise PushError(
            f"`{shown}` has not the columns that are needed.",
            hint=f"Its first row names `{USER}` and one or more of {', '.join((*_KEYS, _NAME))}.",
        )
    rows = []
    for number in range(1, len(sheet.rows)):
        keys = {name: sheet.value(number, columns[name]) for name in (USER, *_KEYS)}
        if keys[USER]:
            name = sheet.value(number, columns[_NAME])
            rows.append(
                Row(number, printable(f"{name} {keys[USER]}".strip(), 200, one_line=True), keys, name)
            )
    users = [row.keys[USER] for row in rows]
    twice = sorted({user for user in users if users.count(user) > 1})
    if twice:
        raise PushError(f"`{shown}` names `{printable(twice[0], 100, one_line=True)}` twice.")
    return rows
