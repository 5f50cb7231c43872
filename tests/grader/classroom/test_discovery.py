"""Discovery beyond the samples: several paths, hostile input, and the promise that nothing gets lost."""

from __future__ import annotations

import os
import random
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom import Discovery, DiscoveryError, discover, find_layouts, load_roster
from grader.classroom.wording import describe_discovery

STEMS = ("masked_softmax", "positional_encoding")
Build = Callable[..., Path]


def ids(discovery: Discovery) -> list[str]:
    return [one.id for one in discovery.found]


def reasons(discovery: Discovery) -> dict[str, str]:
    return {one.path: one.reason for one in discovery.skipped}


def test_missing_path_is_named() -> None:
    with pytest.raises(DiscoveryError, match="`no such folder` does not exist"):
        discover([Path("no such folder")])


def test_unknown_layout_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(DiscoveryError) as caught:
        discover([tmp_path], layout="canvsa")
    assert all(name in caught.value.hint for name in find_layouts())


def test_broken_zip_is_refused_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(DiscoveryError, match="cannot be read as a zip file"):
        discover([tmp_path / "class.zip"])


def test_empty_folder_gives_an_empty_class(tmp_path: Path) -> None:
    discovery = discover([tmp_path])
    assert (discovery.found, discovery.counts.entries) == ((), 0)


def test_metadata_that_is_not_yaml_is_refused(build: Build) -> None:
    place = build("folder", {"submission_metadata.yml": "a: [1", "submission_1/a.py": "x"})
    with pytest.raises(DiscoveryError, match="not valid YAML"):
        discover([place])


def test_gradescope_without_metadata_is_refused(build: Build) -> None:
    with pytest.raises(DiscoveryError, match=r"holds no `submission_metadata\.yml`"):
        discover([build("folder", {"submission_1/a.py": "x"})], layout="gradescope")


def test_yaml_tags_construct_nothing(build: Build) -> None:
    evil = "submission_1:\n  :submitters:\n  - :name: !!python/object/apply:os.getcwd []\n    :sid: 01\n"
    (one,) = discover([build("folder", {"submission_metadata.yml": evil, "submission_1/a.py": "x"})]).found
    assert (one.student.name, one.student.sis_id) == ("", "01")


def test_paths_of_one_folder_are_a_class(build: Build) -> None:
    place = build("folder", {"ada/masked_softmax.py": "x", "bob/src/masked_softmax.py": "x", "eve.py": "x"})
    discovery = discover([place / "ada", place / "bob", place / "eve.py"], stems=STEMS)
    assert ids(discovery) == ["ada", "bob", "eve"]


def test_one_file_is_a_submission_called_after_it(build: Build) -> None:
    place = build("folder", {"eve.py": "x", "bob.py": "x"})
    assert ids(discover([place / "eve.py"])) == ["eve"]


def test_assignment_folders_of_nbgrader_by_shell_pattern(build: Build) -> None:
    place = build("folder", {"ada/hw1/a.ipynb": "{}", "bob/hw1/a.ipynb": "{}"}, "submitted")
    discovery = discover(sorted(place.glob("*/hw1")))
    assert (discovery.layout, ids(discovery)) == ("nbgrader", ["ada", "bob"])


def test_sections_are_classes_when_file_names_repeat_in_each(build: Build) -> None:
    first = build("folder", {"ada/masked_softmax.py": "x", "bob/masked_softmax.py": "x"}, "lab1")
    second = build("folder", {"ada/masked_softmax.py": "x", "eve/masked_softmax.py": "x"}, "lab2")
    discovery = discover([first, second], stems=STEMS)
    assert len(set(ids(discovery))) == 4
    assert sorted(one.student.name for one in discovery.found) == ["ada", "ada", "bob", "eve"]
    assert discovery.counts.is_balanced


def test_copies_kept_by_one_student_do_not_make_a_class(build: Build) -> None:
    files = {"ada/v1/masked_softmax.py": "x", "ada/v2/masked_softmax.py": "x", "bob/masked_softmax.py": "x"}
    place = build("folder", files)
    assert ids(discover([place], stems=STEMS)) == ["ada", "bob"]
    assert ids(discover([place / "ada", place / "bob"], stems=STEMS)) == ["ada", "bob"]


def test_downloads_of_two_systems_are_taken_together(build: Build) -> None:
    canvas = build("zip", {"turingalan_1_2_masked_softmax.py": "x"}, "canvas")
    moodle = build("zip", {"Emmy Noether_3_assignsubmission_file/masked_softmax.py": "x"}, "moodle")
    discovery = discover([canvas, moodle], stems=STEMS)
    assert (discovery.layout, ids(discovery)) == ("canvas and moodle", ["Emmy-Noether_3", "turingalan_1"])


