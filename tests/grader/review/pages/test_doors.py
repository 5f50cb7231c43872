"""Who gets in and who does not: link, Host, Origin, CSRF token, accounts, and what every answer says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.review.address import AddressError, parse_listen, parse_public_url
from grader.review.desk_accounts import Accounts
from grader.review.sessions import IDLE_S, TRIES, WAIT_S, Sessions, Tries

PASSWORD = "a long enough password"


def version(pages: Any) -> str:
    return str(pages.hidden("/submissions/ada")["seen"])


def test_the_link_becomes_a_cookie_that_no_script_reads_and_no_other_site_sends(open_pages, graded) -> None:
    pages = open_pages(graded.batch, signs_in=False)
    answer = pages.get("/enter?token=the-token")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "the-token" not in cookie
    assert pages.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", "the-token ", "THE-TOKEN", "the-toke\u00f1"])
def test_a_wrong_token_opens_nothing(open_pages, graded, token: str) -> None:
    pages = open_pages(graded.batch, signs_in=False)
    assert pages.send("GET", "/enter", params={"token": token}).status_code == 403
    for path in (
        "/",
        "/submissions/ada",
        "/clusters",
        "/history",
        "/exports",
        "/exports/csv/grades.csv",
        "/no",
    ):
        answer = pages.get(path)
        assert answer.status_code == 403
        assert not any(word in answer.text for word in ("fay", "Double", "A small assignment"))


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:80", "[::1]:1", ""]
)
def test_a_foreign_host_is_refused_with_the_cookie_too(open_pages, graded, host: str) -> None:
    pages = open_pages(graded.batch)
    answer = pages.get("/", host=host)
    assert answer.status_code == 421
    assert "ada" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123"])
def test_every_name_of_this_machine_is_answered(open_pages, graded, host: str) -> None:
    assert open_pages(graded.batch).get("/", host=host).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8124"},
        {"Origin": "http://127.0.0.1:8123.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "", "Referer": "https://evil.example/http://127.0.0.1:8123/"},
    ],
)
def test_a_form_of_another_site_is_refused_and_changes_nothing(pages, headers: dict[str, str]) -> None:
    before = version(pages)
    fields = {**pages.hidden("/submissions/ada"), "submission": "ada", "text": "Owned."}
    assert pages.post("/act/comment", fields, **headers).status_code == 403
    assert version(pages) == before


def test_a_form_that_does_not_say_where_it_comes_from_is_refused(pages) -> None:
    fields = {**pages.hidden("/submissions/ada"), "submission": "ada", "text": "Owned."}
    assert pages.send("POST", "/act/comment", data=fields).status_code == 403


@pytest.mark.parametrize("csrf", ["", "wrong"])
def test_a_form_without_the_sessions_token_changes_nothing_and_keeps_what_was_typed(pages, csrf: str) -> None:
    before = version(pages)
    answer = pages.act("comment", "/submissions/ada", submission="ada", text="Look at <this>.", csrf=csrf)
    assert answer.status_code == 403
    assert "Look at &lt;this&gt;." in answer.text
    assert version(pages) == before


def test_a_form_after_the_session_ended_keeps_what_was_typed(pages) -> None:
    fields = {**pages.hidden("/submissions/ada"), "submission": "ada", "text": "A long comment."}
    pages.cookies.clear()
    answer = pages.post("/act/comment", fields)
    assert answer.status_code == 403
    assert "A long comment." in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/submissions/ada", "/no/such/page", "/submissions/nobody", "/exports/csv/grades.csv"]
)
def test_every_answer_says_what_it_may_do(pages, path: str) -> None:
    headers = pages.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin"


def test_no_page_has_a_script_or_a_style_of_its_own(pages) -> None:
    for path in (
        "/",
        "/submissions/mal",
        "/clusters",
        "/history",
        "/exports",
        "/regrade",
        "/submissions/nobody",
    ):
        text = pages.get(path).text
        assert " style=" not in text
        assert "<style" not in text
        assert " onclick=" not in text
        assert text.count("<script") == text.count('<script src="/static/') == 1


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a b"]
)
def test_nobody_is_sent_to_another_site(pages, back: str) -> None:
    fields = {**pages.hidden("/submissions/ada"), "submission": "ada", "how": "done", "back": back}
    answer = pages.post("/act/mark", fields)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/?said=")


def test_read_only_pages_have_no_forms_and_take_none(open_pages, small_class) -> None:
    pages = open_pages(small_class.batch, is_read_only=True)
    for path in ("/", "/submissions/ben", "/clusters", "/history"):
        assert "<form" not in pages.get(path).text.replace('<form class="card" method="get"', "")
    answer = pages.post("/act/mark", {"submission": "ada", "how": "done", "seen": "0", "csrf": "x"})
    assert answer.status_code == 403
    assert "read-only" in answer.text


def test_other_methods_and_what_is_no_form_are_refused(pages) -> None:
    assert pages.send("DELETE", "/submissions/ada").status_code == 405
    headers = {"Origin": pages.origin}
    assert pages.send("POST", "/act/mark", content=b"\xff\xfe", headers=headers).status_code == 400
    assert pages.send("POST", "/act/mark", content=b"a=b&" * 2**20 * 2, headers=headers).status_code == 400


@pytest.fixture
def with_accounts(small_class) -> Path:
    Accounts.in_folder(small_class.batch).add("lin", PASSWORD)
    return small_class.batch


def test_with_accounts_only_name_and_password_open_the_pages(open_pages, with_accounts: Path) -> None:
    pages = open_pages(with_accounts, token="", who="")
    assert pages.get("/").status_code == 403
    assert pages.get("/enter?token=").status_code == 403
    wrong = pages.post("/login", {"name": "lin", "password": "wrong", "back": "/history"})
    unknown = pages.post("/login", {"name": "nobody", "password": "wrong", "back": "/history"})
    assert wrong.status_code == unknown.status_code == 403
    assert wrong.text.replace('value="lin"', "") == unknown.text.replace('value="nobody"', "")
    right = pages.post("/login", {"name": "lin", "password": PASSWORD, "back": "/history"})
    assert (right.status_code, right.headers["location"]) == (303, "/history")
    pages.act("mark", "/submissions/ada", submission="ada", how="done")
    assert "lin" in pages.get("/history").text


def test_a_session_ends_with_its_account_and_with_signing_out(open_pages, with_accounts: Path) -> None:
    accounts = Accounts.in_folder(with_accounts)
    pages = open_pages(with_accounts, token="", who="", accounts=accounts)
    sign_in = {"name": "lin", "password": PASSWORD}
    pages.post("/login", sign_in)
    assert pages.post("/logout", pages.hidden("/history")).status_code == 303
    assert pages.get("/").status_code == 403
    pages.post("/login", sign_in)
    assert pages.get("/").status_code == 200
    accounts.remove("lin")
    assert pages.get("/").status_code == 403


def test_wrong_passwords_soon_have_to_wait(open_pages, with_accounts: Path) -> None:
    now = [0.0]
    pages = open_pages(with_accounts, token="", who="", tries=Tries(clock=lambda: now[0]))
    for _ in range(TRIES):
        assert pages.post("/login", {"name": "lin", "password": "wrong"}).status_code == 403
    answer = pages.post("/login", {"name": "lin", "password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    now[0] += WAIT_S + 1
    assert pages.post("/login", {"name": "lin", "password": PASSWORD}).status_code == 303


def test_behind_a_proxy_only_the_public_address_counts(open_pages, small_class) -> None:
    pages = open_pages(small_class.batch, public_url="https://review.example.edu")
    cookie = pages.get("/enter?token=the-token").headers["set-cookie"]
    assert cookie.startswith("__Host-")
    assert "Secure" in cookie
    assert pages.get("/", host="review.example.edu:443").status_code == 200
    assert pages.get("/", host="127.0.0.1:8123").status_code == 421
    assert pages.act("mark", "/submissions/ada", submission="ada", how="done").status_code == 303
    fields = {**pages.hidden("/submissions/ada"), "submission": "ada", "how": "open"}
    assert pages.post("/act/mark", fields, Origin="http://127.0.0.1:8123").status_code == 403


def test_an_idle_session_ends_and_a_used_one_stays() -> None:
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    used, idle = sessions.begin("ada"), sessions.begin("ben")
    now[0] = IDLE_S - 1
    assert sessions.find(used)
    now[0] = IDLE_S + 1
    assert sessions.find(used)
    assert sessions.find(idle) is None


@pytest.mark.parametrize("text", ["8000", "host:", ":8000", "host:99999", "host:80a", ""])
def test_a_wrong_address_is_told(text: str) -> None:
    with pytest.raises(AddressError, match="is no address"):
        parse_listen(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("https://Review.Example.edu/", "https://review.example.edu"),
        ("http://host:80", "http://host"),
        ("https://host:8443", "https://host:8443"),
    ],
)
def test_a_public_address_in_its_plain_form(text: str, plain: str) -> None:
    assert parse_public_url(text) == plain


@pytest.mark.parametrize(
    "text", ["host", "ftp://host", "https://", "https://host/path", "https://a@host", "https://host:x"]
)
def test_what_is_no_public_address_is_told(text: str) -> None:
    with pytest.raises(AddressError):
        parse_public_url(text)
