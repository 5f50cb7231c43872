"""Accounts: only who has the password, in a file that nobody else reads."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from grader.review.desk_accounts import AccountError, Accounts

PASSWORD = "correct horse battery"


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    return Accounts.in_folder(tmp_path)


def test_account_opens_with_its_password_only(accounts: Accounts) -> None:
    assert (accounts.names(), accounts.check("mei", PASSWORD)) == ((), False)
    accounts.add("mei", PASSWORD)
    assert accounts.check("mei", PASSWORD)
    assert not accounts.check("mei", PASSWORD + " ")
    assert not accounts.check("Mei", PASSWORD)
    assert not accounts.check("tom", PASSWORD)
    assert not accounts.check("mei", PASSWORD * 1000)
    assert not accounts.check("mei", "\ud800")
    accounts.set_password("mei", "another password")
    assert (accounts.check("mei", PASSWORD), accounts.check("mei", "another password")) == (False, True)
    accounts.remove("mei")
    assert (accounts.names(), accounts.check("mei", "another password")) == ((), False)


def test_file_is_closed_to_others_and_holds_no_password(accounts: Accounts) -> None:
    accounts.add("mei", PASSWORD)
    accounts.add("tom", PASSWORD)
    text = accounts.path.read_text()
    assert stat.S_IMODE(accounts.path.stat().st_mode) == 0o600
    assert PASSWORD not in text
    hashes = json.loads(text)["accounts"]
    assert all(made.startswith("$argon2id$") for made in hashes.values())
    assert hashes["mei"] != hashes["tom"]
    assert sorted(path.name for path in accounts.path.parent.glob("*part*")) == []


def test_file_that_others_can_read_is_refused(accounts: Accounts) -> None:
    accounts.add("mei", PASSWORD)
    accounts.path.chmod(0o644)
    with pytest.raises(AccountError, match="0644"):
        accounts.check("mei", PASSWORD)
    with pytest.raises(AccountError):
        accounts.add("tom", PASSWORD)


def test_name_that_cannot_be_used(accounts: Accounts) -> None:
    accounts.add("Mei", PASSWORD)
    for name in ("", " mei", "../x", "a\nb", "<b>", "x" * 65, "\u202eevil", "mei"):
        with pytest.raises(AccountError):
            accounts.add(name, PASSWORD)
    assert accounts.names() == ("Mei",)


@pytest.mark.parametrize("password", ["short", "x" * 1001, "\ud800" * 12])
def test_password_that_cannot_be_used(accounts: Accounts, password: str) -> None:
    with pytest.raises(AccountError):
        accounts.add("mei", password)
    assert not accounts.path.exists()


def test_unknown_account_and_broken_file(accounts: Accounts) -> None:
    with pytest.raises(AccountError, match="no account `tom`"):
        accounts.remove("tom")
    with pytest.raises(AccountError, match="no account `tom`"):
        accounts.set_password("tom", PASSWORD)
    accounts.path.write_text("[1, 2]")
    accounts.path.chmod(0o600)
    with pytest.raises(AccountError, match="not a file of accounts"):
        accounts.names()
