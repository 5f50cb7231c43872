"""Pictures as SVG: `draw` gives markup to put into a page. matplotlib is imported only when one is drawn.

A picture that many need is drawn once: right answers share theirs. The markup depends on nothing but the
picture, its ids occur in no other picture's, and its text is drawn in the colour of the text around it.
"""

from __future__ import annotations

import hashlib
import threading
import warnings
import zlib
from html import escape

from grader.pictures import Heatmaps, Picture
from grader.report.recent import Recent

_STRUCK_OUT = "Cells with a stroke are masked and must get no weight."
MAX_KEPT_BYTES = 2 << 20

# Packed, a markup of 30 kB takes 4: there is room for those of all right answers and many wrong ones.
_packed: Recent[bytes] = Recent(MAX_KEPT_BYTES, len)
# matplotlib's settings belong to the process, so one thread draws at a time.
_lock = threading.Lock()


def draw(picture: Picture) -> str:
    """An `<svg>` element with a title and a description; to be put into HTML as it is."""
    with _lock:
        packed = _packed.get(repr(picture), lambda: zlib.compress(_draw_anew(picture).encode(), 1))
    return zlib.decompress(packed).decode()


def _draw_anew(picture: Picture) -> str:
    from grader.report.pictures_drawing import draw_svg

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numbers that only a wrong answer has
            return draw_svg(picture, _name(picture), description(picture))
    except Exception:  # noqa: BLE001  # the numbers are a student's: a page goes on without this picture
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 320 30" width="320" height="30">'
            '<text x="0" y="20" font-size="14" fill="currentColor">These numbers cannot be drawn.</text>'
            "</svg>"
        )


def figure(picture: Picture) -> str:
    """The picture with its title and what there is to see, as a `<figure>`."""
    told = f"{picture.summary} {_STRUCK_OUT if _has_masked(picture) else ''}".strip()
    summary = f' <span class="gr-summary">{escape(told)}</span>' if told else ""
    return (
        f'<figure class="gr-picture"><figcaption><b>{escape(picture.title)}</b>{summary}</figcaption>'
        f'<div class="gr-scroll" tabindex="0" role="group" aria-label="{escape(picture.title)}">'
        f"{draw(picture)}</div></figure>"
    )


def _has_masked(picture: Picture) -> bool:
    return isinstance(picture, Heatmaps) and any(row.masked is not None for row in picture.rows)


def description(picture: Picture) -> str:
    """What a reader who does not see the picture is told."""
    return f"{picture.alt} {picture.summary}".strip()


def _name(picture: Picture) -> str:
    """A name that no other picture has, for ids."""
    return "p" + hashlib.blake2b(repr(picture).encode(), digest_size=6).hexdigest()
