"""Attacks that cannot be kept as files: links, pipes, odd names, bombs, archives, notebooks.

    python tests/attacks/build.py FOLDER     # writes each into FOLDER/<name>/

Standard library only. Nothing that is written here is ever unpacked or run by this script.
"""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

NAME = "masked_softmax.py"
ZERO_OUTCOMES = "missing not_attempted raised failed bad_return".split()
MIB = 1 << 20


@dataclass(frozen=True)
class Build:
    name: str
    tries: str
    must: str
    may: Sequence[str]
    write: Callable[[Path], None]


def list_builds(honest: str, wrong: str) -> list[Build]:
    """All of them; `honest` and `wrong` are texts of a right and a wrong answer."""

    def zero(name: str, tries: str, write: Callable[[Path], None]) -> Build:
        return Build(name, tries, "zero", ZERO_OUTCOMES, write)

    def full(name: str, tries: str, write: Callable[[Path], None]) -> Build:
        def beside(folder: Path) -> None:
            (folder / NAME).write_text(honest)
            write(folder)

        return Build(name, tries, "full", ["passed"], beside)

    return [
        zero("link_to_solution", "a link to a right answer outside", lambda f: _link_outside(f, honest)),
        zero("link_to_passwords", "a link to the system's users", lambda f: os.symlink("/etc/passwd", f / NAME)),
        zero("link_to_itself", "a link to itself", lambda f: os.symlink(NAME, f / NAME)),
        zero("link_to_memory", "a link to this process's memory", lambda f: os.symlink("/proc/self/mem", f / NAME)),
        zero("link_to_endless_device", "a link to /dev/zero", lambda f: os.symlink("/dev/zero", f / NAME)),
        zero("pipe", "a named pipe that nobody writes to", lambda f: os.mkfifo(f / NAME)),
        zero("folder_for_a_file", "a folder of the file's name", lambda f: (f / NAME).mkdir()),
        zero("socket_for_a_file", "a socket of the file's name", _socket),
        zero("sparse_gigabytes", "a file of five gigabytes without content", _sparse),
        zero("nul_bytes", "the right answer with NUL bytes in it",
             lambda f: (f / NAME).write_bytes(honest.encode().replace(b"\n", b"\n\0", 3))),
        zero("other_encoding", "the right answer in UTF-16", lambda f: (f / NAME).write_bytes(honest.encode("utf-16"))),
        zero("wrong_cookie", "an encoding that only hides code",
             lambda f: (f / NAME).write_bytes(b"# coding: unicode_escape\n" + honest.encode("unicode_escape"))),
        zero("zip_that_climbs", "an archive whose members leave the folder",
             lambda f: _zip(f / "all.zip", [("../" + NAME, honest), ("/tmp/PWNED", "x")])),
        zero("zip_bomb", "an archive that expands two hundredfold and more",
             lambda f: _zip(f / "all.zip", [(NAME, "#" * (200 * MIB))])),
        zero("zip_of_links", "an archive whose member is a link", lambda f: _zip_link(f / "all.zip")),
        zero("zip_with_two_of_one_name", "an archive with one name twice",
             lambda f: _zip(f / "all.zip", [(NAME, wrong), (NAME, honest)])),
        zero("zip_in_zip_in_zip", "archives in archives", lambda f: _nested(f / "all.zip", honest)),
        zero("tar_of_devices", "an archive of devices, hard links and links", lambda f: _tar(f / "all.tar.gz")),
        zero("notebook_of_commands", "a notebook of shell lines and magics", lambda f: _notebook(f / "all.ipynb", [
            "!touch /tmp/PWNED", "%%bash\ntouch /tmp/PWNED", "%run /tmp/PWNED.py", "get_ipython().system('touch /tmp/PWNED')", wrong])),
        zero("notebook_without_end", "a notebook nested a hundred thousand deep",
             lambda f: (f / "all.ipynb").write_text('{"cells": ' + "[" * 100_000 + "]" * 100_000 + "}")),
        full("pipes_and_links_beside", "pipes, links in circles and a link to /proc", _beside),
        full("names_of_every_kind", "names with newlines, escapes, options and bytes that are no text", _odd_names),
        full("thousands_of_files", "two thousand files and deep folders", _many),
        full("archive_of_noise", "random bytes called an archive", lambda f: (f / "all.zip").write_bytes(os.urandom(5000))),
        full("packages_of_known_names", "folders named like torch and json, and a conftest", _shadows),
        full("stale_bytecode", "bytecode of a wrong answer", _bytecode),
        Build("hard_link", "a hard link to the right answer", "any", ["passed", *ZERO_OUTCOMES], lambda f: _hard(f, honest)),
        Build("no_permission", "a file that may not be read", "any", ["passed", *ZERO_OUTCOMES], lambda f: _closed(f, honest)),
    ]  # fmt: skip


