"""Every target has a page that people find, and a test of its own."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from grader.bundles.tree import bundle_names, load_bundle
from grader.cli.push import command as push
from grader.exports.targets import Kind, load_format, load_gradefile, target_names

DOCS = Path(__file__).parents[3] / "docs" / "lms"
TESTS = Path(__file__).parents[1]
TARGETS: list[tuple[Kind, str]] = [
    (kind, name) for kind in ("results", "gradefiles") for name in target_names(kind)
]
PUSHES = sorted(push.commands)


@pytest.mark.parametrize(("kind", "name"), TARGETS)
def test_target_has_a_page_and_the_index_links_it(kind: Kind, name: str) -> None:
    page = (DOCS / f"{name}.md").read_text()
    command = f"--format {name}" if kind == "results" else f"grade export {name}"
    assert command in page
    assert f"({name}.md)" in (DOCS / "README.md").read_text()


@pytest.mark.parametrize(("kind", "name"), TARGETS)
def test_target_has_a_test(kind: Kind, name: str) -> None:
    assert (Path(__file__).parent / kind / f"test_{name.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("name", target_names("results"))
def test_page_names_every_setting(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text()
    for setting in load_format(name).settings:
        assert f"`{setting.name}`" in page or f"--with {setting.name}=" in page, setting.name


@pytest.mark.parametrize("name", target_names("gradefiles"))
def test_gradefile_has_a_title(name: str) -> None:
    assert load_gradefile(name).title


@pytest.mark.parametrize("name", bundle_names())
def test_bundle_has_a_page_with_its_settings_and_a_test(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text()
    assert f"grade bundle {name}" in page
    assert f"({name}.md)" in (DOCS / "README.md").read_text()
    for setting in load_bundle(name).settings:
        assert f"--with {setting.name}=" in page, setting.name
    assert (TESTS / "bundles" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("name", PUSHES)
def test_push_has_a_page_with_its_options_and_a_test(name: str) -> None:
    page = (DOCS / f"{name}-push.md").read_text()
    assert f"grade push {name}" in page
    assert f"({name}-push.md)" in (DOCS / "README.md").read_text()
    for parameter in push.commands[name].params:
        if isinstance(parameter, click.Option) and parameter.name not in ("quiet", "database"):
            assert f"`{parameter.opts[-1]}`" in page or f"{parameter.opts[-1]} " in page, parameter.opts
    assert (TESTS / "push" / f"test_{name}.py").is_file()


def test_no_page_without_a_target() -> None:
    known = {name for _, name in TARGETS} | set(bundle_names()) | {f"{name}-push" for name in PUSHES}
    assert {page.stem for page in DOCS.glob("*.md")} - {"README"} <= known
