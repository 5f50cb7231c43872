"""The attacks: one file each, by kind; the few that cannot be a file are made by `build`.

The first line of a file is its label:

    # ATTACK | tries: what it attempts | must: zero | may: failed raised | exercise: STEM | slow

`must` is `zero` (no more points than a wrong answer without any attack), `full`, `partial` (some points lost)
or `any`. `may` lists the outcomes that its checks may have. A file holds only the attack; lines of the form
`#: honest STEM` and `#: wrong STEM` stand for a right and a wrong answer, and `#: file STEM` says that what
follows belongs to another file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import build

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MUSTS = ("zero", "full", "partial", "any")
FIRST = "masked_softmax"

WRONG_FUNCTION = """
def {symbol}(X, valid_lens):
    X.data.add_(1.0)  # spoils its input too, so that no lesser check passes
    return X.detach() * 0 - 0.37
"""
WRONG_CLASS = """
import torch as _torch
class {symbol}(_torch.nn.Module):
    def __init__(self, *sizes):
        super().__init__()
    def forward(self, *arguments):
        self.attention_weights = None
        return arguments[-1] if arguments[-1] is None else _torch.zeros(1)
"""
SYMBOLS = {
    "masked_softmax": "masked_softmax",
    "additive_attention": "AdditiveAttention",
    "dot_product_attention": "DotProductAttention",
}


@dataclass(frozen=True)
class Attack:
    """`write` puts its files into a folder."""

    kind: str
    name: str
    exercise: str
    tries: str
    must: str
    may: frozenset[str]
    write: Callable[[Path], None] = field(repr=False)
    is_slow: bool = False

    @property
    def title(self) -> str:
        return f"{self.kind}/{self.name}"


def honest(stem: str) -> str:
    """The reference's text, fit to stand anywhere in a file."""
    text = (ROOT / "solutions" / f"{stem}.py").read_text("utf-8")
    return text.replace("from __future__ import annotations\n", "")


def wrong(stem: str) -> str:
    template = WRONG_FUNCTION if stem == FIRST else WRONG_CLASS
    return template.format(symbol=SYMBOLS[stem])


def read_attacks(*kinds: str) -> list[Attack]:
    """All attacks, or those of some kinds.

    Raises:
        ValueError: a file without a label, or with a wrong one.
    """
    paths = [path for path in sorted(HERE.glob("*/*.py")) if path.parent.name != "suites"]
    found = [read_attack(path) for path in paths]
    found += [
        Attack("files", made.name, FIRST, made.tries, made.must, frozenset(made.may), made.write)
        for made in build.list_builds(honest(FIRST), wrong(FIRST))
    ]
    return [attack for attack in found if not kinds or attack.kind in kinds]


def read_attack(path: Path) -> Attack:
    label, _, text = path.read_text("utf-8").partition("\n")
    parts = dict(re.findall(r"\| (tries|must|may|exercise): ([^|]+?) *(?=\||$)", label))
    if not label.startswith("# ATTACK |") or parts.get("must") not in MUSTS or "tries" not in parts:
        raise ValueError(f"{path} has no label, or a wrong one: {label}")
    stem = parts.get("exercise", FIRST)
    return Attack(
        kind=path.parent.name,
        name=path.stem,
        exercise=stem,
        tries=parts["tries"],
        must=parts["must"],
        may=frozenset(parts.get("may", "").split()),
        write=partial(write_files, split_files(text, stem)),
        is_slow=label.endswith("| slow"),
    )


def split_files(text: str, stem: str) -> dict[str, str]:
    """The texts by file name, with honest and wrong answers in place."""
    files = {stem: []} if stem == FIRST else {FIRST: [honest(FIRST)], stem: []}
    lines = files[stem]
    for line in text.splitlines():
        word, _, rest = line.removeprefix("#: ").partition(" ")
        if not line.startswith("#: "):
            lines.append(line)
        elif word == "file":
            lines = files[rest] = []
        else:
            lines.append({"honest": honest, "wrong": wrong}[word](rest))
    return {f"{name}.py": "\n".join(part) + "\n" for name, part in files.items()}


def write_files(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def plain(stem: str, text: str, name: str) -> Attack:
    """A submission without an attack, to compare with."""
    return Attack(
        "plain", name, stem, "nothing", "any", frozenset(), partial(write_files, split_files(text, stem))
    )