def _link_outside(folder: Path, honest: str) -> None:
    outside = folder.parent / f"{folder.name}_outside.py"
    outside.write_text(honest)
    os.symlink(outside, folder / NAME)


def _hard(folder: Path, honest: str) -> None:
    outside = folder.parent / f"{folder.name}_outside.py"
    outside.write_text(honest)
    os.link(outside, folder / NAME)


def _closed(folder: Path, honest: str) -> None:
    (folder / NAME).write_text(honest)
    (folder / NAME).chmod(0)


def _socket(folder: Path) -> None:
    here = os.getcwd()
    os.chdir(folder)  # the path of a socket may have a hundred characters only
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(NAME)
    finally:
        os.chdir(here)


def _sparse(folder: Path) -> None:
    with (folder / NAME).open("wb") as file:
        file.truncate(5 << 30)


def _beside(folder: Path) -> None:
    for number in range(5):
        os.mkfifo(folder / f"pipe{number}.py")
    os.symlink("/proc", folder / "all_processes")
    os.symlink(".", folder / "again")
    os.symlink("..", folder / "above")
    os.symlink("/etc/passwd", folder / "dot_product_attention.py")


def _odd_names(folder: Path) -> None:
    names = [
        b"-rf",
        b"--output=x",
        b"a\nb.py",
        b"\x1b[2J.py",
        b"\xff\xfe.py",
        b"x" * 250 + b".py",
        b"%s$(id)`id`.py",
        b"\xe2\x80\xae.py",
    ]
    for name in names:
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(b"x = 1\n")


def _many(folder: Path) -> None:
    for number in range(2000):
        (folder / f"file{number}.txt").write_text("x")
    deep = folder
    for _ in range(40):
        deep = deep / "deeper"
    deep.mkdir(parents=True)


def _shadows(folder: Path) -> None:
    for name in ("torch", "json", "box", "grader", "importlib"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise SystemExit('PWNED')\n")
    for name in (
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "pytest.ini",
        "x.pth",
        "pyproject.toml",
    ):
        (folder / name).write_text("import os; os.system('touch /tmp/PWNED')\n")


def _bytecode(folder: Path) -> None:
    cache = folder / "__pycache__"
    cache.mkdir()
    (cache / f"masked_softmax.cpython-{sys.version_info[0]}{sys.version_info[1]}.pyc").write_bytes(
        os.urandom(200)
    )
    (folder / "masked_softmax").mkdir()
    (folder / "masked_softmax" / "__init__.py").write_text("masked_softmax = None\n")


def _zip(path: Path, members: Sequence[tuple[str, str]]) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # one name twice is what one of them is for
        for name, text in members:
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def _zip_link(path: Path) -> None:
    entry = zipfile.ZipInfo(NAME)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, "/etc/passwd")


def _nested(path: Path, honest: str) -> None:
    content = honest.encode()
    name = NAME
    for depth in range(6):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(name, content)
        content, name = buffer.getvalue(), f"inner{depth}.zip"
    path.write_bytes(content)


def _tar(path: Path) -> None:
    kinds = {
        "masked_softmax.py": (tarfile.SYMTYPE, "/etc/passwd"),
        "dot_product_attention.py": (tarfile.LNKTYPE, "/etc/passwd"),
        "additive_attention.py": (tarfile.CHRTYPE, ""),
        "positional_encoding.py": (tarfile.FIFOTYPE, ""),
        "../../../../tmp/PWNED.py": (tarfile.REGTYPE, ""),
    }
    with tarfile.open(path, "w:gz") as archive:
        for name, (kind, target) in kinds.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.devmajor, entry.devminor = kind, target, 1, 5
            archive.addfile(entry)


def _notebook(path: Path, cells: Sequence[str]) -> None:
    made = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for source in cells
    ]
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))


def main() -> None:
    top = Path(sys.argv[1])
    for made in list_builds("x = 1\n", "x = 2\n"):
        folder = top / made.name
        folder.mkdir(parents=True)
        made.write(folder)
        print(f"{made.name}: {made.tries}")


if __name__ == "__main__":
    main()
