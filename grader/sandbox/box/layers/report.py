"""What a layer of isolation says about itself."""

from __future__ import annotations

from dataclasses import dataclass

# In the order in which reports list them.
LAYER_NAMES = ("limits", "privileges", "landlock", "seccomp", "uid", "namespaces")


@dataclass(frozen=True)
class Layer:
    """One layer as it was found: `detail` says what is active, or why it is not."""

    name: str
    active: bool
    detail: str


def describe_failure(error: BaseException) -> str:
    """The reason for a missing layer: one line, at most 200 characters."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:200]
