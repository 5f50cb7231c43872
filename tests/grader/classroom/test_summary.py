"""The text of summary.json: written bit by bit, and the same as if it were written at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.classroom.summary import summary_pieces

HEAD: dict[str, Any] = {
    "version": "1.0", "batch": {"paths": ["a\nb"], "none": None, "empty": {}}, "counts": [], "é": 0.5,
}  # fmt: skip
LINES = [{"id": f"s{n}", "student": {"name": 'a "b"\n  c'}, "lost": {}, "group": []} for n in range(50)]


@pytest.mark.parametrize("lines", [[], LINES[:1], LINES], ids=len)
def test_the_pieces_make_what_the_whole_would_be(lines: list[dict[str, Any]]) -> None:
    whole = {**HEAD, "submissions": lines, "notes": ["last"]}
    text = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    assert "".join(summary_pieces({**whole, "submissions": iter(lines)})) == text
    assert "".join(summary_pieces(whole)) == text


def test_no_piece_is_longer_than_what_one_submission_needs() -> None:
    pieces = list(summary_pieces({"version": "1.0", "submissions": iter(LINES * 20)}))
    assert max(map(len, pieces)) < 200


def test_a_broken_letter_is_only_ugly() -> None:
    text = "".join(summary_pieces({"notes": ["\ud800"], "submissions": iter([{"id": "\udfff"}])}))
    assert json.loads(text) == {"notes": ["\ud800"], "submissions": [{"id": "\udfff"}]}
    assert text.isascii()


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        "".join(summary_pieces({"submissions": iter([{"score": float("nan")}])}))
