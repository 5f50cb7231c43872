"""What can be used is on a page; a page that states a figure says how it is measured."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import grader.classroom.layouts
from grader.bundles.tree import bundle_names
from grader.cli import cli
from grader.exports.targets import target_names

ROOT = Path(__file__).parents[3]
INSTRUCTOR, AUTHORS = "docs/instructor.md", "docs/authors.md"
COMMANDS = cli.list_commands(click.Context(cli))
LAYOUTS = sorted(module.name for module in pkgutil.iter_modules(grader.classroom.layouts.__path__))
PLUGIN = ast.parse((ROOT / "grader" / "suite" / "plugin.py").read_text("utf-8"))
OPTIONS = [
    (command, tuple(parameter.opts))
    for command in COMMANDS
    for parameter in getattr(cli.get_command(click.Context(cli), command), "params", ())
    if isinstance(parameter, click.Option)
]
# A measured time, size or rate, as in "0.35 s a submission" or "took 70 MB".
FIGURE = re.compile(
    r"\b(took|takes|measured:?\**|needs) (about )?\d[\d.,]* ?(ms|s|seconds|kB|MB|GB)\b"
    r"|\d ?(ms|s|seconds) (a|per|each|for each) (submission|call|save|student)\b"
    r"|\d (a|an|per) hour\b|\b\d[\d.,]* times (as|faster|slower)"
)
SCRIPT = re.compile(r"python ((?:tests|docs)/\S+\.py)((?: --?[a-z-]+(?: [\w,]+)?)*)")


def decorated(decorator: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(PLUGIN):
        if isinstance(node, ast.FunctionDef) and decorator in map(ast.unparse, node.decorator_list):
            yield node


def markers() -> list[str]:
    """As the plugin gives them to pytest: `points(n): what it is`."""
    configure = next(
        node
        for node in ast.walk(PLUGIN)
        if isinstance(node, ast.FunctionDef) and node.name == "pytest_configure"
    )
    texts = [node.value for node in ast.walk(configure) if isinstance(node, ast.Constant)]
    found = (re.match(r"(\w+)[(:]", str(text)) for text in texts)
    return [match[1] for match in found if match]


MARKERS, FIXTURES = markers(), [node.name for node in decorated("pytest.fixture")]


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@pytest.fixture(scope="module")
def everything(pages: tuple[Path, ...]) -> str:
    return "\n".join(page.read_text("utf-8") for page in pages)


def test_the_lists_are_not_empty() -> None:
    assert len(COMMANDS) > 12
    assert {"points", "hint", "needs", "accelerator"} <= set(MARKERS)
    assert {"student", "reference", "tensors", "assert_close"} <= set(FIXTURES)
    assert {"canvas", "single"} <= set(LAYOUTS)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_on_a_page(command: str, everything: str) -> None:
    assert re.search(rf"\bgrade {command}\b", everything)


@pytest.mark.parametrize(("command", "names"), OPTIONS, ids=lambda given: str(given))
def test_option_is_on_a_page_that_names_its_command(
    command: str, names: tuple[str, ...], pages: tuple[Path, ...]
) -> None:
    """In its long form or its short one."""
    option = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})(?![\w-])")
    texts = [page.read_text("utf-8") for page in pages]
    assert any(option.search(text) for text in texts if re.search(rf"\bgrade {command}\b", text))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_is_on_the_instructors_page(layout: str) -> None:
    assert f"`{layout}`" in text_of(INSTRUCTOR)


@pytest.mark.parametrize(
    "name", sorted({*bundle_names(), *target_names("results"), *target_names("gradefiles")})
)
def test_bundle_and_export_is_on_a_page_for_admins_or_instructors(name: str) -> None:
    assert re.search(rf"\b{name}\b", text_of("docs/lms/README.md") + text_of("docs/lms-admin.md"))


@pytest.mark.parametrize("marker", MARKERS)
def test_marker_is_on_the_authors_page(marker: str) -> None:
    assert f"pytest.mark.{marker}" in text_of(AUTHORS)


@pytest.mark.parametrize("fixture", FIXTURES)
def test_fixture_is_on_the_authors_page(fixture: str) -> None:
    assert f"`{fixture}`" in text_of(AUTHORS)


def test_a_figure_names_the_script_that_measures_it(page: Path) -> None:
    sections = re.split(r"^#+ ", page.read_text("utf-8"), flags=re.MULTILINE)
    bare = [
        figure[0]
        for section in sections
        for figure in FIGURE.finditer(section)
        if not re.search(r"python tests/benchmarks/\w+\.py", section)
    ]
    assert bare == []


def test_a_script_on_a_page_is_there_and_has_its_options(page: Path) -> None:
    for found in SCRIPT.finditer(page.read_text("utf-8")):
        text = text_of(found[1])
        for option in set(re.findall(r" (--[a-z-]+)", found[2])) - {"--help"}:
            assert f'"{option}"' in text, f"{found[1]} has no {option}"


def test_make_can_make_what_a_page_says(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    assert (
        set(re.findall(r"(?:^|`)make ([a-z]+)(?:`| {2,}#)", page.read_text("utf-8"), re.MULTILINE)) <= targets
    )


@pytest.mark.parametrize(
    ("sentence", "is_claim"),
    [
        ("0.35 s a submission", True),
        ("about 10,000 an hour", True),
        ("The parent process took 70 MB", True),
        ("a timeout of at least 180 s", False),
        ("points = 20", False),
    ],
)
def test_what_counts_as_a_figure(sentence: str, is_claim: Any) -> None:
    assert bool(FIGURE.search(sentence)) is is_claim
