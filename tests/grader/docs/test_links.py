"""Links between the pages lead somewhere, and the pages build without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[3]
LOADED = re.compile(
    r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^\"']+", re.IGNORECASE
)


def links_of(tokens: Any) -> Iterator[str]:
    for token in tokens:
        in_html = re.search(r'<img src="([^"]+)"', token.content) if token.type.startswith("html") else None
        target = in_html[1] if in_html else token.attrGet("href") or token.attrGet("src")
        if isinstance(target, str) and not re.match(r"[a-z]+:", target):
            yield unquote(target)


def anchors_of(tokens: Any) -> set[str]:
    """As code hosts make them: lower case, words joined by hyphens, punctuation dropped."""
    found: dict[str, int] = {}
    after_heading = False
    for token in tokens:
        if after_heading and token.type == "inline":
            slug = re.sub(r"[^\w\- ]", "", token.content.lower().replace("`", "")).replace(" ", "-")
            found[slug] = found.get(slug, -1) + 1
        after_heading = token.type == "heading_open"
    return {
        f"{slug}-{number}" if number else slug for slug, last in found.items() for number in range(last + 1)
    }


def test_every_link_leads_somewhere(page: Path, page_tokens: Any) -> None:
    broken = []
    for link in links_of(page_tokens(page)):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.is_file():
            broken.append(link)
        elif anchor and anchor not in anchors_of(page_tokens(target)):
            broken.append(f"{link}: no such heading")
    assert broken == []


def test_every_page_is_linked_from_the_index(pages: tuple[Path, ...], page_tokens: Any) -> None:
    """Within two steps, so that nobody has to know that a page exists."""
    near = _linked(ROOT / "docs" / "index.md", page_tokens)
    reached = {*near, *(far for page in near for far in _linked(page, page_tokens))}
    own = {page for page in pages if page.is_relative_to(ROOT / "docs")} - {ROOT / "docs" / "index.md"}
    assert own - reached == set()


def _linked(page: Path, page_tokens: Any) -> set[Path]:
    targets = {(page.parent / link.partition("#")[0]).resolve() for link in links_of(page_tokens(page))}
    return {target for target in targets if target.suffix == ".md" and target.is_file()}


def test_every_picture_is_shown_and_small(pages: tuple[Path, ...], page_tokens: Any) -> None:
    shown = {(page.parent / link).resolve() for page in pages for link in links_of(page_tokens(page))}
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert [picture.name for picture in pictures if picture not in shown] == []
    assert [picture.name for picture in pictures if picture.stat().st_size >= 150_000] == []


def test_the_pages_build_and_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the extra `docs` is not installed")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-b", "html"]
    places = map(str, ("-d", tmp_path / "read", ROOT / "docs", tmp_path / "html"))
    ended = subprocess.run([*build, *places], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    built = list((tmp_path / "html").rglob("*.html"))
    assert len(built) > 30
    assert [page.name for page in built if LOADED.search(page.read_text("utf-8"))] == []
