"""Rosters of any header, delimiter and encoding; keys are text and are compared with their own kind only."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom import DiscoveryError, Identity, Roster, load_roster


def write(tmp_path: Path, content: str | bytes, encoding: str = "utf-8") -> Roster:
    path = tmp_path / "roster.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return load_roster(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_encoding_and_delimiter_are_detected(encoding: str, delimiter: str, tmp_path: Path) -> None:
    text = "Student ID,Full Name,E-Mail\r\n007,José Núñez,j@uni.example\r\n".replace(",", delimiter)
    (row,) = write(tmp_path, text, encoding).rows
    assert row.identity == Identity(name="José Núñez", sis_id="007", email="j@uni.example")


def test_excel_line_names_the_delimiter(tmp_path: Path) -> None:
    (row,) = write(tmp_path, "sep=;\r\nlogin;name\r\nada;Lovelace, Ada\r\n").rows
    assert (row.identity.login, row.identity.name) == ("ada", "Lovelace, Ada")


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("Canvas ID", "lms_id"), ("SIS User ID", "sis_id"), ("OrgDefinedId", "sis_id"), ("sid", "sis_id"),
        ("Student_Number", "sis_id"), ("Login ID", "login"), ("github_username", "login"), ("NetID", "login"),
        ("E-mail address", "email"), ("Student Name", "name"),
    ],
)  # fmt: skip
def test_headers_are_known_by_many_names(header: str, kind: str, tmp_path: Path) -> None:
    (row,) = write(tmp_path, f"{header},x\n0042,y\n").rows
    assert getattr(row.identity, kind) == "0042"


def test_roster_without_any_key_is_refused_with_its_header(tmp_path: Path) -> None:
    with pytest.raises(DiscoveryError, match="`colour,shape`"):
        write(tmp_path, "colour,shape\nred,round\n")


@pytest.mark.parametrize("content", [b"", b"\n\n ,,\n"])
def test_empty_roster_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(DiscoveryError, match="empty"):
        write(tmp_path, content)


def test_leading_zeros_tell_people_apart(tmp_path: Path) -> None:
    roster = write(tmp_path, "sid,name\n007,A B\n7,C D\n")
    seven, long = roster.find(Identity(sis_id="7")), roster.find(Identity(sis_id="007"))
    assert seven is not None
    assert long is not None
    assert (seven.identity.name, long.identity.name) == ("C D", "A B")


@pytest.mark.parametrize("name", ["Jane Doe", "Doe, Jane", "doejane", "JANE DOE", "janedoe", "Jáne  Doe"])
def test_names_match_in_every_usual_form(name: str, tmp_path: Path) -> None:
    assert write(tmp_path, "first name,last name\nJane,Doe\n").find(Identity(name=name)) is not None


def test_shared_name_matches_nobody(tmp_path: Path) -> None:
    roster = write(tmp_path, "login,name\njd1,Jane Doe\njd2,Jane Doe\n")
    assert roster.find(Identity(name="Jane Doe")) is None
    assert roster.find(Identity(name="Jane Doe", login="jd2")) is roster.rows[1]


def test_same_name_with_another_id_is_another_student(tmp_path: Path) -> None:
    roster = write(tmp_path, "canvas id,name\n11,Jane Doe\n")
    assert roster.find(Identity(name="Jane Doe", lms_id="12")) is None


def test_participant_number_is_never_an_id(tmp_path: Path) -> None:
    roster = write(tmp_path, "id,canvas id,name\n500,501,Jane Doe\n")
    assert roster.find(Identity(participant="501")) is None
    assert roster.find(Identity(participant="500")) is None


@pytest.mark.parametrize("cell", ["Participant 90210", "Teilnehmer/in90210", "参加者 90210"])
def test_worksheet_identifier_is_a_participant_number(cell: str, tmp_path: Path) -> None:
    roster = write(tmp_path, f"Identifier,Full name\n{cell},Jane Doe\n")
    assert roster.rows[0].identity.participant == "90210"


def test_id_with_letters_stays_whole(tmp_path: Path) -> None:
    roster = write(tmp_path, "id,name\nstudent123,Jane Doe\n")
    assert roster.rows[0].key == "student123"
    assert roster.find(Identity(sis_id="123")) is None
    assert roster.find(Identity(sis_id="student123")) is roster.rows[0]


def test_short_and_long_rows_and_a_blank_line_are_read(tmp_path: Path) -> None:
    roster = write(tmp_path, "login,name,email\nada\n\nbob,Bob,b@uni.example,more\n")
    assert [(row.identity.login, row.line) for row in roster.rows] == [("ada", 2), ("bob", 4)]


def test_missing_roster_is_named(tmp_path: Path) -> None:
    with pytest.raises(DiscoveryError, match=r"none\.csv` cannot be read"):
        load_roster(tmp_path / "none.csv")
