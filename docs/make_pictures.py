"""Makes the pictures of the README: grades a homework and looks at what comes out.

    python docs/make_pictures.py               needs the extra [test] and Chromium

`table.svg` is what `grade submit` prints on a terminal, drawn by rich; `report.png` is the page that `--html`
writes, seen by a browser. The homework is the references with a known mistake of `tests/chaffs` in it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = Path(__file__).resolve().parent / "pictures"
CHROMIUM = "/usr/bin/chromium"
COLUMNS, COLOURS = 100, 128
MAX_BYTES = 150_000
# An exercise, and the known mistake of it that the homework has; the others are right.
STEM, MISTAKE = "masked_softmax", "inverted_mask"
WORDS = ("submit", "homework/", "--html", "homework.html", "--audience", "student", "--seed", "7")
# rich's SVG asks a font server for its font; whoever looks at it has one of their own.
FONT_FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def hand_in(folder: Path) -> None:
    shutil.copytree(
        ROOT / "solutions", folder, ignore=shutil.ignore_patterns("misconceptions", "__pycache__")
    )
    wrong = (ROOT / "tests" / "chaffs" / STEM / f"{MISTAKE}.py").read_text("utf-8")
    (folder / f"{STEM}.py").write_text(wrong.partition("\n")[2], "utf-8")  # without its label


def grade(place: Path) -> str:
    """What `grade submit` prints on a terminal; `homework.html` is written beside the homework."""
    environment = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    environment |= {
        "COLUMNS": str(COLUMNS),
        "TERM": "xterm-256color",
        "GRADE_ASSIGNMENT": str(ROOT),
        "PYTHONPATH": str(ROOT),
    }
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", *WORDS], cwd=place, env=environment,
        stdout=terminal, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(terminal)
    printed = bytearray()
    with contextlib.suppress(OSError):  # how Linux says that a terminal's other end is closed
        while part := os.read(screen, 65_536):
            printed += part
    os.close(screen)
    if process.wait() != 0:
        raise SystemExit(f"grade submit ended with {process.returncode}")
    return printed.decode().replace("\r\n", "\n")


def draw_table(printed: str, path: Path) -> None:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ grade {' '.join(WORDS)}\n{printed}"))
    drawn = console.export_svg(title="homework", theme=MONOKAI, unique_id="table")
    # No address is left in it but the one that says what SVG is, and no space that nobody sees.
    drawn = FONT_FACE.sub("", drawn).replace("<!-- Generated with Rich https://www.textualize.io -->", "")
    path.write_text("\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n", "utf-8")


def shoot_report(page_file: Path, path: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 1100})
        page.goto(page_file.as_uri())
        seen = page.screenshot(animations="disabled")
        browser.close()
    Image.open(io.BytesIO(seen)).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def main() -> int:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    if shutil.which("chromium") is None and not Path(CHROMIUM).is_file():
        raise SystemExit(f"There is no Chromium at {CHROMIUM}.")
    PICTURES.mkdir(exist_ok=True)
    table, report = PICTURES / "table.svg", PICTURES / "report.png"
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        hand_in(place / "homework")
        draw_table(grade(place), table)
        shoot_report(place / "homework.html", report)
    for path in (table, report):
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size // 1024} kB")
        if size >= MAX_BYTES:
            raise SystemExit(f"{path.name} is too large: at most {MAX_BYTES // 1000} kB.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
