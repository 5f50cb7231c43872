from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.errors import GraderError
from grader.report.schema import Report
from grader.report.writing import dump_report, read_report, write_pieces, write_report


def test_dumped_report_reads_back_as_itself(report: Report) -> None:
    text = dump_report(report, "staff")
    assert read_report(text) == report
    assert dump_report(read_report(text), "staff") == text
    assert text.endswith("}\n")


def test_letters_of_every_script_are_written_as_they_are(fields: dict[str, Any]) -> None:
    fields["submission"]["id"] = "Jürgen 王 שלום"
    assert "Jürgen 王 שלום" in dump_report(Report.model_validate(fields), "staff")


def test_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "results.json"
    target.write_text("old")
    write_report(target, "nëw\n")
    assert target.read_text(encoding="utf-8") == "nëw\n"
    assert list(tmp_path.iterdir()) == [target]


def test_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_report(tmp_path / "results.json", "x")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "results.json")}
    assert len(modes) == 1


@pytest.mark.parametrize("old", ["old", None])
def test_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str | None
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = tmp_path / "results.json"
    if old is not None:
        target.write_text(old)
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(GraderError) as caught:
        write_report(target, "new")
    assert caught.value.message == f"`{target}` cannot be written: No space left on device."
    assert [path.name for path in tmp_path.iterdir()] == ([] if old is None else ["results.json"])
    assert old is None or target.read_text() == old


def test_interrupt_while_writing_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_report(tmp_path / "results.json", "new")
    assert list(tmp_path.iterdir()) == []


def test_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="No such file or directory"):
        write_report(tmp_path / "nowhere" / "results.json", "x")


def test_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_report(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "x"


def test_device_is_written_to_and_not_replaced() -> None:
    write_report(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_pieces_make_one_file_that_is_whole_or_as_it_was(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "half of a new"
        raise ValueError("no more")

    target = tmp_path / "summary.json"
    write_pieces(target, iter(["ö", "", "ld\n"]))
    with pytest.raises(ValueError, match="no more"):
        write_pieces(target, broken())
    assert target.read_text("utf-8") == "öld\n"
    assert list(tmp_path.iterdir()) == [target]
