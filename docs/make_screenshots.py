"""Makes the pictures of docs/ta.md: grades a small class of known solutions and looks at its pages.

    python docs/make_screenshots.py            needs the extras [test] and [review], and Chromium

Names are made up; the code is that of tests/wheats and tests/chaffs. Pictures have a palette, which keeps
them small.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image  # comes with matplotlib
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = Path(__file__).resolve().parent / "pictures"
CHROMIUM = "/usr/bin/chromium"
SEED = 11
COLOURS = 96  # of a picture: text stays sharp at a third of the size
NAMES = (
    "Mei Tanaka", "Jonas Weber", "Amara Okafor", "Lucía Fernández", "Ravi Patel", "Ingrid Solberg",
    "Tomasz Nowak", "Chloé Martin", "Yusuf Demir", "Hana Kim", "Pedro Silva", "Nora Haddad", "Emeka Obi",
    "Freya Larsen", "Wei Zhang", "Olga Ivanova", "Samuel Cohen", "Priya Nair", "Mateo Rossi",
    "Zoë Janssen", "Kofi Mensah", "Lena Fischer", "Diego Torres", "Aisha Khan",
)  # fmt: skip
# A stem, a known mistake of it, and how many of the class have it.
MISTAKES = (
    ("masked_softmax", "inverted_mask", 5),
    ("dot_product_attention", "no_scale", 4),
    ("positional_encoding", "batch_axis_slice", 3),
    ("nw_kernel_regression", "no_square", 2),
)


def hand_in(folder: Path) -> None:
    """A folder a student: right solutions of several styles, and the mistakes."""
    rng = random.Random(SEED)
    stems = [path.stem for path in sorted((ROOT / "exercises").glob("*.py"))]
    places = [folder / login for login in logins()]
    for place in places:
        place.mkdir(parents=True)
        for stem in stems:
            wheats = [
                path for path in sorted((ROOT / "tests" / "wheats" / stem).glob("*.py")) if is_utf8(path)
            ]
            source = rng.choice(wheats) if wheats else ROOT / "solutions" / f"{stem}.py"
            copy(source, place / f"{stem}.py")
    rng.shuffle(places)
    for stem, mistake, count in MISTAKES:
        chaffs = sorted((ROOT / "tests" / "chaffs" / stem).glob("*.py"))
        wanted = [one for one in chaffs if one.stem == mistake] or chaffs
        for _ in range(count):
            copy(wanted[0], places.pop() / f"{stem}.py")


def is_utf8(path: Path) -> bool:
    """Some cases are about other encodings."""
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def copy(source: Path, target: Path) -> None:
    """Without the first line, which says what the case is for."""
    lines = source.read_text("utf-8").splitlines(keepends=True)
    is_label = lines[0].startswith(("# CHAFF", "# WHEAT"))
    target.write_text("".join(lines[1:] if is_label else lines), "utf-8")


def logins() -> list[str]:
    """A login for every name: first letter and family name, in ASCII."""
    plain = (unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower() for name in NAMES)
    return [name[0] + name.split()[-1] for name in plain]


def grade(place: Path) -> None:
    roster = place / "roster.csv"
    lines = ["name,login", *(f"{name},{login}" for name, login in zip(NAMES, logins(), strict=True))]
    roster.write_text("\n".join(lines) + "\n", "utf-8")
    command = [
        sys.executable,
        "-m",
        "grader",
        "batch",
        str(place / "submissions"),
        "-o",
        str(place / "batch"),
    ]
    options = ["--roster", str(roster), "--isolation", "auto", "--quiet"]
    subprocess.run([*command, *options], check=True, cwd=ROOT)


@contextmanager
def pages(batch: Path) -> Iterator[str]:
    """The printed link of the pages over the batch."""
    command = [sys.executable, "-m", "grader", "review", str(batch), "--as", "Kim (TA)"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        yield next(line.strip() for line in process.stdout if line.startswith("  http"))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def shoot(link: str, folder: Path) -> None:
    """A TA's evening, a picture at each step."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 900})
        page.goto(link)
        keep(page, folder / "class.png")
        page.locator("section[aria-labelledby=alike] a").first.click()
        page.get_by_label("Comment", exact=True).fill(
            "Your mask hides the valid keys and shows the padding: see 11.3.1."
        )
        keep(page, folder / "cluster.png")
        page.get_by_role("button", name="Comment", exact=True).click()
        page.locator("[data-row]").first.click()
        keep(page, folder / "submission.png")
        page.goto(page.url.split("?")[0] + "/../../history")
        keep(page, folder / "history.png")
        dark = browser.new_context(color_scheme="dark", viewport={"width": 400, "height": 800}).new_page()
        dark.goto(link)
        keep(dark, folder / "narrow-dark.png")
        browser.close()


def keep(page: Any, path: Path) -> None:
    shot = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    shot.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} kB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="make the class there, and use one that is there"
    )
    arguments = parser.parse_args()
    PICTURES.mkdir(exist_ok=True)
    os.environ["TZ"] = "UTC"
    with tempfile.TemporaryDirectory() as scratch:
        place = arguments.keep or Path(scratch)
        if not (place / "batch").is_dir():
            hand_in(place / "submissions")
            grade(place)
        with pages(place / "batch") as link:
            shoot(link, PICTURES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
