"""Folders and archives: what is read, what is ignored, what is refused, and that nothing is written."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import SubmissionError
from grader.records import Submission

from .conftest import ATTENTION, SOFTMAX, notebook

Load = Callable[..., Submission]


def zipped(*members: tuple[str | zipfile.ZipInfo, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(*members: tuple[str | tarfile.TarInfo, str], compression: str = "") -> bytes:
    buffer = io.BytesIO()
    mode = f"w:{compression}"
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members:
            entry = tarfile.TarInfo(name) if isinstance(name, str) else name
            if entry.isreg():
                entry.size = len(content.encode())
            archive.addfile(entry, io.BytesIO(content.encode()))
    return buffer.getvalue()


def path_of(submission: Submission, stem: str = "masked_softmax") -> str:
    source = submission.exercises[stem].source
    assert source is not None, submission.exercises[stem].problem
    return source.path


BOTH = (("hw/masked_softmax.py", SOFTMAX), ("hw/dot_product_attention.py", ATTENTION))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("hw.zip", zipped(*BOTH)),
        ("hw.tar", tarred(*BOTH)),
        ("hw.tar.gz", tarred(*BOTH, compression="gz")),
        ("hw.tar.bz2", tarred(*BOTH, compression="bz2")),
        ("hw.txz", tarred(*BOTH, compression="xz")),
        ("hw.bin", zipped(*BOTH)),
    ],
)
def test_archives_are_read_in_memory(load: Load, folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    submission = load(path=folder / name)
    assert path_of(submission) == "hw/masked_softmax.py"
    assert path_of(submission, "dot_product_attention") == "hw/dot_product_attention.py"
    assert [path.name for path in folder.iterdir()] == [name]


def test_archives_in_folders_and_in_archives_are_read_one_level_deep(load: Load) -> None:
    inner = zipped(("masked_softmax.py", SOFTMAX))
    submission = load({"all.zip": zipped(("in/inner.zip", inner)), "dot_product_attention.py": ATTENTION})
    assert path_of(submission) == "all.zip/in/inner.zip/masked_softmax.py"
    deeper = load({"all.zip": zipped(("two.zip", zipped(("one.zip", inner))))})
    assert deeper.exercises["masked_softmax"].problem is not None
    assert any("at most two levels" in note.text for note in deeper.notes)


def test_macos_and_windows_archives(load: Load, folder: Path) -> None:
    members = (("__MACOSX/hw/._masked_softmax.py", "\0"), ("hw/.DS_Store", "\0"),
               ("hw\\masked_softmax.py", SOFTMAX),
               ("hw/__pycache__/masked_softmax.cpython-311.pyc", "x"), ("hw/", ""))  # fmt: skip
    (folder / "hw.zip").write_bytes(zipped(*members))
    submission = load(path=folder / "hw.zip")
    assert path_of(submission) == "hw/masked_softmax.py"
    assert [file.path for file in submission.files] == ["hw/masked_softmax.py"]
    assert submission.notes == ()


def test_chinese_member_names_without_a_flag(load: Load, folder: Path) -> None:
    content = zipped(("xxxx/masked_softmax.py", SOFTMAX)).replace(b"xxxx", "作业".encode("gbk"))
    (folder / "hw.zip").write_bytes(content)
    assert path_of(load(path=folder / "hw.zip")) == "作业/masked_softmax.py"


def _locked() -> bytes:
    content = bytearray(zipped(("masked_softmax.py", SOFTMAX)))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def _twice() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return zipped(("masked_softmax.py", SOFTMAX), ("masked_softmax.py", "x = 1"))


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("a.zip", lambda: zipped(("../masked_softmax.py", SOFTMAX)), "leaves the archive's folder"),
        ("a.zip", lambda: zipped(("x\\..\\..\\masked_softmax.py", SOFTMAX)), "leaves the archive's folder"),
        ("a.zip", lambda: zipped(("/etc/masked_softmax.py", SOFTMAX)), "is an absolute path"),
        ("a.zip", lambda: zipped(("C:/masked_softmax.py", SOFTMAX)), "is an absolute path"),
        ("a.zip", lambda: zipped(("masked_softmax.py", b"#" * 30_000_000)), "at most 200 times is accepted"),
        ("a.zip", _twice, "more than once"),
        ("a.zip", _locked, "protected by a password"),
        ("a.zip", lambda: b"PK\x03\x04 not really", "is damaged or was not uploaded completely"),
        ("a.zip", lambda: zipped(*BOTH)[:-40], "is damaged or was not uploaded completely"),
        ("a.zip", lambda: b"Rar!\x1a\x07\0", "is a RAR archive"),
        (
            "a.tar.gz",
            lambda: tarred(*BOTH, compression="gz")[:-40],
            "is damaged or was not uploaded completely",
        ),
        (
            "a.tar.gz",
            lambda: tarred(("x.txt", "0" * 70_000_000), compression="gz"),
            "expands to more than 64 MiB",
        ),
        ("a.tar", lambda: tarred(("../masked_softmax.py", SOFTMAX)), "leaves the archive's folder"),
        ("a.tar", lambda: tarred(("/masked_softmax.py", SOFTMAX)), "is an absolute path"),
        ("a.tar", lambda: os.urandom(4096), "is damaged or was not uploaded completely"),
        ("a.zip", lambda: zipped(("readme.txt", "x")), "holds no Python file and no notebook"),
    ],
)
def test_hostile_and_broken_archives_are_refused(
    load: Load, folder: Path, name: str, make: Callable[[], bytes], said: str
) -> None:
    content = make()
    (folder / name).write_bytes(content)
    with pytest.raises(SubmissionError, match=said):
        load(path=folder / name)
    (folder / "masked_softmax.py").write_text(SOFTMAX)
    assert path_of(load()) == "masked_softmax.py"
    assert {path.name for path in folder.iterdir()} == {name, "masked_softmax.py"}


def _link_entry(kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo("masked_softmax.py")
    entry.type, entry.linkname = kind, "/etc/passwd"
    return entry


def _zip_link() -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo("masked_softmax.py")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.zip", zipped((_zip_link(), "/etc/passwd"), BOTH[1]), "is a symbolic link"),
        ("a.tar", tarred((_link_entry(tarfile.SYMTYPE), ""), BOTH[1]), "is a symbolic link"),
        ("a.tar", tarred((_link_entry(tarfile.LNKTYPE), ""), BOTH[1]), "is a hard link"),
        ("a.tar", tarred((_link_entry(tarfile.FIFOTYPE), ""), BOTH[1]), "is a special file"),
        ("a.tar", tarred((_link_entry(tarfile.CHRTYPE), ""), BOTH[1]), "is a special file"),
    ],
)
def test_a_link_in_an_archive_is_a_problem_of_its_exercise_only(
    load: Load, folder: Path, name: str, content: bytes, said: str
) -> None:
    (folder / name).write_bytes(content)
    submission = load(path=folder / name)
    problem = submission.exercises["masked_softmax"].problem
    assert problem is not None
    assert said in problem.message
    assert path_of(submission, "dot_product_attention")


def _symlink(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _hard_link(path: Path) -> None:
    (path.parent / "original.txt").write_text(SOFTMAX)
    path.hardlink_to(path.parent / "original.txt")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_symlink, "is a symbolic link"),
        (lambda path: path.symlink_to(path), "is a symbolic link"),
        (_hard_link, "is a hard link"),
        (os.mkfifo, "not a regular file"),
        (lambda path: path.mkdir(), "is a folder; expected a regular file"),
    ],
)
def test_what_is_no_plain_file_is_not_opened(
    load: Load, folder: Path, make: Callable[[Path], object], said: str
) -> None:
    make(folder / "masked_softmax.py")
    submission = load({"dot_product_attention.py": ATTENTION})
    problem = submission.exercises["masked_softmax"].problem
    assert problem is not None
    assert problem.outcome == "raised"
    assert said in problem.message
    assert "root:" not in repr(submission)
    assert path_of(submission, "dot_product_attention")


def test_links_to_folders_are_not_followed(load: Load, folder: Path) -> None:
    (folder / "up").symlink_to("..")
    (folder / "proc").symlink_to("/proc")
    submission = load({"masked_softmax.py": SOFTMAX})
    assert path_of(submission) == "masked_softmax.py"
    assert [file.path for file in submission.files] == ["masked_softmax.py"]
    assert any("was not followed" in note.text for note in submission.notes)


def test_the_path_itself_must_exist_and_be_no_link(load: Load, folder: Path) -> None:
    with pytest.raises(SubmissionError, match="does not exist"):
        load(path=folder / "nowhere")
    (folder / "link").symlink_to(folder)
    with pytest.raises(SubmissionError, match="is a symbolic link"):
        load(path=folder / "link")
    (folder / "essay.docx").write_bytes(b"text")
    with pytest.raises(SubmissionError, match="not a Python file, a notebook or an archive"):
        load(path=folder / "essay.docx")


def test_environments_caches_tests_and_the_library_are_ignored(load: Load, folder: Path) -> None:
    wrong = SOFTMAX.replace("X, dim", "X * 0, dim")
    submission = load(
        {
            "masked_softmax.py": SOFTMAX,
            ".venv/masked_softmax.py": wrong,
            "env/pyvenv.cfg": "",
            "env/masked_softmax.py": wrong,
            "lib/site-packages/a.py": wrong,
            ".git/a.py": wrong,
            "__pycache__/a.py": wrong,
            ".ipynb_checkpoints/a-checkpoint.ipynb": notebook(wrong),
            "tests/test_masked_softmax.py": wrong,
            "conftest.py": wrong,
            "d2l/torch.py": ATTENTION,
            "assignment.toml": "x",
        }
    )
    assert [file.path for file in submission.files] == ["masked_softmax.py"]
    assert set(submission.modules) == {"masked_softmax"}
    assert submission.exercises["dot_product_attention"].source is None
    said = " ".join(note.text for note in submission.notes)
    assert "files with tests are not part of an answer" in said
    assert "own stand-in for `d2l`" in said


def test_thousands_of_files_and_deep_folders_do_not_hide_the_answer(load: Load, folder: Path) -> None:
    many = folder / "many"
    many.mkdir()
    for number in range(1000):
        (many / f"f{number}.py").write_text("x = 1\n")
    deep = folder
    for _ in range(40):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "z.py").write_text("x = 1\n")
    submission = load({"zz/masked_softmax.py": SOFTMAX})
    assert path_of(submission) == "zz/masked_softmax.py"
    assert any("Only 400 of 1001 files" in note.text for note in submission.notes)


def test_odd_file_names_are_made_printable(load: Load, folder: Path) -> None:
    (folder / "a\nb\x1b[31m`.py").write_text("x = 1\n")
    with open(os.fsencode(folder) + b"/bad\xff.py", "w") as handle:
        handle.write("y = 1\n")
    (folder / "-rf").write_text("")
    submission = load({"masked_softmax.py": SOFTMAX})
    assert path_of(submission) == "masked_softmax.py"
    assert [file.path for file in submission.files] == [
        "a\\nb\\x1b[31m'.py",
        "bad\\udcff.py",
        "masked_softmax.py",
    ]
    assert all(name.replace(".", "").isidentifier() for name in submission.modules)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_a_clear_problem(load: Load, folder: Path) -> None:
    (folder / "masked_softmax.py").write_text(SOFTMAX)
    (folder / "masked_softmax.py").chmod(0)
    problem = load({"dot_product_attention.py": ATTENTION}).exercises["masked_softmax"].problem
    assert problem is not None
    assert "cannot be opened" in problem.message
