"""How long to wait before asking a busy platform again."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

TRIES = 6
TIMEOUT_S = 60.0
MAX_PAUSE_S = 300.0
TOO_MANY, FORBIDDEN = 429, 403


def rest(seconds: float) -> None:
    """Wait so long."""
    time.sleep(seconds)


def is_throttled(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Was the request turned away unread because there were too many? It may then be sent again."""
    if status == TOO_MANY:
        return True
    # Canvas says 403, both for this and for what is not allowed.
    return status == FORBIDDEN and (b"rate limit exceeded" in body.lower() or _remaining(headers) <= 0)


def pause_s(headers: Mapping[str, str], number: int) -> float:
    """Seconds to wait after the try of this number (from 1), as the platform says or else ever longer."""
    named = _retry_after_s(headers.get("Retry-After", ""))
    return min(MAX_PAUSE_S, 2.0**number if named is None else max(0.0, named))


def _remaining(headers: Mapping[str, str]) -> float:
    try:
        return float(headers.get("X-Rate-Limit-Remaining", "inf"))
    except ValueError:
        return math.inf


def _retry_after_s(text: str) -> float | None:
    """Seconds, which are given as a number or as a date; None if as neither."""
    try:
        seconds = float(text)
        return seconds if math.isfinite(seconds) else None
    except ValueError:
        pass  # then it is a date, or nothing
    try:
        return (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds()
    except (TypeError, ValueError):
        return None
