"""The way to an LTI platform: a signed assertion for a token, and requests that carry it.

A token goes only to the host and port of the grade service. What the platform did not read (429) is sent
again after the time that it names; an expired token (401) is renewed once.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import jwt

from grader.printable import printable
from grader.push.credentials import Secret, same_origin
from grader.push.errors import PushError, RefusedError, UncertainError
from grader.push.patience import TIMEOUT_S, TRIES, is_throttled, pause_s, rest

SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
SCOPES = " ".join(f"{SCOPE}{name}" for name in ("lineitem", "result.readonly", "score"))
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ASSERTION_LIFE_S = 300
MARGIN_S = 60
_UNAUTHORIZED, _FORBIDDEN, _SERVER_ERROR = 401, 403, 500


@dataclass(frozen=True)
class Registration:
    """What platform and tool have agreed on. `audience` is the token's address where it is empty."""

    token_address: str
    client_id: str
    key_id: str
    key: Secret
    audience: str = ""


@dataclass
class LtiAccess:
    """Requests to the grade service at `service`, an address of the platform."""

    registration: Registration
    service: str
    wait: Callable[[float], None] = rest
    _client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=TIMEOUT_S), repr=False)
    _token: Secret | None = None
    _renew_at: float = 0.0

    def close(self) -> None:
        self._client.close()

    def request(
        self,
        method: str,
        address: str,
        *,
        accept: str = "",
        body: bytes | None = None,
        kind: str = "",
        params: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """The platform's answer, whatever its code is below 500, but for 401 and 403.

        Raises:
            PushError: no access. UncertainError: no answer, or an error of the platform's own.
        """
        if not same_origin(address, self.service):
            shown = printable(address, 200, one_line=True)
            raise PushError(f"`{shown}` is not on the grade service's host: no token goes there.")
        headers = {"Accept": accept, "Content-Type": kind}
        sent = {name: value for name, value in headers.items() if value}
        for is_last in (False, True):
            sent["Authorization"] = f"Bearer {self._bearer().reveal()}"
            answer = self._patiently(method, address, headers=sent, content=body, params=params)
            if answer.status_code != _UNAUTHORIZED or is_last:
                break
            self._token = None
        if answer.status_code in (_UNAUTHORIZED, _FORBIDDEN):
            raise PushError(f"The platform refuses access ({answer.status_code}).", hint=said(answer))
        return answer

    def _bearer(self) -> Secret:
        if self._token is None or time.monotonic() >= self._renew_at:
            self._token = self._ask_for_token()
        return self._token

    def _ask_for_token(self) -> Secret:
        registration = self.registration
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": ASSERTION_TYPE,
            "client_assertion": _assertion(registration),
            "scope": SCOPES,
        }
        answer = self._patiently("POST", registration.token_address, data=form)
        fields = as_json(answer)
        token = fields.get("access_token") if isinstance(fields, dict) else None
        if not answer.is_success or not isinstance(token, str) or not token:
            raise PushError(f"The platform gives no token ({answer.status_code}).", hint=said(answer))
        life_s = fields.get("expires_in")
        is_number = isinstance(life_s, int | float) and not isinstance(life_s, bool)
        self._renew_at = time.monotonic() + max(0.0, (life_s if is_number else MARGIN_S) - MARGIN_S)
        return Secret(token)

    def _patiently(self, method: str, address: str, **fields: Any) -> httpx.Response:
        for number in range(1, TRIES + 1):
            try:
                answer = self._client.request(method, address, **fields)
            except httpx.HTTPError as err:
                raise UncertainError(f"The platform does not answer ({type(err).__name__}).") from err
            if not is_throttled(answer.status_code, answer.headers, answer.content):
                break
            if number == TRIES:
                raise PushError("The platform is still too busy (429).", hint="Run the command again later.")
            self.wait(pause_s(answer.headers, number))
        if answer.status_code >= _SERVER_ERROR:
            raise UncertainError(f"The platform failed ({answer.status_code}).")
        return answer


def _assertion(registration: Registration) -> str:
    now = int(time.time())
    claims = {
        "iss": registration.client_id,
        "sub": registration.client_id,
        "aud": registration.audience or registration.token_address,
        "iat": now,
        "exp": now + ASSERTION_LIFE_S,
        "jti": str(uuid.uuid4()),
    }
    try:
        key, headers = registration.key.reveal(), {"kid": registration.key_id}
        return jwt.encode(claims, key, algorithm="RS256", headers=headers)
    except (jwt.PyJWTError, ValueError, TypeError):
        # Without its cause: some libraries put the key into their message.
        raise PushError("The private key is no RSA key in PEM form.") from None


def as_json(answer: httpx.Response) -> Any:
    """What the answer says; None if it is no JSON."""
    try:
        return answer.json()
    except ValueError:
        return None


def expect_json(answer: httpx.Response, kind: type) -> Any:
    """What a good answer says.

    Raises:
        RefusedError: it is no good one, or of another kind than was promised.
    """
    found = as_json(answer)
    if not answer.is_success or not isinstance(found, kind):
        raise RefusedError(f"The platform refuses it ({answer.status_code}).", hint=said(answer))
    return found


def said(answer: httpx.Response) -> str:
    return printable(answer.text[:300], 300, one_line=True)