def test_path_inside_another_path_counts_once(build: Build) -> None:
    place = build("folder", {"ada/masked_softmax.py": "x", "bob/masked_softmax.py": "x"})
    discovery = discover([place / "ada", place / "ada" / "masked_softmax.py", place / "bob"], stems=STEMS)
    assert discovery.counts.entries == 2


def test_links_are_accounted_for_and_not_followed(build: Build, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.py").write_text("x")
    place = build("folder", {"ada/masked_softmax.py": "x"})
    try:
        (place / "bob").symlink_to(secret)
        (place / "ada" / "positional_encoding.py").symlink_to(secret / "key.py")
        (place / "ada" / "loop").symlink_to(place)
    except OSError:
        pytest.skip("this system gives no links")
    discovery = discover([place], stems=STEMS)
    (ada,) = discovery.found
    assert {placed.path: placed.entry.kind for placed in ada.files} == {
        "masked_softmax.py": "file",
        "positional_encoding.py": "link",
        "loop": "link",
    }
    assert "symbolic link" in reasons(discovery)["bob"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_pipe_is_listed_and_never_opened(build: Build) -> None:
    place = build("folder", {"ada/masked_softmax.py": "x"})
    os.mkfifo(place / "ada" / "positional_encoding.py")
    (ada,) = discover([place], stems=STEMS).found
    assert sorted(placed.entry.kind for placed in ada.files) == ["file", "special"]


def test_hostile_zip_entries_cost_nobody_else(tmp_path: Path) -> None:
    place = tmp_path / "class.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/masked_softmax.py", "x")
        archive.writestr("../../etc/cron.d/x.py", "x")
        archive.writestr("/etc/passwd", "x")
        archive.writestr("C:\\Windows\\x.py", "x")
        archive.writestr("d/" * 500 + "x.py", "x")
        archive.writestr("bob/masked_softmax.py", b"\0" * (8 * 1024 * 1024))
        link = zipfile.ZipInfo("eve/masked_softmax.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the name that is there twice
            archive.writestr("dan/masked_softmax.py", "old")
            archive.writestr("dan/masked_softmax.py", "new")
    discovery = discover([place], stems=STEMS)
    found = {one.id: one.files[0].entry for one in discovery.found}
    assert sorted(found) == ["ada", "bob", "dan", "eve"]
    assert "times" in found["bob"].problem
    assert "symbolic link" in found["eve"].problem
    assert found["dan"].member == 8
    assert len(discovery.skipped) == 5
    assert discovery.counts.is_balanced
    assert not (tmp_path / "ada").exists()


def test_names_that_mislead_are_shown_escaped_and_ids_are_safe(tmp_path: Path) -> None:
    names = [
        "a\u202egnp.exe",
        "b\x1b[31m\nred",
        "CON",
        "-ö..",
        "x" * 220,
        "Ada",
        "ADA",
        "é",
        "e\u0301",
        "B?*:",
    ]
    place = tmp_path / "class.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for name in names:
            archive.writestr(f"{name}/masked_softmax.py", "x")
    discovery = discover([place], stems=STEMS)
    assert len({one.casefold() for one in ids(discovery)}) == len(names)
    for one in discovery.found:
        assert all(char.isalnum() or char in "-_.+" for char in one.id)
        assert not one.id.startswith((".", "-"))
        assert len(one.id.encode()) <= 120
        assert one.id.lower() != "con"
        (tmp_path / f"{one.id}.json").write_text("")
        assert one.student.name.isprintable()
    assert all(line.isprintable() for line in describe_discovery(discovery))


def test_ids_do_not_depend_on_who_else_is_there(build: Build) -> None:
    files = {"Ada L/masked_softmax.py": "x", "Ada-L/masked_softmax.py": "x", "bob/masked_softmax.py": "x"}
    place = build("folder", files)
    before = ids(discover([place], stems=STEMS))
    (place / "aaron").mkdir()
    after = ids(discover([place], stems=STEMS))
    assert len(set(before)) == 3
    assert set(before) < set(after)


def test_students_with_one_name_are_told_apart_and_noted(build: Build) -> None:
    discovery = discover([build("zip", {"leekim_1_2_a.py": "x", "leekim_3_4_a.py": "x"})])
    assert ids(discovery) == ["leekim_1", "leekim_3"]
    assert "Another submission has the same name: `leekim_3`." in discovery.found[0].notes


def test_environment_in_a_submission_is_one_entry(build: Build) -> None:
    files = {"ada/masked_softmax.py": "x", "bob/env/pyvenv.cfg": "x", "bob/masked_softmax.py": "x"}
    files |= {f"bob/env/lib/{number}.py": "x" for number in range(20)}
    for kind in ("folder", "zip"):
        discovery = discover([build(kind, files)], stems=STEMS)
        assert discovery.counts.entries == 3
        bob = discovery.found[1]
        assert {placed.path: placed.entry.kind for placed in bob.files} == {
            "masked_softmax.py": "file",
            "env": "not entered",
        }


def test_folder_and_zip_file_agree(build: Build) -> None:
    files = {
        "w/ada/a/b.py": "x",
        "w/ada/.hidden": "x",
        "w/bob/": None,
        "w/eve/sub/.DS_Store": "x",
        "w/n.md": "x",
    }
    folder, packed = (discover([build(kind, files)], stems=STEMS) for kind in ("folder", "zip"))
    assert folder.counts == packed.counts
    assert ids(folder) == ids(packed) == ["ada", "bob", "eve"]
    assert reasons(folder) == reasons(packed)


def test_attachment_numbers_of_any_length_are_harmless(build: Build) -> None:
    long = "9" * 100
    discovery = discover(
        [build("zip", {f"ada_{long}_{long}_a.py": "x", "bob_1_2_a.py": "x"})], layout="canvas"
    )
    assert discovery.counts.is_balanced


@pytest.mark.parametrize("layout", [None, *sorted(find_layouts())])
@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_count_in_is_count_out_for_any_names(layout: str | None, kind: str, build: Build) -> None:
    dice = random.Random(f"{layout} {kind}")
    pieces = [
        "ada", "bob_LATE_5_6_x.py", "ada_5_7_x.py", "ada_5_8_x-1.py", "anon_1_2_x.py", "submitted", "source",
        "Ada_9_assignsubmission_file", "B_8_assignsubmission_onlinetext_t.html", "index.html", "hw-ada",
        "HW_ada_attempt_2026-01-01-01-01-01.txt", "HW_ada_attempt_2026-01-01-01-01-02_x.py", ".git",
        "1-2 - Ada - Oct 1, 2026 100 AM", "ada+hw+2026-01-01 00:00:00 UTC", ".DS_Store", "masked_softmax.py",
        "empty/", "a.zip", "pyvenv.cfg", "nbgrader_config.py",
    ]  # fmt: skip
    for turn in range(12):
        names = {"/".join(dice.choices(pieces, k=dice.randint(1, 4))).replace("//", "/") for _ in range(12)}
        parents = {name[:place] for name in names for place, char in enumerate(name) if char == "/"}
        files = {name: "x" for name in names if name not in parents and name.rstrip("/") not in parents}
        files |= {"submission_metadata.yml": "ada: {}\n"} if layout == "gradescope" else {}
        discovery = discover([build(kind, files, f"c{turn}")], layout=layout, stems=STEMS)
        counts = discovery.counts
        assert counts.entries == counts.graded + counts.older + counts.skipped
        assert len({one.id.casefold() for one in discovery.found}) == counts.submissions


def test_description_says_layout_counts_and_reasons(build: Build) -> None:
    files = {"leekim_LATE_1_2_a.py": "x", "leekim_1_1_a.py": "x", "poebo_3_4_a.py": "x", "notes.txt": "x"}
    lines = "\n".join(describe_discovery(discover([build("zip", files)])))
    assert "Layout `canvas` (Canvas" in lines
    assert "2 files in 2 submissions, 1 in 1 older attempt; 1 skipped." in lines
    assert "1 late: `leekim_1`." in lines
    assert "Skipped `notes.txt`: has no name of the kind that Canvas gives." in lines


def test_students_folder_named_like_another_team_stays_theirs(build: Build, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("login,group\na,B\nb,A\nc,A\n")
    place = build("folder", {"a/masked_softmax.py": "x", "b/masked_softmax.py": "x"})
    discovery = discover([place], roster=load_roster(tmp_path / "roster.csv"), stems=STEMS)
    assert [one.group for one in discovery.found] == [(), ()]
    assert [one.login for one in discovery.without_submission] == ["c"]


def test_description_of_a_plain_class_is_short(build: Build) -> None:
    found = discover([build("zip", {"leekim_1_1_a.py": "x", "poebo_3_4_a.py": "x"})])
    assert describe_discovery(found)[1] == "2 files in 2 submissions; nothing skipped."
