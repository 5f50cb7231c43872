"""The pages in a real Chromium: a TA's evening, two TAs at once, an attack, and no barrier on any page."""

from __future__ import annotations

import csv
import io
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = "/usr/bin/chromium"
if not Path(CHROMIUM).exists():
    pytest.skip(f"there is no {CHROMIUM}: `apt install chromium`", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

ALIKE = ("ben", "cyd", "dan", "eve")
PAGES = (
    "/",
    "/?misconception=adds_two",
    "/?search=nobody-at-all",
    "/clusters",
    "/submissions/ada",
    "/submissions/ben?path=double.py&line=2",
    "/submissions/mal",
    "/submissions/zoe",
    "/submissions/nobody",
    "/history",
    "/exports",
    "/regrade",
    "/no/such/page",
)
WAIT_MS = 20_000


@dataclass(frozen=True)
class Server:
    """A running `grade review`."""

    process: subprocess.Popen[str]
    link: str

    @property
    def url(self) -> str:
        return self.link.partition("/enter")[0]


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "grader", "review", str(folder), "--as", "mei", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        link = next((line.strip() for line in process.stdout if line.startswith("  http")), "")
        assert link
        yield Server(process, link)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def course(graded: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One copy of the class for all browsers of this module."""
    return graded.copy_to(tmp_path_factory.mktemp("browser") / "small")


@pytest.fixture(scope="module")
def server(course: Any) -> Iterator[Server]:
    with serving(course.batch) as running:
        yield running


@pytest.fixture
def browse(chromium: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """`browse()`: a new browser, signed in, that must see no dialog and no broken rule of its own."""
    contexts, complaints = [], []

    def open_browser(link: str = server.link, **settings: Any) -> Any:
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if _is_complaint(said) else None)
        page.goto(link)
        return page

    yield open_browser
    for context in contexts:
        context.close()
    assert complaints == []


def _is_complaint(said: Any) -> bool:
    """Anything but that a page was answered with the status of a refusal, which some tests are about."""
    return said.type in ("error", "warning") and "responded with a status of" not in said.text


def exported(page: Any) -> dict[str, dict[str, str]]:
    """The grades, downloaded as a TA does."""
    page.get_by_role("link", name="Exports").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download grades.csv").first.click()
    text = Path(started.value.path()).read_text("utf-8-sig")
    return {row["submission"]: row for row in csv.DictReader(io.StringIO(text))}


def test_an_evening(browse: Any, course: Any) -> None:
    page = browse()
    assert "token" not in page.url
    page.get_by_role("link", name="adds two").first.click()
    page.get_by_label("Comment", exact=True).fill("Doubling multiplies: see chapter 2.")
    page.get_by_role("button", name="Comment", exact=True).click()
    assert "Done:" in page.get_by_role("status").inner_text()
    page.get_by_role("link", name="ben").first.click()
    assert "Doubling multiplies: see chapter 2." in page.locator("main").inner_text()
    before = exported(page)["ben"]

    page.goto(page.url.replace("/exports", "/submissions/ben"))
    page.get_by_text("Comment or change points of: Every element is doubled.").click()
    page.get_by_label("Points (of 3)").first.fill("2.5")
    page.get_by_label("Reason").first.fill("The idea is right.")
    page.get_by_role("button", name="Set points").first.click()
    assert "The idea is right." in page.locator("main").inner_text()
    assert float(exported(page)["ben"]["score"]) == float(before["score"]) + 2.5

    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_role("status").first.wait_for()
    assert exported(page)["ben"]["score"] == before["score"]

    course.hand_in("ben")
    page.goto(page.url.replace("/exports", "/submissions/ben"))
    assert "since it was graded" in page.locator("main").inner_text()
    page.get_by_role("button", name="Regrade").click()
    page.locator("strong", has_text="Done.").wait_for(timeout=90_000)
    after = exported(page)["ben"]
    assert float(after["score"]) == 6 > float(before["score"])
    assert "see chapter 2" in page.request.get(page.url.replace("/exports", "/submissions/ben")).text()


def test_an_attack_is_text_and_nothing_else(browse: Any, course: Any) -> None:
    page = browse()
    for path in ("/", "/submissions/mal", "/clusters"):
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + path)
        assert "owned" not in page.title()
        assert (
            page.locator(
                "main script, main img[onerror], main [onmouseover], main iframe, main style"
            ).count()
            == 0
        )
    page.go_back()
    shown = page.locator(".source").first.locator("code").all_inner_texts()
    source = (course.students / "mal" / "double.py").read_text("utf-8").rstrip("\n").split("\n")
    visible = [line.replace("\u202e", "\\u202e").replace("\u2066", "\\u2066") for line in source]
    visible = [line.replace("\x1b", "\\x1b").replace("\x07", "\\x07") for line in visible]
    assert [line for line in shown if line] == visible


def barriers(page: Any) -> list[Any]:
    """What axe-core calls serious or worse on the page as it is, with everything unfolded."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = [
        one for one in Axe().run(page).response["violations"] if one["impact"] in ("serious", "critical")
    ]
    nodes = [(one["id"], node["html"], node["failureSummary"]) for one in found for node in one["nodes"]]
    return [(page.url, *node) for node in nodes]


def test_no_page_has_a_barrier(browse: Any, server: Server) -> None:
    page = browse()
    cluster = page.locator("a[href^='/clusters/']").first.get_attribute("href")
    page.goto(server.url + "/submissions/ada")
    run = page.locator("section[aria-labelledby=runs] a").first.get_attribute("href")
    found = []
    for path in (*PAGES, cluster, run):
        answer = page.goto(server.url + path)
        assert answer.status == (404 if "/no" in path else 200)
        found += barriers(page)
    dark = browse(color_scheme="dark")
    for path in (
        "/?search=a",
        cluster,
        "/submissions/mal?path=double.py&line=2",
        "/history",
        "/no/such/page",
    ):
        dark.goto(server.url + path)
        found += barriers(dark)
    assert found == []


def test_the_page_before_the_link_has_no_barrier_either(browse: Any, server: Server) -> None:
    page = browse(server.url)
    assert "Open the link" in page.inner_text("h1")
    assert barriers(page) == []


@pytest.mark.parametrize(
    "path", ["/", "/submissions/ben?path=double.py&line=2", "/clusters", "/history", "/exports"]
)
def test_a_narrow_screen_never_scrolls_sideways(browse: Any, server: Server, path: str) -> None:
    page = browse(viewport={"width": 360, "height": 700})
    page.goto(server.url + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def opened_by(page: Any, key: str) -> str:
    """Where a key leads to."""
    with page.expect_navigation():
        page.keyboard.press(key)
    return str(page.url)


def test_keys_walk_through_the_class_and_can_be_turned_off(browse: Any, server: Server) -> None:
    page = browse()
    page.goto(server.url + "/submissions/cyd?misconception=adds_two")
    assert opened_by(page, "j").endswith("/submissions/dan?misconception=adds_two")
    assert opened_by(page, "k").endswith("/submissions/cyd?misconception=adds_two")
    page.keyboard.press("?")
    assert page.locator("#keys").get_attribute("open") is not None
    page.get_by_label("Use these keys in this browser").uncheck()
    page.keyboard.press("j")
    assert "/cyd" in page.url
    page.get_by_label("Use these keys in this browser").check()
    assert opened_by(page, "u").endswith("/?misconception=adds_two")
    second = page.locator("a[data-row]").nth(1).get_attribute("href")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert opened_by(page, "Enter").endswith(second)


def test_text_that_was_not_sent_is_not_lost_by_another_button(chromium: Any, server: Server) -> None:
    page = chromium.new_page()
    page.on("dialog", lambda dialog: dialog.dismiss())
    page.goto(server.link)
    page.goto(server.url + "/submissions/cyd")
    page.get_by_label("New comment").fill("Typed for long.")
    with page.expect_event("dialog") as asked:
        page.get_by_role("button", name="Mark as done").click(no_wait_after=True)
    assert asked.value.type == "beforeunload"
    assert page.get_by_label("New comment").input_value() == "Typed for long."
    page.close()


def test_everything_works_without_a_script(browse: Any, server: Server) -> None:
    page = browse(java_script_enabled=False)
    page.goto(server.url + "/submissions/dan")
    page.get_by_label("Comment on line 2 of double.py").click()
    page.locator("#text-line").fill("On this line.")
    page.locator("#text-line").locator("xpath=ancestor::form").get_by_role("button", name="Comment").click()
    assert "On this line." in page.locator(".source").first.inner_text()


def test_two_at_once_lose_nothing(browse: Any, server: Server) -> None:
    first, second = browse(), browse()
    for page in (first, second):
        page.goto(server.url + "/submissions/eve")
        page.get_by_text("Comment or change points of: Every element is doubled.").click()
    for page, points, why in ((first, "3", "All of it."), (second, "1", "A third of it.")):
        page.get_by_label("Points (of 3)").first.fill(points)
        page.get_by_label("Reason").first.fill(why)
        page.get_by_role("button", name="Set points").first.click()
    said = second.locator("main").inner_text()
    assert "All of it." in said
    assert second.get_by_label("Reason").input_value() == "A third of it."
    second.get_by_role("button", name="Do it all the same").click()
    second.get_by_role("status").first.wait_for()
    history = second.locator("section[aria-labelledby=history]").inner_text()
    assert "All of it." in history
    assert "A third of it." in history


def test_a_server_that_is_killed_while_it_saves_leaves_old_or_new(
    chromium: Any, graded: Any, tmp_path: Path
) -> None:
    course = graded.copy_to(tmp_path / "small")
    page = chromium.new_page()
    with serving(course.batch) as running:
        page.goto(running.link)
        page.goto(running.url + "/submissions/fay")
        page.get_by_label("New comment").fill("Half a word.")
        # The request is on its way, and its answer is never read.
        page.evaluate("document.getElementById('text-whole').form.requestSubmit()")
        os.kill(running.process.pid, signal.SIGKILL)
        running.process.wait(30)
    with sqlite3.connect(course.batch / "gradebook.sqlite") as book:
        assert book.execute("pragma integrity_check").fetchone() == ("ok",)
    with serving(course.batch) as running:
        page.goto(running.link)
        page.goto(running.url + "/submissions/fay")
        is_shown = page.locator(".said", has_text="Half a word.").count()
        is_told = page.locator("section[aria-labelledby=history]", has_text="Half a word.").count()
        assert is_shown == is_told
        page.get_by_label("New comment").fill("A whole one.")
        page.get_by_role("button", name="Comment", exact=True).first.click()
        page.locator(".said", has_text="A whole one.").wait_for()
    page.close()
