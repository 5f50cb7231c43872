"""Sphinx: a page per user, out of the Markdown that is read on a code host as well. `make docs` builds it.

Nothing is fetched, and no built page loads anything from elsewhere. A broken link is an error (`-W`).
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from grader import __version__

project = "attention-grader"
author = "The attention-grader authors"
version = release = __version__

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
# Links to a heading, `page.md#the-heading`, are made as code hosts make them.
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]  # a picture with a width of its own
# What a page shows may hold a placeholder that its language does not allow.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "attention-grader"
html_show_copyright = False
html_copy_source = False

ROOT = Path(__file__).parents[1]
# Pages whose text is a file beside this folder: on a code host they only point there.
ELSEWHERE = {"first-minutes": "README.md", "contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}
# The side bar. It is added here, since a code host would show it as a block of code.
CONTENTS = """
```{toctree}
:hidden:
:caption: A page per user

The first five minutes <first-minutes>
student
instructor
ta
lms-admin
authors
```

```{toctree}
:hidden:
:caption: Behind it

security
scaling
contributing
What is new <changelog>
```

```{toctree}
:hidden:
:glob:
:caption: Your LMS

lms/README
lms/*
```
"""
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def read_page(app: Sphinx, page: str, text: list[str]) -> None:
    """Sphinx's `source-read`: puts in what is written elsewhere, and the side bar."""
    if page == "index":
        text[0] += CONTENTS
    if page in ELSEWHERE:
        text[0] = LINK.sub(_as_seen_from_here, (ROOT / ELSEWHERE[page]).read_text("utf-8"))


def _as_seen_from_here(link: re.Match[str]) -> str:
    """A link of a file in the root, for a page of this folder."""
    target = link[1]
    named = {name: f"{page}.md" for page, name in ELSEWHERE.items()}
    inside = target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"
    return f"]({named.get(target, inside)})"


def setup(app: Sphinx) -> None:
    app.connect("source-read", read_page)
