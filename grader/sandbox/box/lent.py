"""Classes of a suite that are made here, so that student code can be given their objects as arguments."""

from __future__ import annotations

import math
import types
from typing import Any

import torch
from torch import nn

MODULE = "_lent"


def lent_class(name: str, text: str) -> Any:
    """The class `name` that `text` defines; all that it finds around it are `torch`, `nn` and `math`."""
    around = types.ModuleType(MODULE)
    around.__dict__.update(torch=torch, nn=nn, math=math)
    exec(compile(text, f"<{MODULE}>", "exec", dont_inherit=True), around.__dict__)
    return around.__dict__[name]
