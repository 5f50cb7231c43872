"""Makes matplotlib's SVG fit for a page: short, in its colours, without rules or ids that could clash."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

# matplotlib is told to draw in this colour; the page sees the colour of the text around the picture.
INK = "#010203"

_HEAD = re.compile(r"\A.*?<svg\b[^>]*>", re.DOTALL)
_VIEW = re.compile(r'viewBox="([^"]*)"')
# A style element inside a page would rule the whole page.
_DROPPED = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->|<style\b.*?</style>", re.DOTALL)
_ID = re.compile(r'\sid="([^"]*)"')
_USED = re.compile(r'(?:url\(#|href="#)([^)"]*)')
_STYLE = re.compile(r' style="([^"]*)"')
_FONT = re.compile(r"(?:(italic|bold|700)\s+)?([\d.]+)px\b.*")
_RECTANGLE = re.compile(
    r"M ([\d.]+) ([\d.]+) \nL ([\d.]+) \2 \nL \3 ([\d.]+) \nL \1 \4 \n(?:L \1 \2 \n)?z\n",
)
_PATH = re.compile(r' d="([^"]*)"')
_LONG = re.compile(r"(\d\.\d{2})\d+")
_UPRIGHT = re.compile(r' transform="rotate\(-0 [^)]*\)"')
_SPACE = re.compile(r">\s*\n\s*<")
_LONE_GROUP = re.compile(r"<g>(<text\b[^>]*>[^<]*</text>|<path\b[^>]*/>|<use\b[^>]*/>)</g>")
_ALIKE = re.compile(
    r'<g>((?:<path d="[^"]*" fill="[^"]*"( stroke="currentColor" stroke-width="[^"]*")/>)+)</g>'
)
_EMPTY = re.compile(r"<defs\s*/>|<defs></defs>|<g></g>")


class Label(NamedTuple):
    """A short text around a point, in inches from the upper left corner."""

    x: float
    y: float
    text: str
    colour: str


class Drawn(NamedTuple):
    """A figure of matplotlib's, and texts that are written over it."""

    figure: Any
    labels: tuple[Label, ...] = ()


def tidy(svg: str, name: str, title: str, description: str, labels: Iterable[Label] = ()) -> str:
    """One `<svg>` element, to be put into HTML; its ids begin with `name`."""
    head = _HEAD.match(svg)
    view = _VIEW.search(svg)
    if head is None or view is None:
        raise ValueError("this is no SVG")
    body = _own_ids(_DROPPED.sub("", svg[head.end() :]), name)
    body = body.replace(INK, "currentColor").replace("xlink:href", "href")
    body = _PATH.sub(_short_path, _STYLE.sub(_attributes, body))
    body = _LONG.sub(r"\1", _UPRIGHT.sub("", _SPACE.sub("><", body))).strip()
    body = _EMPTY.sub("", _LONE_GROUP.sub(r"\1", body))
    body = _ALIKE.sub(lambda group: f"<g{group[2]}>{group[1].replace(group[2], '')}</g>", body)
    labelled = f'role="img" aria-labelledby="{name}t {name}d"'
    told = f'<title id="{name}t">{escape(title)}</title><desc id="{name}d">{escape(description)}</desc>'
    width, height = (float(number) for number in view[1].split()[2:])
    size = f'width="{width:.0f}" height="{height:.0f}" stroke-linejoin="round"'
    written = _written(labels)
    return f'<svg class="gr-svg" viewBox="{view[1]}" {size} {labelled}>{told}{body[:-6]}{written}</svg>'


def _written(labels: Iterable[Label]) -> str:
    texts = [
        f'<text x="{one.x * 72:.1f}" y="{one.y * 72:.1f}" fill="{one.colour}">{escape(one.text)}</text>'
        for one in labels
    ]
    style = 'font-size="7" text-anchor="middle" dominant-baseline="central"'
    return f"<g {style}>{''.join(texts)}</g>" if texts else ""


def _own_ids(body: str, name: str) -> str:
    """Only ids that are used stay, under names of this picture's own."""
    used = {found: f"{name}-{number}" for number, found in enumerate(dict.fromkeys(_USED.findall(body)))}
    body = _ID.sub(lambda match: f' id="{used[match[1]]}"' if match[1] in used else "", body)
    return _USED.sub(lambda match: match[0].replace(f"#{match[1]}", f"#{used[match[1]]}"), body)


def _attributes(match: re.Match[str]) -> str:
    """Styles as attributes: a page may forbid styles inside its elements."""
    written = []
    for rule in match[1].split(";"):
        name, _, value = rule.strip().partition(": ")
        if name == "font-family":
            continue  # the page's
        if name == "font":
            written += _font(value)
        elif value:
            written.append(f'{name}="{value}"')
    return " " + " ".join(written)


def _font(value: str) -> list[str]:
    """The size, and italic or bold; the family is the page's."""
    found = _FONT.fullmatch(value)
    if found is None:
        return []
    kinds = {"italic": 'font-style="italic"', "bold": 'font-weight="bold"', "700": 'font-weight="bold"'}
    return [f'font-size="{found[2]}"', *([kinds[found[1]]] if found[1] else [])]


def _short_path(match: re.Match[str]) -> str:
    path = _RECTANGLE.sub(r"M\1 \2H\3V\4H\1z", match[1])
    return (
        f' d="{path.replace(" " + chr(10), "").replace(chr(10), "").replace("L ", "L").replace("M ", "M")}"'
    )
