"""What went wrong in a worker, in words: from its own report of an exception, or from how it ended.

All of a report is the student's word: cut and cleaned here, and never believed beyond being text. Lines of
code come from our copy of the source. A hidden check shows only the `discreet` half of an error, since the
code has seen that check's inputs and could spell them out in anything that it names or says.
"""

from __future__ import annotations

import builtins
import os
import re
import signal
from collections.abc import Callable, Mapping
from typing import Any

from grader.catalog import Limits
from grader.errors import StudentError
from grader.printable import printable
from grader.records import SourceText

MAX_MESSAGE = 600
# Exit statuses that only `box.worker` itself uses.
EXIT_CHANNEL_CLOSED, EXIT_BROKEN = 97, 98

Locate = Callable[[str], SourceText | None]
Place = tuple[str, str]

_CRASHES = {
    signal.SIGSEGV: "a segmentation fault",
    signal.SIGBUS: "a bus error",
    signal.SIGABRT: "abort()",
    signal.SIGFPE: "an arithmetic fault",
    signal.SIGILL: "an illegal instruction",
}
# Line numbers of bounded length: a number of thousands of digits is an error to read.
_TRACE_LINE = re.compile(r'File "<student>/(?P<module>[^"\n]{1,200})\.py", line (?P<line>[0-9]{1,7})\b')
_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
) | {"OutOfMemoryError", "LinAlgError", "EinopsError"}
_TYPES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type)) | {
    *("NoneType", "Tensor", "Parameter", "ndarray", "module", "function", "method", "generator", "coroutine"),
    *("builtin_function_or_method", "ellipsis", "Size", "dtype", "device", "Linear", "Dropout", "Softmax"),
}
_DEVICE = r"(?:cpu|pretend|cuda|mps|xpu)(?::\d)?"
_MIXTURE = re.compile(
    rf"at least two devices, (?P<one>{_DEVICE}) and (?P<other>{_DEVICE})\b"
    rf"|can't convert (?P<alone>{_DEVICE}) device type tensor to numpy"
)
_VALUE = re.compile(
    r"a value of type `(?P<type>\w{1,40})`|a tensor of dtype torch\.[a-z0-9_]{1,20}"
    r"|a (nested|quantized|torch\.sparse_\w{3,5}) tensor, not a dense one"
    r"|a tensor on device (meta|cuda|pretend)(:\d)?"
    r"|a value (with too many or too deeply nested parts|that is too large)"
)


def protocol_error(message: str) -> StudentError:
    """The code did something to the process or the channel that answers for it."""
    return StudentError(message, outcome="bad_return", kind="protocol")


def error_of_report(report: Mapping[str, Any], limits: Limits, locate: Locate) -> StudentError:
    """The failure that a worker reports: an exception, or a result that cannot travel."""
    if "bad_return" in report:
        return _bad_return(str(report["bad_return"]))
    name = printable(str(report.get("type")), 80, one_line=True)
    text = printable(str(report.get("message")), MAX_MESSAGE)
    known = name if name in _EXCEPTIONS else "an exception of its own class"
    frames = _reported_frames(report.get("frames"), locate)
    if report.get("memory") is True:
        limit = f" (the limit is {limits.memory_mb} MB)" if limits.memory_mb else ""
        said = f"The code ran out of memory{limit}"
        return StudentError(
            f"{said}: {name}: {text}", outcome="out_of_memory", kind="memory", frames=frames,
            discreet=f"{said}.",
        )  # fmt: skip
    if report.get("exit") is True:
        said = "The code stopped the Python process itself"
        return StudentError(
            f"{said} ({name}).", outcome="raised", kind="exit", frames=frames, discreet=f"{said} ({known}).",
            hint="Take out `sys.exit()`, `exit()` or `quit()`.",
        )  # fmt: skip
    return StudentError(
        f"{name}: {text}" if text else name,
        outcome="raised",
        kind="unsupported" if report.get("unsupported") is True else "raised",
        frames=frames,
        exception_type=name,
        discreet=_devices_that_met(text)
        or f"Your code raised {known} here (a hidden check, so its message is not shown).",
    )


def _devices_that_met(text: str) -> str:
    """For a mixture of devices: which ones, in our own words; nothing else of the text."""
    met = _MIXTURE.search(text)
    if met is None:
        return ""
    pretended = "pretend" in met[0]
    what = "was turned into a NumPy array" if met["one"] is None else f"met one on `{met['other']}`"
    where = met["one"] or met["alone"]
    return f"A tensor on `{where}` {what}." + (" (`pretend` stands for a GPU here.)" if pretended else "")


def _bad_return(saw: str) -> StudentError:
    found = _VALUE.fullmatch(saw)
    is_discreet = found is not None and (found["type"] is None or found["type"] in _TYPES)
    return StudentError(
        f"The code gave back {printable(saw, MAX_MESSAGE)}.", outcome="bad_return", kind="bad_return",
        discreet="" if is_discreet else "The code gave back something that is neither a tensor nor plain.",
    )  # fmt: skip


def _reported_frames(frames: Any, locate: Locate) -> list[Place]:
    """The student's own lines, with the code from our copy of the text, not from theirs."""
    shown: list[Place] = []
    for frame in frames[:32] if type(frames) is list else []:
        if type(frame) is list and len(frame) == 3 and type(frame[0]) is str and type(frame[1]) is int:
            shown += place(frame[0], frame[1], locate)
    return shown[-8:]


def place(module: str, line: int, locate: Locate) -> list[Place]:
    """Where that line is and what it says; nothing for a module that is not the submission's."""
    source = locate(module)
    if source is None:
        return []
    return [(printable(source.where(line), 200), printable(source.code(line), 200))]


def frames_of_dump(dump: bytes, locate: Locate) -> list[Place]:
    """The student's lines in the fault handler's report, outermost first; the code can write there too."""
    found = _TRACE_LINE.findall(dump.decode("utf-8", "replace"))
    frames = [where for module, line in found[:64] for where in place(module, int(line), locate)]
    return frames[:4][::-1]


def error_of_ending(status: int, *, killed: bool, used_up: bool, frames: list[Place]) -> StudentError:
    """What the end of a process tells when nobody asked for it.

    `killed`: by us, because it did not end by itself; `used_up`: it had no CPU time left.
    """
    if not os.WIFSIGNALED(status):
        code = os.WEXITSTATUS(status)
        if code in (EXIT_CHANNEL_CLOSED, EXIT_BROKEN):
            return protocol_error("The code broke the channel or the process that answers for it.")
        return StudentError(
            f"The code ended the Python process (exit status {code}).", outcome="crashed", kind="exit",
            hint="Take out `os._exit()` and the like.",
        )  # fmt: skip
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU or (number == signal.SIGKILL and used_up):
        return StudentError(
            "The code used up its CPU time.", outcome="timed_out", kind="cpu_limit", frames=frames,
            hint="Look for a loop that never ends.",
        )  # fmt: skip
    if number == signal.SIGKILL and killed:
        return protocol_error("The code closed the grader's channel.")
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if number == signal.SIGKILL:
        return StudentError(f"The Python process was killed ({name}).", outcome="crashed", kind="killed")
    how = _CRASHES.get(number, "ended by a signal")  # type: ignore[call-overload]
    return StudentError(
        f"The Python process crashed: {how} ({name}).", outcome="crashed", kind="crash", frames=frames
    )
