"""A pretend accelerator: finds device mistakes on a machine that has no device but the CPU.

Its operations run on the CPU with real values (see `pretend_tensor`), but its tensors refuse to meet CPU
tensors as those of a real accelerator do (see `pretend_rules`). `set_up` registers it with PyTorch, once
per process; importing this module registers nothing.

Backward passes run in the calling thread: a device of its own would get a thread of its own, which a
worker with a limit on processes may not be able to start.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils import backend_registration

from . import pretend_backward, pretend_factories
from .pretend_rules import TYPE, device_mixture_in
from .pretend_surface import DEVICE, Unsupported
from .pretend_tensor import PretendTensor, run

__all__ = [
    "DEVICE",
    "NotAvailable",
    "Unsupported",
    "is_device_mixture",
    "is_ours",
    "is_unsupported",
    "prepare",
    "set_up",
    "to_cpu",
    "to_device",
]

_UNNAMED = "privateuseone"
_MAX_CHAIN = 20
_PLAIN: Any = BaseException  # to read its slots from exceptions whose class may hide them

# The operators that make a tensor from none; all others find a tensor of ours among their arguments, and
# come to it by themselves. A fallback for all operators would cost 20 ms, for these it is 1.
_aten = torch.ops.aten
_MAKES_TENSORS = {
    _aten.empty.memory_format: _aten.empty.memory_format,
    _aten.empty_strided.default: _aten.empty_strided.default,
    _aten.tril_indices.default: _aten.tril_indices.default,
    _aten.triu_indices.default: _aten.triu_indices.default,
    _aten._efficientzerotensor.default: _aten.zeros.default,  # zeros in name only have no memory to read
}

# PyTorch's own words where a device that is registered from Python lacks something.
_UNSUPPORTED = re.compile(
    r"INTERNAL ASSERT FAILED"
    r"|PrivateUse1|privateuseone"
    r"|Could not run 'aten::"
    r"|incompatible tensor type"
    r"|not supported for tensor subclasses|wrapper subclass|__torch_dispatch__"
    r"|doesn't have storage|Cannot access data pointer|set the storage of a tensor on device"
    r"|Backend doesn't support|Unknown device type pretend"
    r"|(?:no|not|un|n't)[ -]?(?:supported|support|implemented|available)\b.*\bpretend"
    r"|\bpretend\b.*(?:no|not|un|n't)[ -]?(?:supported|support|implemented|available)\b",
    re.IGNORECASE | re.DOTALL,
)


class NotAvailable(Exception):
    """This PyTorch cannot have a pretend accelerator; the message says why."""


def prepare() -> None:
    """Do the part of `set_up` that makes no device: each fork is spared it. Never raises."""
    with contextlib.suppress(Exception):  # any change of an experimental interface: `set_up` will say so
        _kernels()
        pretend_factories.look_up_originals()
        with _no_distributed_tensors():
            shell = _Rehearsal(torch.ones(2), True)
            torch.autograd.grad([(shell * _Rehearsal(torch.arange(2))).sum()], [shell])


def set_up() -> None:
    """Make the device `pretend:0` known to PyTorch in this process. Later calls do nothing.

    Changes PyTorch for the whole process: lazy parameters, `torch.tensor` and its kin, and the start of
    backward passes, which run in one thread. Call it in a worker only, best before student code is loaded.

    Raises:
        NotAvailable: torch is too old or too new for it, or another such backend is registered.
    """
    _register()


class _Rehearsal(torch.Tensor):
    """A shell as `PretendTensor` is one, on the CPU: what PyTorch does at the first one, it has done then."""

    raw: torch.Tensor

    @staticmethod
    def __new__(cls, raw: torch.Tensor, requires_grad: bool = False) -> _Rehearsal:
        shell: _Rehearsal = torch.Tensor._make_wrapper_subclass(
            cls, raw.size(), dtype=raw.dtype, requires_grad=requires_grad
        )
        shell.raw = raw
        return shell

    def __init__(self, raw: torch.Tensor, requires_grad: bool = False) -> None:
        pass

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        made = func(*[part.raw if isinstance(part, cls) else part for part in args], **(kwargs or {}))
        return cls(made) if isinstance(made, torch.Tensor) else made


@functools.cache
def _kernels() -> torch.library.Library:
    """What runs the operators; the library that is returned must stay alive, and does in the cache."""
    library: torch.library.Library = torch.library.Library("aten", "IMPL")
    for operator, kernel in _MAKES_TENSORS.items():
        library.impl(operator, functools.partial(_make, kernel), "PrivateUse1")
    library.impl(_aten._copy_from.default, _copy_from, "PrivateUse1")
    return library


@functools.cache
def _register() -> None:
    """Register once."""
    prepare = getattr(backend_registration, "_setup_privateuseone_for_python_backend", None)
    if prepare is None:
        raise NotAvailable(f"torch {torch.__version__} cannot register a device from Python")
    taken = torch._C._get_privateuse1_backend_name()
    if taken != _UNNAMED:
        raise NotAvailable(f"torch already has the custom device `{taken}`")
    pytorch: Any = torch  # what follows is not in its type stubs
    try:
        # The engine starts threads for the devices that it knows at its first backward pass: none yet.
        pytorch.zeros((), requires_grad=True).backward()
        torch.autograd.set_multithreading_enabled(False)
        prepare(TYPE, backend_module=_DeviceModule())
        _kernels()
        pretend_factories.install()
        pretend_backward.install()
        with _no_distributed_tensors():
            _check_itself()
    except Exception as err:  # any change of an experimental interface ends here, whatever it raises
        raise NotAvailable(f"torch {torch.__version__} refuses the pretend device: {err}") from err


def _make(operator: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> Any:
    return run(operator, args, kwargs)


def _copy_from(source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False) -> Any:
    """How `torch.tensor(..., device=...)` and its kin, which build on the CPU, bring the values here."""
    return run(_aten.copy_.default, (target, source), {})


@contextlib.contextmanager
def _no_distributed_tensors() -> Iterator[None]:
    """Let PyTorch's first operation on a tensor subclass find an empty `torch.distributed.tensor`.

    There it asks, once per process, for the class of distributed tensors. Importing the real one takes
    half a second; no such tensor can exist in a worker. Afterwards the import works as usual.
    """
    name = "torch.distributed.tensor"
    if name in sys.modules:
        yield
        return
    stand_in = types.ModuleType(name)
    stand_in.__dict__["DTensor"] = type("DTensor", (), {})
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        del sys.modules[name]


def _check_itself() -> None:
    weight = to_device(torch.ones(2, requires_grad=True))
    (grad,) = torch.autograd.grad((weight * torch.arange(2, device=DEVICE)).sum(), weight)
    if to_cpu(grad).tolist() != [0.0, 1.0]:
        raise RuntimeError("its gradients are wrong")


class _DeviceModule:
    """What PyTorch looks for as `torch.pretend`. Random numbers are the CPU's."""

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def device_count(self) -> int:
        return 1

    def current_device(self) -> int:
        return 0

    def synchronize(self, device: object = None) -> None:
        """Nothing runs in the background here."""

    def manual_seed(self, seed: int) -> None:
        """The CPU's generator, which serves this device too, is seeded by `torch.manual_seed`."""

    manual_seed_all = manual_seed

    def _is_in_bad_fork(self) -> bool:
        return False

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.float16, torch.bfloat16]


