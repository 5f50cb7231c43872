"""Entry point of `grade`: turns every way to fail into one clear line and the right exit code."""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

import click

from grader.errors import GraderError, NoAssignmentError
from grader.printable import printable

EXIT_WRONG_USAGE, EXIT_NOT_GRADED = 2, 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (the process's own when None) and return the exit code."""
    _show_what_cannot_be_encoded()
    _be_interrupted_once()
    try:
        from grader.cli import cli

        code = cli.main(
            args=None if arguments is None else list(arguments), prog_name="grade", standalone_mode=False
        )
    except click.ClickException as err:
        _complain(_usage_text(err))
        return err.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        _complain("interrupted; nothing was written.")
        return EXIT_INTERRUPTED
    except GraderError as err:
        _complain(f"{err.message} {err.hint}".strip())
        return EXIT_WRONG_USAGE if isinstance(err, NoAssignmentError) else EXIT_NOT_GRADED
    except Exception as err:  # noqa: BLE001 - the edge of the process: a bug of ours must not look like a score
        traceback.print_exc()
        _complain(f"the grader itself failed: {type(err).__name__}: {err}")
        return EXIT_NOT_GRADED
    return code if isinstance(code, int) else 0


def _be_interrupted_once() -> None:
    """The first Ctrl-C ends the command in order; a second one must not break that, not even at exit."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(signum: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # every wait of the clean-up has a deadline
    raise KeyboardInterrupt


def _usage_text(err: click.ClickException) -> str:
    """Click's complaint on one line, names in backticks like everywhere else."""
    if isinstance(err, click.NoSuchOption):
        near = f" Did you mean `{err.possibilities[0]}`?" if err.possibilities else ""
        return f"There is no option `{err.option_name}`.{near}"
    if type(err) in (click.ClickException, click.UsageError):
        return err.format_message()  # ours, or one without quoted names
    hint = ""
    if isinstance(err, click.MissingParameter):
        hint = f" Try `{err.ctx.command_path if err.ctx else 'grade'} --help`."
    return err.format_message().replace("'", "`") + hint


def _complain(text: str) -> None:
    # A file name may hold anything; a complaint stays one line.
    print(f"grade: {printable(text, one_line=True)}", file=sys.stderr)


def _show_what_cannot_be_encoded() -> None:
    """A terminal that knows only ASCII gets escapes, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
