"""`grade push lti` against a platform that checks the assertion, the token and every score."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SCOPES = {
    f"https://purl.imsglobal.org/spec/lti-ags/scope/{name}"
    for name in ("lineitem", "result.readonly", "score")
}
MEDIA = "application/vnd.ims.lis."
USERS = "user,login,name\nSub-Ada,ada,Ada Lovelace\nSub-Grace,grace,\nSub-Alan,alan,\nSub-Emmy,emmy,\n"
REQUIRED = {"userId", "timestamp", "activityProgress", "gradingProgress", "scoreGiven", "scoreMaximum"}
OPTIONAL = {"comment", "https://canvas.instructure.com/lti/submission"}


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def key_file(key: rsa.RSAPrivateKey, tmp_path: Path) -> Path:
    path = tmp_path / "key.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    path.chmod(0o600)
    return path


@pytest.fixture
def platform(fake_server: Any, reply: Any, key: rsa.RSAPrivateKey) -> Iterator[Any]:
    class Platform(fake_server):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens: list[str] = []
            self.assertions: set[str] = set()
            self.items: list[dict[str, Any]] = [self.item(1, "Other"), self.item(2, "Quiz")]
            self.scores: dict[str, list[dict[str, Any]]] = {}
            self.life_s = 3600

        def item(self, number: int, label: str, **more: Any) -> dict[str, Any]:
            address = f"{self.url}/ctx/1/lineitems/{number}/lineitem?type_id=4"
            return {"id": address, "label": label, "scoreMaximum": 20, **more}

        def answer(self, request: Any) -> Any:
            if request.path == "/token":
                return self._token(request)
            if request.headers.get("authorization") != f"Bearer {self.tokens[-1] if self.tokens else ''}":
                return reply(401, {"error": "invalid_token"})
            if request.path == "/ctx/1/lineitems":
                return self._new_item(request) if request.method == "POST" else self._items(request)
            self.need(request.query.get("type_id") == ["4"], f"{request.path} has lost its query")
            if request.path.endswith("/lineitem") and request.method == "GET":
                return reply(200, {k: v for k, v in self.items[0].items() if k != "id"})
            if request.path.endswith("/lineitem/scores") and request.method == "POST":
                return self._score(request)
            if request.path.endswith("/lineitem/results") and request.method == "GET":
                self.need(request.headers["accept"] == MEDIA + "v2.resultcontainer+json", "results: Accept")
                return reply(200, [self._result(user) for user in self.scores])
            self.problems.append(f"{request.method} {request.path}")
            return reply(404, {})

        def _token(self, request: Any) -> Any:
            self.need(request.method == "POST", "the token was not asked for by POST")
            self.need(request.content_type == "application/x-www-form-urlencoded", "token: no form")
            fields = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
            self.need(fields["grant_type"] == "client_credentials", "grant_type")
            self.need(fields["client_assertion_type"] == ASSERTION, "client_assertion_type")
            self.need(set(fields["scope"].split(" ")) == SCOPES, "scope")
            head = jwt.get_unverified_header(fields["client_assertion"])
            self.need((head["alg"], head["kid"]) == ("RS256", "kid-1"), f"header {head}")
            claims = jwt.decode(
                fields["client_assertion"],
                key.public_key(),
                algorithms=["RS256"],
                audience=f"{self.url}/token",
            )
            self.need(claims["iss"] == claims["sub"] == "client-1", "iss and sub")
            self.need(0 < claims["exp"] - claims["iat"] <= 600, "exp")
            self.need(claims["jti"] not in self.assertions, "the assertion was used before")
            self.assertions.add(claims["jti"])
            self.tokens.append(f"lti-token-{len(self.tokens)}")
            return reply(
                200, {"access_token": self.tokens[-1], "token_type": "Bearer", "expires_in": self.life_s}
            )

        def _items(self, request: Any) -> Any:
            self.need(request.headers["accept"] == MEDIA + "v2.lineitemcontainer+json", "line items: Accept")
            page = request.query.get("Page", ["First"])[0]
            if page == "First":
                link = {"Link": f'<{self.url}/ctx/1/lineitems?Page=SecondPage>; rel="next"'}
                return reply(200, self.items[:1], link)
            self.need(page == "SecondPage", f"the link's letter case was changed: {page}")
            return reply(200, self.items[1:])

        def _new_item(self, request: Any) -> Any:
            self.need(request.content_type == MEDIA + "v2.lineitem+json", "line item: Content-Type")
            fields = json.loads(request.body)
            self.need(fields["scoreMaximum"] > 0 and bool(fields["label"]), "line item")
            self.items.append(self.item(9, **fields) | {"scoreMaximum": fields["scoreMaximum"]})
            return reply(201, self.items[-1])

        def _score(self, request: Any) -> Any:
            self.need(request.content_type == MEDIA + "v1.score+json", "score: Content-Type")
            fields = json.loads(request.body, parse_constant=lambda name: self.problems.append(name))
            self.need(REQUIRED <= set(fields) <= REQUIRED | OPTIONAL, f"score with {sorted(fields)}")
            self.need(fields["activityProgress"] == "Completed", "activityProgress")
            self.need(fields["gradingProgress"] == "FullyGraded", "gradingProgress")
            self.need(0 <= fields["scoreGiven"] <= fields["scoreMaximum"], "points")
            moment = _whole_seconds(fields["timestamp"])
            known = self.scores.setdefault(fields["userId"], [])
            if known and moment <= _whole_seconds(known[-1]["timestamp"]):
                return reply(409, {"message": "timestamp is not newer"})
            known.append(fields)
            return reply(200, {})

        def _result(self, user: str) -> dict[str, Any]:
            last = self.scores[user][-1]
            return {"userId": user, "resultScore": last["scoreGiven"], "resultMaximum": last["scoreMaximum"]}

    server = Platform()
    server.items.append(server.item(3, "attention", resourceId="attention"))
    yield server
    server.close()
    assert server.problems == []


def _whole_seconds(text: str) -> datetime:
    """As Moodle compares; a time without its zone would raise when compared."""
    assert "." in text
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    assert moment.tzinfo is not None
    return moment.replace(microsecond=0)


@pytest.fixture
def push(grade: Any, platform: Any, small_class: Any, key_file: Path, tmp_path: Path) -> Any:
    (tmp_path / "users.csv").write_text(USERS)

    def call(*options: object, line_items: str = "") -> tuple[int, str, str]:
        found: tuple[int, str, str] = grade(
            "push", "lti", small_class.path, "--token-url", f"{platform.url}/token",
            "--client-id", "client-1", "--key-id", "kid-1", "--key-file", key_file,
            "--users", tmp_path / "users.csv",
            *(() if "--line-item" in options else
              ("--line-items", line_items or f"{platform.url}/ctx/1/lineitems")), *options,
        )  # fmt: skip
        assert "PRIVATE" not in found[1] + found[2]
        assert "lti-token" not in found[1] + found[2]
        return found

    return call


def test_without_yes_nothing_is_sent(push: Any, platform: Any, small_class: Any) -> None:
    code, out, err = push()
    assert code == 0
    assert "Ada Lovelace Sub-Ada: `` -> `11.5`, comment" in out
    assert "needs a regrade" in err
    assert platform.writes() == []
    assert not (small_class.path / "push").exists()


def test_scores_arrive_and_a_second_run_sends_nothing(push: Any, platform: Any) -> None:
    code, out, _ = push("--yes")
    assert (code, "2 sent" in out) == (0, True)
    (score,) = platform.scores["Sub-Ada"]
    assert (score["scoreGiven"], score["scoreMaximum"]) == (11.5, 20)
    assert score["timestamp"] == "2026-11-20T21:00:01.000Z"
    assert "Score: 11.5 / 20" in score["comment"]
    assert "‹the›" in score["comment"]
    assert "SECRET-INPUT" not in score["comment"]
    assert set(platform.scores) == {"Sub-Ada", "Sub-Grace"}
    assert len(platform.tokens) == 1
    platform.requests.clear()
    code, out, _ = push("--yes")
    assert (code, platform.writes()) == (0, [])
    assert "2 had everything already" in out


def test_a_changed_grade_is_sent_with_a_later_time(push: Any, platform: Any, small_class: Any) -> None:
    push("--yes")
    for points in (15, 16):
        small_class.override("ada", points)
        assert push("--yes")[0] == 0
    times = [_whole_seconds(score["timestamp"]) for score in platform.scores["Sub-Ada"]]
    assert len(times) == 3
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in itertools.pairwise(times))
    assert len(platform.scores["Sub-Grace"]) == 1


def test_an_expired_token_is_renewed_and_a_short_one_is_not_kept(push: Any, platform: Any) -> None:
    platform.fail("POST", "/scores", 401, {"error": "invalid_token"})
    assert push("--yes")[0] == 0
    assert len(platform.tokens) == 2
    platform.life_s = 1
    assert push("--yes")[0] == 0
    assert len(platform.tokens) > 3


def test_what_the_platform_turns_away_unread_is_sent_again(push: Any, platform: Any) -> None:
    platform.fail("POST", "/scores", 429, {}, headers={"Retry-After": "0"}, times=3)
    assert push("--yes")[0] == 0
    assert [len(platform.scores[user]) for user in ("Sub-Ada", "Sub-Grace")] == [1, 1]


@pytest.mark.parametrize("applied", [True, False])
def test_an_error_in_the_middle_leads_to_one_score(applied: bool, push: Any, platform: Any) -> None:
    platform.fail("POST", "/scores", 500, {}, applied=applied)
    assert push("--yes")[0] == 0
    assert [len(platform.scores[user]) for user in ("Sub-Ada", "Sub-Grace")] == [1, 1]


@pytest.mark.parametrize("applied", [True, False])
def test_a_run_that_is_killed_in_the_middle_resumes(
    applied: bool, push: Any, platform: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.push.lti import LtiDoor

    original = LtiDoor.send

    def killed(door: Any, step: Any) -> None:
        if applied:
            original(door, step)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LtiDoor, "send", killed)
        assert push("--yes")[0] == 130
    assert push("--yes")[0] == 0
    assert [len(platform.scores[user]) for user in ("Sub-Ada", "Sub-Grace")] == [1, 1]


def test_a_newer_score_there_is_not_covered_unless_asked_for(push: Any, platform: Any) -> None:
    later = {
        "userId": "Sub-Ada",
        "timestamp": "2026-11-25T00:00:00.000Z",
        "scoreGiven": 3,
        "scoreMaximum": 20,
    }
    platform.scores["Sub-Ada"] = [later]
    code, _, err = push("--yes")
    assert code == 3
    assert "has a newer score (409)" in err
    assert len(platform.scores["Sub-Ada"]) == 1
    assert push("--yes", "--overwrite")[0] == 0
    assert platform.scores["Sub-Ada"][-1]["scoreGiven"] == 11.5


def test_a_line_item_is_made_only_when_sending(push: Any, platform: Any) -> None:
    del platform.items[-1]
    code, out, _ = push("--label", "HW 3")
    assert code == 0
    assert "There is no line item `HW 3`" in out
    assert platform.writes() == []
    assert push("--yes", "--label", "HW 3")[0] == 0
    assert platform.items[-1]["label"] == "HW 3"
    assert platform.scores["Sub-Ada"][0]["scoreGiven"] == 11.5
    platform.requests.clear()
    push("--yes", "--label", "HW 3")
    assert platform.writes() == []


def test_several_line_items_that_fit_are_refused(push: Any, platform: Any) -> None:
    platform.items += [platform.item(4, "HW"), platform.item(5, "HW")]
    del platform.items[2]
    code, _, err = push("--label", "HW")
    assert code == 3
    assert "2 line items" in err


def test_the_line_items_own_maximum_counts(push: Any, platform: Any) -> None:
    platform.items[-1]["scoreMaximum"] = 10
    code, _, err = push("--yes")
    assert (code, "--scale" in err) == (3, True)
    assert push("--yes", "--scale")[0] == 0
    assert platform.scores["Sub-Ada"][0]["scoreGiven"] == 5.75


def test_a_line_item_can_be_named_and_canvas_makes_no_attempt(push: Any, platform: Any) -> None:
    address = platform.items[0]["id"]
    assert push("--yes", "--canvas", "--line-item", address)[0] == 0
    (score,) = platform.scores["Sub-Ada"]
    assert score["https://canvas.instructure.com/lti/submission"] == {"new_submission": False}


def test_a_token_goes_to_no_other_host(push: Any, platform: Any, fake_server: Any) -> None:
    other = fake_server()
    try:
        address = platform.items[-1]["id"].replace(platform.url, other.url)
        platform.items[-1]["id"] = address
        code, _, err = push("--yes")
        assert code == 3
        assert "no token goes there" in err
        assert other.requests == []
        assert urlsplit(other.url).port != urlsplit(platform.url).port
    finally:
        other.close()


def test_no_access_stops_everything(push: Any, platform: Any) -> None:
    platform.fail("POST", "/scores", 403, {"error": "scope"}, times=9)
    code, _, err = push("--yes")
    assert code == 3
    assert "stopped, 2 not sent" in err


def test_an_unknown_user_does_not_stop_the_others(push: Any, platform: Any) -> None:
    platform.fail("POST", "/scores", 422, {"error": "user"})
    code, out, err = push("--yes")
    assert (code, "1 sent" in out, "Failed (1)" in err) == (3, True, True)


def test_users_without_the_columns_are_refused(push: Any, tmp_path: Path) -> None:
    push()
    (tmp_path / "users.csv").write_text("sub;login\n1;ada\n")
    grade_users = tmp_path / "users.csv"
    from grader.push.errors import PushError
    from grader.push.roster import read_users

    with pytest.raises(PushError, match="columns"):
        read_users(grade_users)
    grade_users.write_text("user,login\n7,ada\n7,grace\n")
    with pytest.raises(PushError, match="twice"):
        read_users(grade_users)


def test_a_key_that_is_none_is_not_shown(push: Any, key_file: Path) -> None:
    key_file.write_text("SECRETKEYTEXT")
    code, _, err = push()
    assert code == 3
    assert "no RSA key" in err
    assert "SECRETKEYTEXT" not in err