def to_device(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of a CPU tensor on the pretend device: a leaf with the same `requires_grad`.

    Raises:
        Unsupported: for sparse, quantized and nested tensors.
    """
    if isinstance(tensor, PretendTensor):
        return tensor
    plain = tensor.detach().resolve_conj().resolve_neg().as_subclass(torch.Tensor)
    return PretendTensor(plain.clone(), tensor.requires_grad)


def to_cpu(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of the values as an ordinary CPU tensor without history; a CPU tensor is returned as it is."""
    if not isinstance(tensor, PretendTensor):
        return tensor
    return tensor.raw.detach().resolve_conj().resolve_neg().clone()


def is_ours(value: object) -> bool:
    return isinstance(value, PretendTensor)


def is_unsupported(err: BaseException) -> bool:
    """True if the error, or one that it was raised from or after, is a gap of the pretend device.

    Ask `is_device_mixture` too: an error is at most one of the two, unless code that met a gap went on
    and then mixed devices, where this one says True and no one is blamed.
    """
    return any(issubclass(type(e), Unsupported) or _UNSUPPORTED.search(_message(e)) for e in _chain(err))


def is_device_mixture(err: BaseException) -> str | None:
    """PyTorch's sentence that names the devices if the error says that devices were mixed, else None.

    Knows the wording of real accelerators too.
    """
    return device_mixture_in(_message(err))


def _message(err: BaseException) -> str:
    """The text of an exception without running any of its code: the exception may be the student's."""
    args = _PLAIN.args.__get__(err)
    return args[0] if args and type(args[0]) is str else ""


def _chain(err: BaseException) -> Iterator[BaseException]:
    step: BaseException | None = err
    for _ in range(_MAX_CHAIN):
        if step is None:
            return
        yield step
        step = _PLAIN.__cause__.__get__(step) or _PLAIN.__context__.__get__(step)
